"""A WebSocket whose client may be slow but must read: what it does not take is not kept for it for ever."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

logger = logging.getLogger(__name__)

_LOOKS = 4
"""How often a stalled connection is looked at before it is dropped."""


class Connection(WebSocketsSansIOProtocol):
    """Ends a connection that has taken nothing for `stalled_seconds`; its client may come back and resume.

    Such a client never reads the reason that it is sent, and an orderly close would wait for it: the log says it.
    """

    _watch: asyncio.TimerHandle | None = None
    _unread = 0
    _looks = 0

    def pause_writing(self) -> None:
        """Begin to watch: the client reads more slowly than is written."""
        super().pause_writing()
        self._unread = self.transport.get_write_buffer_size()
        self._looks = 0
        self._look_later()

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
        if self._watch is not None:
            self.pong_timer = None
            self.pending_ping_payload = None
            self.schedule_ping()
            return
        super().keepalive_timeout()
        self.transport.abort()

    def shutdown(self) -> None:
        """Say that the server stops; whoever does not read is not waited for."""
        unread = self._watch is not None
        super().shutdown()
        if unread:
            self.transport.abort()

    def _stalled_seconds(self) -> float:
        app: Any = self.config.app
        return float(app.state.settings.stalled_seconds)

    def _look_later(self) -> None:
        self._watch = self.loop.call_later(self._stalled_seconds() / _LOOKS, self._look)

    def _look(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._looks = 0 if unread < self._unread else self._looks + 1
        self._unread = unread
        if self._looks < _LOOKS:
            self._look_later()
            return
        self._watch = None
        logger.warning(
            "A page took nothing of what it was sent for %g s and was dropped; it may come back and go on.",
            self._stalled_seconds(),
        )
        self.transport.abort()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
