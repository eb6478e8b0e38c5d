"""The log of one run: an append-only list of encoded events with any number of readers."""

from __future__ import annotations

import asyncio

_OVERHEAD = 48
"""What Python keeps for a bytes object and its place in a list, bytes."""


class SessionLog:
    """Event `seq` is line `seq`; a line is kept as the bytes that were validated, without a newline.

    Readers hold a position and nothing else, so a slow one costs no memory and never delays an append.
    """

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.nbytes = 0
        """What the log holds in memory, bytes."""
        self.complete = False
        """True when no event will follow."""
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def last(self) -> int:
        """The seq of the last event, -1 while there is none."""
        return len(self.lines) - 1

    def append(self, lines: list[bytes]) -> None:
        """Add events that follow the last one without a gap."""
        self.lines += lines
        self.nbytes += sum(map(len, lines)) + _OVERHEAD * len(lines)
        self._wake()

    def finish(self) -> None:
        """Say that the last event was the last."""
        self.complete = True
        self._wake()

    async def beyond(self, seq: int) -> bool:
        """Wait until there is an event after `seq`; False when the log is complete and there is none."""
        while len(self.lines) <= seq + 1:
            if self.complete:
                return False
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)
        return True

    def batch(self, after: int, *, events: int, nbytes: int) -> tuple[bytes, int]:
        """The events after seq `after` as one JSON message, and the seq of its last.

        At most `events` of them and about `nbytes` bytes, but always one: the lines are joined as they are.
        """
        first = after + 1
        lines = self.lines[first : first + events]
        size = count = 0
        for line in lines:
            size += len(line)
            if size > nbytes and count:
                break
            count += 1
        last = after + count
        return b'{"events":[%b],"last":%d}' % (b",".join(lines[:count]), last), last

    def _wake(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
