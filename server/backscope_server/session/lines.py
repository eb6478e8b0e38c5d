"""The encoded events of a log by their seq, in blocks that are packed once."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from backscope_server.session import packed
from backscope_server.session.packed import PackedBlock

_OVERHEAD = 400
"""The memory that Python takes for a block itself, bytes."""
_BLOCK = 1 << 16
"""The size of a block, bytes: packing one takes well under a millisecond."""
_JOINED = 1 << 15
"""A block that is not packed gets more lines up to this length, bytes."""
_LOOSE = 1 << 20
"""The bytes at the end of a running program's log that are kept as text, since most clients read there."""
_AT_ONCE = 1000


class NotKept(LookupError):
    """The error for a run that has been removed, and its events with it."""

    def __init__(self) -> None:
        super().__init__("This run is no longer kept.")


class _Block(NamedTuple):
    """Lines that are stored together, from seq `first` on: as one text, packed, or both.

    One text instead of many small objects keeps the memory from being fragmented.
    """

    first: int
    length: int
    text: bytes | None
    packed: PackedBlock | None

    @property
    def nbytes(self) -> int:
        """The memory that the block takes, bytes."""
        data = b"" if self.packed is None else self.packed.data
        return _OVERHEAD + len(data) + len(self.text or b"")

    def read(self) -> bytes:
        """Return the lines, joined by newlines."""
        if self.text is not None:
            return self.text
        assert self.packed is not None
        return packed.unpack(self.packed)


class Lines(Sequence[bytes]):
    """The lines of a log; other threads may read them.

    The oldest blocks are packed; of those the last ones may have their text too.
    """

    def __init__(self) -> None:
        self.nbytes = 0
        """The memory that the lines take, bytes."""
        self.text_nbytes = 0
        """The length of the lines, bytes."""
        self._blocks: list[_Block] = []
        self._packed = 0
        """The number of packed blocks."""
        self._freed = 0
        """The number of packed blocks without their text."""
        self._loose_nbytes = 0
        """The length of the texts, bytes."""
        self._near: tuple[int, list[bytes]] = (0, [])
        """The lines of the block that was read last, and the seq of the first of them."""
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
            first, near = self._near = block.first, block.read().split(b"\n")
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
        return block.read().split(b"\n")[first - block.first : first - block.first + most]

    def listed(self, first: int, most: int, nbytes: int) -> tuple[bytes, int]:
        """Return lines from seq `first` on, joined by commas, and how many they are: as many as one block has.

        At most `most` of them, and about `nbytes` bytes, but always one.

        Raises: IndexError where there is no line `first`.
        """
        if first >= len(self):
            raise IndexError(first)
        block = self._block(first)
        text = block.read()
        if first == block.first and block.length <= most and len(text) <= nbytes:
            return text.replace(b"\n", b","), block.length
        chosen: list[bytes] = []
        for line in text.split(b"\n")[first - block.first : first - block.first + most]:
            nbytes -= len(line)
            if nbytes < 0 and chosen:
                break
            chosen.append(line)
        return b",".join(chosen), len(chosen)

    def packed_blocks(self, start: int, end: int | None = None) -> list[PackedBlock]:
        """Return the packed blocks from number `start` to number `end`; none of them ever changes.

        Raises: NotKept.
        """
        with self._lock:
            if self._cleared is not None:
                raise NotKept
            return [block.packed for block in self._blocks[start:end] if block.packed is not None]

    def clear(self) -> None:
        """Free all lines; reading raises NotKept from then on."""
        count = len(self)
        with self._lock:
            self._cleared = count
            self._blocks, self._packed, self._freed, self._near = [], 0, 0, (0, [])
            self.nbytes = self._loose_nbytes = 0

    def append(self, lines: list[bytes]) -> None:
        """Add lines, none of which contains a newline; does nothing once they have been freed."""
        if self._cleared is not None:
            self._cleared += len(lines)
            return
        for piece in _cut(lines):
            self._add(b"\n".join(piece), len(piece))
        while self._loose_nbytes > _LOOSE:
            self.compact()

    def _add(self, text: bytes, count: int) -> None:
        with self._lock:
            last = self._blocks[-1] if len(self._blocks) > self._packed else None
            if last is not None and last.text is not None and len(last.text) + len(text) < _JOINED:
                block = _Block(last.first, last.length + count, b"%b\n%b" % (last.text, text), None)
                self._replace(len(self._blocks) - 1, len(self._blocks), block)
            else:
                first = self._blocks[-1].first + self._blocks[-1].length if self._blocks else 0
                self._replace(len(self._blocks), len(self._blocks), _Block(first, count, text, None))
            self.text_nbytes += len(text) + 1

    def _replace(self, start: int, end: int, block: _Block) -> None:
        """Put a block in the place of others; the lock is held."""
        before = self._blocks[start:end]
        self._blocks[start:end] = [block]
        self.nbytes += block.nbytes - sum(old.nbytes for old in before)
        self._loose_nbytes += len(block.text or b"") - sum(len(old.text or b"") for old in before)

    def pack(self) -> bool:
        """Pack some of the oldest lines that are not packed, and keep their text; return False if there are none."""
        start = end = self._packed
        size = 0
        while end < len(self._blocks) and size < _BLOCK:
            size += self._blocks[end].nbytes
            end += 1
        loose = self._blocks[start:end]
        if not loose:
            return False
        before = self._blocks[start - 1].packed if start else packed.NONE
        assert before is not None
        count = sum(block.length for block in loose)
        text = loose[0].read() if len(loose) == 1 else b"\n".join(block.read() for block in loose)
        block = _Block(loose[0].first, count, text, packed.pack(text, count, before))
        with self._lock:
            self._replace(start, end, block)
            self._packed += 1
        return True

    def compact(self) -> bool:
        """Leave some of the oldest lines that have a text packed only; return False if there are none."""
        if self._freed == self._packed and not self.pack():
            return False
        with self._lock:
            self._replace(self._freed, self._freed + 1, self._blocks[self._freed]._replace(text=None))
            self._freed += 1
        return True


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
