"""Aborts the connection of a client that stops reading."""

from __future__ import annotations

import asyncio
import logging

logger = logging.getLogger(__name__)

_CHECKS = 4
"""The number of checks of a stalled connection before it is dropped."""


class Stall:
    """Aborts a connection whose client has read nothing for `seconds` while data waits for it.

    The client would not read a reason, and an orderly close would wait for it, so the reason is logged.
    """

    def __init__(self, transport: asyncio.Transport, seconds: float) -> None:
        self._transport = transport
        self._seconds = seconds
        self._unsent = 0
        self._checks = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def watching(self) -> bool:
        """Return whether data waits for the client."""
        return self._timer is not None

    def begin(self) -> None:
        """Begin to watch, when data waits for the client."""
        self.end()
        self._unsent = self._transport.get_write_buffer_size()
        self._checks = 0
        self._schedule()

    def end(self) -> None:
        """Stop watching, when the client has read everything or the connection is closed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._seconds / _CHECKS, self._check)

    def _check(self) -> None:
        unsent = self._transport.get_write_buffer_size()
        self._checks = 0 if unsent < self._unsent else self._checks + 1
        self._unsent = unsent
        if self._checks < _CHECKS:
            self._schedule()
            return
        self._timer = None
        logger.warning(
            "A page took nothing of what it was sent for %g s and was dropped; it may come back and go on.",
            self._seconds,
        )
        self._transport.abort()
