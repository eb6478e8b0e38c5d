"""How connections arrive: so many of one address, no time to dawdle, no floods on a WebSocket."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from backscope_server.access.client import NO_ADDRESS, group
from backscope_server.access.connection import Connection, Stall
from backscope_server.access.rates import Count, Rate
from backscope_server.access.room import Room
from backscope_server.api.request import program_body
from backscope_server.errors import CLOSE_CODES, error_body
from backscope_server.settings import Settings

_TOO_MUCH = "More messages were sent than are accepted in a second. Reload the page, or send less at once."
_NO_TEXT = "A message is not UTF-8."
_READ = 1 << 17
"""What is read of a connection at a time, bytes: what nobody has asked for waits in the system, not here.

It is more than the headers of a request may have: a refusal of larger ones is read only where all of them were.
"""
_LITTLE = 1 << 16
"""So much of a message may arrive without there being room for it, bytes."""
_LAST_WORDS_SECONDS = 2.0


def http_protocol(settings: Settings) -> type[H11Protocol]:
    """HTTP, with a time within which the headers of a request must be there, and a number of connections per address.

    What comes through a proxy is counted by the proxy: all its connections have the same address, so only their number
    in all is bounded.
    """
    of_address = settings.connections if settings.proxy_hops else settings.address_connections
    open_now = Count(of_address, settings.connections)

    class HttpProtocol(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None
        _counted: str | None = None
        _stall: Stall | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            transport.max_size = _READ  # type: ignore[attr-defined]
            transport.set_write_buffer_limits(high=0)  # Whatever is not taken is watched, also once the answer is over.
            address = (group(self.client[0]) if self.client else None) or NO_ADDRESS
            if not open_now.enter(address):
                transport.abort()
                return
            self._counted = address
            self._hurry()

        def pause_writing(self) -> None:
            super().pause_writing()
            if self._stall is None:
                self._stall = Stall(self.transport, settings.stalled_seconds)
            self._stall.begin()

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._stall is not None:
                self._stall.end()

        def connection_lost(self, exc: Exception | None) -> None:
            if self._stall is not None:
                self._stall.end()
            self._rest()
            self.uncount()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self._deadline is None and self.conn.their_state is h11.IDLE:
                self._hurry()
            super().data_received(data)

        def handle_events(self) -> None:
            super().handle_events()
            if self.scope is not None:  # The application has not been called yet.
                self.scope["state"]["reset"] = self.reset
            # The body has a time of its own, which begins with the application's asking for it.
            if self.conn.their_state is not h11.IDLE and not getattr(self.cycle, "response_complete", False):
                self._rest()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            # What is left of a body that nobody has asked for has to arrive in time too.
            if self.conn.their_state is h11.SEND_BODY and self._deadline is None:
                self._hurry()

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            self._rest()
            super().handle_websocket_upgrade(event)
            protocol = self.transport.get_protocol()
            assert isinstance(protocol, Connection)
            protocol.uncount = self.uncount  # type: ignore[attr-defined]

        def reset(self) -> None:
            """End the connection as a failure, which no client takes for the end of the body."""
            connection: socket.socket = self.transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()

        def uncount(self) -> None:
            if self._counted is not None:
                open_now.leave(self._counted)
                self._counted = None

        def _hurry(self) -> None:
            self._deadline = self.loop.call_later(settings.request_seconds, self._late)

        def _rest(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _late(self) -> None:
            self._deadline = None
            self.transport.abort()

    return HttpProtocol


def websocket_protocol(settings: Settings) -> type[Connection]:
    """A WebSocket that takes in so many bytes and so many frames a second: pings and parts of messages count too."""
    # A message that is allowed must fit, however few bytes a second there may be.
    nbytes = max(settings.socket_bytes, program_body(settings.source_bytes) + 65536)

    class WebSocketProtocol(Connection):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._frames = Rate(settings.socket_messages, 1)
            self._bytes = Rate(nbytes, 1)
            self._deaf = False
            self._held = 0
            """What the part of a message that has arrived holds of the room for what is arriving, bytes."""

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._hold(0)
            self.uncount()

        def uncount(self) -> None:
            """Replaced by the connection that this one was before the upgrade."""

        def data_received(self, data: bytes) -> None:
            if self._deaf:
                return
            if self._bytes.take(cost=len(data)):
                self._refuse()
                return
            super().data_received(data)
            arrived = len(self.conn.reader.buffer) + sum(map(len, self.frames))
            if self.handshake_complete and not self._hold(arrived if arrived > _LITTLE else 0):
                self._refuse()

        def _hold(self, nbytes: int) -> bool:
            """Hold so many bytes of the room; False where they do not fit."""
            if nbytes == self._held:
                return True
            app: Any = self.config.app
            room: Room = app.state.arriving
            address = self.scope["state"]["address"]
            if nbytes > self._held:
                fits = room.take(address, nbytes - self._held)
            else:
                fits = True
                room.give(address, self._held - nbytes)
            self._held = nbytes if fits else self._held
            return fits

        def handle_events(self) -> None:
            if self._frames.take(cost=len(self.conn.events)):
                self._refuse()
            else:
                super().handle_events()

        def send_receive_event_to_app(self) -> None:
            if self.curr_msg_data_type == "text" and not _is_text(self.frames):
                self.frames = []
                self.conn.send_close(1007, _NO_TEXT)
                self.handle_parser_exception()
            else:
                super().send_receive_event_to_app()

        def handle_parser_exception(self) -> None:
            """A message that is too large, or is none: the close frame that says so is about to be sent."""
            close = self.conn.close_sent
            if close is None:
                self._deaf = True
                self.transport.abort()
            else:
                self._leave(close.code)

        def _refuse(self) -> None:
            if not self.handshake_complete or self.close_sent:
                self._deaf = True
                self.transport.abort()
                return
            self.conn.send_text(json.dumps(error_body(_TOO_MUCH)).encode())
            self.conn.send_close(CLOSE_CODES[429], _TOO_MUCH)
            self._leave(CLOSE_CODES[429])

        def _leave(self, code: int) -> None:
            """Send what is to be sent.

            What is still coming is read and dropped for a while: closed at once, the connection is reset, and the
            client never sees why.
            """
            self._deaf = True
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = self.disconnected = True
            self.writable.set()
            self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
            self.transport.resume_reading()
            self.close_timer = self.loop.call_later(_LAST_WORDS_SECONDS, self.transport.abort)

    return WebSocketProtocol


def _is_text(parts: list[bytes]) -> bool:
    try:
        b"".join(parts).decode()
    except UnicodeDecodeError:
        return False
    return True
