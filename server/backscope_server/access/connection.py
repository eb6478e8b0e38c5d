"""Connections whose clients may be slow but must read: what they do not take is not kept for them for ever."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

logger = logging.getLogger(__name__)

_LOOKS = 4
"""How often a stalled connection is looked at before it is dropped."""


class Stall:
    """Ends a connection that has taken nothing for `seconds` of what it is sent.

    Its client never reads a reason, and an orderly close would wait for it: the log says it.
    """

    def __init__(self, transport: asyncio.Transport, seconds: float) -> None:
        self._transport = transport
        self._seconds = seconds
        self._unread = 0
        self._looks = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def watching(self) -> bool:
        """Whether the client reads more slowly than is written."""
        return self._timer is not None

    def begin(self) -> None:
        """Watch: the client reads more slowly than is written."""
        self.end()
        self._unread = self._transport.get_write_buffer_size()
        self._looks = 0
        self._look_later()

    def end(self) -> None:
        """The client has caught up, or is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._seconds / _LOOKS, self._look)

    def _look(self) -> None:
        unread = self._transport.get_write_buffer_size()
        self._looks = 0 if unread < self._unread else self._looks + 1
        self._unread = unread
        if self._looks < _LOOKS:
            self._look_later()
            return
        self._timer = None
        logger.warning(
            "A page took nothing of what it was sent for %g s and was dropped; it may come back and go on.",
            self._seconds,
        )
        self._transport.abort()


class Connection(WebSocketsSansIOProtocol):
    """A WebSocket that ends where its client takes nothing for `stalled_seconds`; it may come back and resume."""

    _stall: Stall | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there."""
        super().connection_made(transport)
        app: Any = self.config.app
        self._stall = Stall(self.transport, float(app.state.settings.stalled_seconds))

    def handle_connect(self, event: Request) -> None:
        """Begin a request, whose `state` has `writable`: set while the client has taken nearly all it was sent."""
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["state"]["writable"] = self.writable

    def pause_writing(self) -> None:
        """Begin to watch: the client reads more slowly than is written."""
        super().pause_writing()
        if self._stall is not None:
            self._stall.begin()

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        self._stop_watching()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._stop_watching()
        super().connection_lost(exc)

    def keepalive_timeout(self) -> None:
        """A ping that waits behind unread messages is no sign of a client that is gone; another one is."""
        if self._unread():
            self.pong_timer = None
            self.pending_ping_payload = None
            self.schedule_ping()
            return
        super().keepalive_timeout()
        self.transport.abort()

    def shutdown(self) -> None:
        """Say that the server stops; whoever does not read is not waited for."""
        unread = self._unread()
        super().shutdown()
        if unread:
            self.transport.abort()

    def _unread(self) -> bool:
        return self._stall is not None and self._stall.watching

    def _stop_watching(self) -> None:
        if self._stall is not None:
            self._stall.end()
