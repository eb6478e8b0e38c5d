"""The log of one run: an append-only list of encoded events with any number of readers."""

from __future__ import annotations

import asyncio
import bisect
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, overload

_OVERHEAD = 160
"""The memory that Python takes for a block itself, bytes."""
_BLOCK = 1 << 16
"""The size of a block, bytes: packing one takes well under a millisecond."""
_JOINED = 1 << 15
"""A block that is not packed gets more lines up to this length, bytes."""
_LOOSE = 1 << 20
"""The bytes at the end of a running program's log that are not packed, since most clients read there."""
_AT_ONCE = 1000
_LEVEL = 1
"""Events are much alike: this packs them to a seventh, higher levels take three times as long for a fifth less."""


class NotKept(LookupError):
    """The error for a run that has been removed, and its events with it."""

    def __init__(self) -> None:
        super().__init__("This run is no longer kept.")


class _Block(NamedTuple):
    """Lines that are stored together, from seq `first` on, as one text.

    One text instead of many small objects keeps the memory from being fragmented.
    """

    first: int
    length: int
    text: bytes
    packed: bool

    def lines(self) -> list[bytes]:
        return (zlib.decompress(self.text) if self.packed else self.text).split(b"\n")


class Lines(Sequence[bytes]):
    """The encoded events of a log by their seq, packed or not; other threads may read them."""

    def __init__(self) -> None:
        self.nbytes = 0
        """The memory that the lines take, bytes."""
        self.text_nbytes = 0
        """The length of the lines, bytes."""
        self._blocks: list[_Block] = []
        self._packed = 0
        """The number of packed blocks; they come first."""
        self._loose_nbytes = 0
        self._near: tuple[int, list[bytes]] = (0, [])
        """The unpacked lines of the block that was read last, and the seq of the first of them."""
        self._cleared: int | None = None
        """The number of lines when they were freed."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        with self._lock:
            if self._cleared is not None:
                return self._cleared
            return self._blocks[-1].first + self._blocks[-1].length if self._blocks else 0

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...

    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        """Return a line, or a list of lines."""
        chosen = range(len(self))[at]
        if isinstance(chosen, int):
            return self._one(chosen)
        if chosen.step != 1:
            return [self[seq] for seq in chosen]
        found: list[bytes] = []
        while len(found) < len(chosen):
            found += self.some(chosen.start + len(found), len(chosen) - len(found))
        return found

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines block by block, so that an iteration unpacks one block at a time."""
        seq = 0
        while found := self.some(seq, _AT_ONCE):
            yield from found
            seq += len(found)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, Lines)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _one(self, seq: int) -> bytes:
        first, near = self._near
        if not first <= seq < first + len(near):
            block = self._block(seq)
            first, near = self._near = block.first, block.lines()
        return near[seq - first]

    def _block(self, seq: int) -> _Block:
        with self._lock:
            if self._cleared is not None:
                raise NotKept
            return self._blocks[bisect.bisect_right(self._blocks, seq, key=lambda block: block.first) - 1]

    def some(self, first: int, most: int) -> list[bytes]:
        """Return up to `most` lines from seq `first` on, as many as one block has; none only at the end."""
        if first >= len(self):
            return []
        block = self._block(first)
        return block.lines()[first - block.first : first - block.first + most]

    def clear(self) -> None:
        """Free all lines; reading raises NotKept from then on."""
        count = len(self)
        with self._lock:
            self._cleared = count
            self._blocks, self._packed, self._near = [], 0, (0, [])
            self.nbytes = self._loose_nbytes = 0

    def append(self, lines: list[bytes]) -> None:
        """Add lines, none of which contains a newline; does nothing once they have been freed."""
        if self._cleared is not None:
            self._cleared += len(lines)
            return
        for piece in _cut(lines):
            self._add(b"\n".join(piece), len(piece))
        while self._loose_nbytes > _LOOSE:
            self.pack()

    def _add(self, text: bytes, count: int) -> None:
        with self._lock:
            before = self.nbytes
            last = self._blocks[-1] if len(self._blocks) > self._packed else None
            if last is not None and len(last.text) + len(text) < _JOINED:
                self._blocks[-1] = _Block(last.first, last.length + count, b"%b\n%b" % (last.text, text), False)
                self.nbytes += len(text) + 1
            else:
                first = self._blocks[-1].first + self._blocks[-1].length if self._blocks else 0
                self._blocks.append(_Block(first, count, text, False))
                self.nbytes += len(text) + _OVERHEAD
            self._loose_nbytes += self.nbytes - before
            self.text_nbytes += len(text) + 1

    def pack(self) -> int:
        """Pack some of the oldest unpacked lines; return how many."""
        start = end = self._packed
        size = 0
        while end < len(self._blocks) and size < _BLOCK:
            size += len(self._blocks[end].text) + _OVERHEAD
            end += 1
        loose = self._blocks[start:end]
        if not loose:
            return 0
        text = zlib.compress(b"\n".join(block.text for block in loose), _LEVEL)
        count = sum(block.length for block in loose)
        with self._lock:
            self._blocks[start:end] = [_Block(loose[0].first, count, text, True)]
            self._packed += 1
            self._loose_nbytes -= size
            self.nbytes += len(text) + _OVERHEAD - size
        return count


def _cut(lines: list[bytes]) -> Iterator[list[bytes]]:
    """Split lines into pieces that are worth a block each."""
    start = size = 0
    for at, line in enumerate(lines):
        if size >= _JOINED:
            yield lines[start:at]
            start, size = at, 0
        size += len(line)
    if start < len(lines):
        yield lines[start:]


class Log(Protocol):
    """The interface of a log that the events of a run are appended to."""

    @property
    def last(self) -> int:
        """The seq of the last event, -1 while there is none."""

    def append(self, lines: list[bytes]) -> None:
        """Add events that follow the last one without a gap."""

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

    def pack(self) -> int:
        """Pack some of the oldest unpacked lines; return how many."""
        count = self.lines.pack()
        self.grew()
        return count

    def clear(self) -> None:
        """Free the events; reading raises NotKept from then on."""
        self.lines.clear()
        self.grew()
        self._wake()

    def finish(self) -> None:
        """Mark the log as complete."""
        self.complete = True
        self._completed.set()
        self._wake()

    async def completed(self) -> None:
        """Wait until the log is complete."""
        await self._completed.wait()

    async def beyond(self, seq: int) -> bool:
        """Wait until there is an event after `seq`; return False if the log is complete and has none."""
        while len(self.lines) <= seq + 1:
            if self.complete:
                return False
            await self._changed.wait()
        return True

    def batch(self, after: int, *, events: int, nbytes: int) -> tuple[bytes, int]:
        """Return the events after seq `after` as one JSON message, and the seq of the last of them.

        At most `events` of them and about `nbytes` bytes, but always one: the lines are joined as they are.
        """
        batch: list[bytes] = []
        while len(batch) < events and (some := self.lines.some(after + 1 + len(batch), events - len(batch))):
            for line in some:
                nbytes -= len(line)
                if nbytes < 0 and batch:
                    break
                batch.append(line)
            if nbytes <= 0:
                break
        last = after + len(batch)
        return b'{"events":[%b],"last":%d}' % (b",".join(batch), last), last

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
