"""The log of one run: an append-only list of encoded events with any number of readers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from backscope_server.session.lines import Lines, NotKept


class Log(Protocol):
    """The interface of a log that the events of a run are appended to."""

    @property
    def last(self) -> int:
        """The seq of the last event, -1 while there is none."""

    def append(self, lines: list[bytes]) -> None:
        """Add events that follow the last one without a gap."""

    def end(self, lines: list[bytes]) -> None:
        """Add the last events, which the server wrote, and mark the log as complete."""

    def finish(self) -> None:
        """Mark the log as complete."""


class SessionLog:
    """Event `seq` is line `seq`; a line is kept as the bytes that were validated, without a newline.

    A reader has a position only, so a slow one costs no memory and never delays an append.  `grew` is called when the
    memory of the log changes.
    """

    def __init__(self, lines: Lines | None = None) -> None:
        self.lines = Lines() if lines is None else lines
        self.grew: Callable[[], None] = lambda: None
        self.complete = False
        """True when no event will follow."""
        self.closing: list[bytes] = []
        """The last events, if the server wrote them."""
        self._is_cut = False
        self._changed = asyncio.Event()
        self._completed = asyncio.Event()

    @property
    def nbytes(self) -> int:
        """The memory that the log takes, bytes."""
        return self.lines.nbytes

    @property
    def last(self) -> int:
        """The seq of the last event, -1 while there is none."""
        return len(self.lines) - 1

    def append(self, lines: list[bytes]) -> None:
        """Add events that follow the last one without a gap."""
        self.lines.append(lines)
        self.grew()
        self._wake()

    def pack(self) -> bool:
        """Pack some of the oldest lines that are not packed, and keep their text; return False if there are none."""
        done = self.lines.pack()
        self.grew()
        return done

    def compact(self) -> bool:
        """Leave some of the oldest lines that have a text packed only; return False if there are none."""
        done = self.lines.compact()
        self.grew()
        return done

    def clear(self) -> None:
        """Free the events; reading raises NotKept from then on."""
        self.lines.clear()
        self.grew()
        self._wake()

    def abandon(self) -> None:
        """Free the events of a log that gets no more, though its run may go on elsewhere."""
        self._is_cut = not self.complete
        self.clear()
        self.finish()

    def end(self, lines: list[bytes]) -> None:
        """Add the last events, which the server wrote, and mark the log as complete."""
        self.append(lines)
        self.closing = lines
        self.finish()

    def finish(self) -> None:
        """Mark the log as complete."""
        self.complete = True
        self._completed.set()
        self._wake()

    async def completed(self) -> None:
        """Wait until the log is complete."""
        await self._completed.wait()

    async def beyond(self, seq: int) -> bool:
        """Wait until there is an event after `seq`; return False if the log is complete and has none.

        Raises: NotKept for a log that was abandoned.
        """
        while len(self.lines) <= seq + 1:
            if self._is_cut:
                raise NotKept
            if self.complete:
                return False
            await self._changed.wait()
        return True

    def batch(self, after: int, *, events: int, nbytes: int) -> tuple[bytes, int]:
        """Return the events after seq `after` as one JSON message, and the seq of the last of them.

        At most `events` of them and about `nbytes` bytes, but always one: the lines are joined as they are.
        """
        pieces: list[bytes] = []
        last, most = after, min(after + events, self.last)
        while last < most and (nbytes > 0 or not pieces):
            piece, count = self.lines.listed(last + 1, most - last, nbytes)
            if pieces and len(piece) > nbytes:
                break
            pieces.append(piece)
            nbytes -= len(piece)
            last += count
        return b'{"events":[%b],"last":%d}' % (b",".join(pieces), last), last

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
