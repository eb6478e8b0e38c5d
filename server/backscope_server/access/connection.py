"""Limits each connection: the number open, the time for a request's head, WebSocket traffic, clients that do not read.

uvicorn's protocols are wrapped, not changed: a `GuardedConnection` is the protocol that asyncio calls, and passes on to
the one that uvicorn made; that one writes to a `GuardedTransport`, which keeps the guard in between when a request
becomes a WebSocket.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any

from uvicorn import Config
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.importer import import_from_string
from uvicorn.server import ServerState

from backscope_server.access.client import NO_ADDRESS, group
from backscope_server.access.guarded_transport import GuardedTransport
from backscope_server.access.rates import Count
from backscope_server.access.room import Room
from backscope_server.access.stall import Stall
from backscope_server.access.websocket import IncomingLimits, Refusal, close_frame, ping
from backscope_server.settings import Settings

_HttpProtocol: Any = import_from_string(HTTP_PROTOCOLS["h11"])

_READ_BYTES = 1 << 17
"""The bytes of a connection that are read at a time; further ones stay in the system's buffer.

It is larger than the head of a request may be: a client gets the refusal of a larger head only if all of it was read.
"""
_CLOSING_SECONDS = 2.0
"""The time for which a client may go on sending after a WebSocket was closed."""
_PING_SECONDS = 20.0
"""The interval at which a WebSocket is pinged; it is closed if nothing has arrived since the last ping."""


class Connections:
    """Makes the protocol of each connection for uvicorn, and counts the connections that are open."""

    def __init__(self, settings: Settings, arriving: Room) -> None:
        self.settings = settings
        self.arriving = arriving
        self.read_buffer = memoryview(bytearray(_READ_BYTES))
        """The buffer for arriving bytes, shared by all connections, since they are passed on at once."""
        # All connections that a proxy makes have its address: it counts those of each client.
        of_address = settings.connections if settings.proxy_hops else settings.address_connections
        self._count = Count(of_address, settings.connections)
        self._open: dict[GuardedConnection, str] = {}

    def protocol(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> asyncio.BaseProtocol:
        """Return the protocol for a new connection, as uvicorn's own factory does."""
        guarded = GuardedConnection(self)
        state = {**app_state, "connection": guarded}
        guarded.inner = _HttpProtocol(config=config, server_state=server_state, app_state=state, _loop=_loop)
        return guarded

    @property
    def many(self) -> int:
        """How many connections are open."""
        return len(self._open)

    def enter(self, connection: GuardedConnection, address: str) -> bool:
        """Count a new connection; return False, and count nothing, if there are too many."""
        if not self._count.enter(address):
            return False
        self._open[connection] = address
        return True

    def leave(self, connection: GuardedConnection) -> None:
        """Count a connection as closed."""
        if (address := self._open.pop(connection, None)) is not None:
            self._count.leave(address)

    def abort_stalled(self) -> None:
        """Abort the connections whose clients have not read what they were sent."""
        for connection in list(self._open):
            if connection.stalled:
                connection.abort()


class GuardedConnection(asyncio.BufferedProtocol):
    """One connection; requests have it in their scope's state as `connection`."""

    def __init__(self, connections: Connections) -> None:
        self.inner: asyncio.Protocol | None = None
        """The protocol that uvicorn made; None once its connection_lost() was called."""
        self.writable = asyncio.Event()
        """Set while the client has read all that it was sent."""
        self.writable.set()
        self.address = NO_ADDRESS
        """The address of the client, behind proxies too, which the bytes of a WebSocket are counted for."""
        self.closing = False
        """True while a WebSocket is being closed: nothing more is sent, and arriving bytes are dropped."""
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._stall: Stall | None = None
        self._requests = 0
        """The number of requests that the application is answering."""
        self._head_deadline: asyncio.TimerHandle | None = None
        self._limits: IncomingLimits | None = None
        """The limits of a WebSocket, from the upgrade on."""
        self._accepted = False
        self._close_sent = False
        self._ping_timer: asyncio.TimerHandle | None = None
        self._pinged = False
        self._closing_timer: asyncio.TimerHandle | None = None

    @property
    def stalled(self) -> bool:
        """Return whether the client has not read all that it was sent."""
        return self._stall is not None and self._stall.watching

    # Called by asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a connection, or abort it if there are too many."""
        assert isinstance(transport, asyncio.Transport) and self.inner is not None
        self._transport = transport
        transport.set_write_buffer_limits(high=0)  # Whatever is not taken is watched, also once the answer is over.
        peer = transport.get_extra_info("peername")
        address = (group(str(peer[0])) if isinstance(peer, tuple) else None) or NO_ADDRESS
        if not self._connections.enter(self, address):
            self.inner = None
            transport.abort()
            return
        self._stall = Stall(transport, self._connections.settings.stalled_seconds)
        self.inner.connection_made(GuardedTransport(transport, self))
        self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection."""
        for timer in (self._head_deadline, self._ping_timer, self._closing_timer):
            if timer is not None:
                timer.cancel()
        if self._stall is not None:
            self._stall.end()
        self._connections.leave(self)
        self._detach(exc)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for the next bytes."""
        return self._connections.read_buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Pass on the bytes that have arrived; check the limits first if this is a WebSocket."""
        if self.inner is None or self.closing:
            return
        data = bytes(self._connections.read_buffer[:nbytes])
        if self._limits is not None:
            self._receive(data, self.inner, self._limits)
            return
        if self._head_deadline is None and not self._requests:
            self._start_deadline()
        self.inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Pass on that the client has closed its sending half."""
        return None if self.inner is None else self.inner.eof_received()

    def pause_writing(self) -> None:
        """Begin to watch a client that has not read all that it was sent."""
        self.writable.clear()
        if self._stall is not None:
            self._stall.begin()
        if self.inner is not None:
            self.inner.pause_writing()

    def resume_writing(self) -> None:
        """Stop watching: the client has read everything."""
        self.writable.set()
        if self._stall is not None:
            self._stall.end()
        if self.inner is not None:
            self.inner.resume_writing()
        if self.closing:
            self._finish_closing()

    # Called by the application.

    def request_started(self) -> None:
        """Stop the clock for the head of a request, which has arrived."""
        self._requests += 1
        self._cancel_deadline()

    def request_ended(self, *, body_left: bool) -> None:
        """Start the clock for the part of a body that the application did not read."""
        self._requests -= 1
        if body_left and self.inner is not None and not self._requests and self._head_deadline is None:
            self._start_deadline()

    def reset(self) -> None:
        """Reset the connection, so that the client does not take the end of the data for the end of the body."""
        if self._transport is not None:
            connection: socket.socket = self._transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()

    def abort(self) -> None:
        """Close the connection at once and drop data that has not been sent."""
        if self._transport is not None:
            self._transport.abort()

    # Called by the guarded transport.

    def upgrade(self, protocol: asyncio.Protocol) -> None:
        """Apply the limits of a WebSocket from now on."""
        self.inner = protocol
        self._limits = IncomingLimits(self._connections.settings, self._connections.arriving)
        self._cancel_deadline()

    def note_written(self, data: bytes | bytearray | memoryview) -> None:
        """Detect in what uvicorn sends that a WebSocket was accepted or is closing."""
        if self._limits is None:
            return
        if not self._accepted:
            if bytes(data[:12]) == b"HTTP/1.1 101":
                self._accepted = True
                self._schedule_ping()
        elif bytes(data[:1]) == b"\x88":
            self._close_sent = True

    def close(self) -> None:
        """Close the connection once the client has read everything.

        What is still coming on a WebSocket is read and dropped for a while: closed at once, the connection would be
        reset, and the client would never read why.
        """
        transport = self._transport
        if transport is None or self.closing:
            return
        if self._limits is None or transport.is_closing() or not transport.can_write_eof():
            transport.close()
            return
        self.closing = True
        transport.resume_reading()
        if self.writable.is_set():
            self._finish_closing()

    # Deadlines, pings, refusals.

    def _start_deadline(self) -> None:
        seconds = self._connections.settings.request_seconds
        self._head_deadline = asyncio.get_running_loop().call_later(seconds, self.abort)

    def _cancel_deadline(self) -> None:
        if self._head_deadline is not None:
            self._head_deadline.cancel()
            self._head_deadline = None

    def _receive(self, data: bytes, inner: asyncio.Protocol, limits: IncomingLimits) -> None:
        self._pinged = False
        refusal = limits.check(data)
        if refusal is None:
            inner.data_received(data)
            if self._accepted and not self.closing:
                refusal = limits.hold(self.address)
        if refusal is not None:
            self._refuse(refusal)

    def _refuse(self, refusal: Refusal) -> None:
        """Close a WebSocket, with the reason if it has been accepted."""
        if self._transport is None or not self._accepted or self._close_sent:
            self.abort()
            return
        self._transport.write(refusal.frames())
        self.close()
        self._detach(None)

    def _finish_closing(self) -> None:
        """End the sending half of the connection, and wait for the client to end the other one."""
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        loop.call_soon(self._detach, None)
        try:
            self._transport.write_eof()
        except OSError:  # The client is gone.
            self._transport.abort()
            return
        self._closing_timer = loop.call_later(_CLOSING_SECONDS, self._transport.abort)

    def _detach(self, exc: Exception | None) -> None:
        """Call connection_lost() of uvicorn's protocol, once."""
        if self._limits is not None:
            self._limits.release()
        inner, self.inner = self.inner, None
        if inner is not None:
            inner.connection_lost(exc)
        self.writable.set()

    def _schedule_ping(self) -> None:
        self._ping_timer = asyncio.get_running_loop().call_later(_PING_SECONDS, self._ping)

    def _ping(self) -> None:
        """Ping the client; abort if it has not answered the last ping although it has read everything."""
        transport = self._transport
        if transport is None or self.closing or self._close_sent or transport.is_closing():
            return
        if self._pinged and transport.is_reading():
            transport.write(close_frame(1011, "keepalive ping timeout"))
            transport.abort()
            return
        self._pinged = self.writable.is_set() and transport.is_reading()
        if self._pinged:
            transport.write(ping())
        self._schedule_ping()
