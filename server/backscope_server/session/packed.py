"""The packed form of a log's blocks: what a trace file has between its first and its last bytes.

A block is raw deflate that ends at a byte and refers to no block before it.  So the same bytes serve in memory, on the
disk and in a download: a trace file is `BEGINNING`, the blocks in their order, and `end()`.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

try:
    from isal import isal_zlib as zlib  # Three to four times as fast, for the same size.
except ImportError:  # It is made for x86-64 and ARM only.
    import zlib  # type: ignore[no-redef]

from backscope.protocol import trace

_LEVEL = 1
"""Events are much alike: this packs them to a seventh, higher levels take three times as long for a fifth less."""
_RAW = -15
"""zlib's name for deflate without a header, with the largest window."""
_HEADER = trace.header() + b"\n"
_GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The header of a gzip file without a name, a time and a system."""
_LAST_BLOCK = b"\x03\x00"
"""An empty block of deflate with the mark of the last one."""


class PackedBlock(NamedTuple):
    """The packed lines of a log up to line `end`, that one not included.

    `crc` and `nbytes` are those of the text of a whole trace file up to there.
    """

    data: bytes
    end: int
    crc: int
    nbytes: int


def _deflate(text: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    return packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)


def pack(text: bytes, count: int, before: PackedBlock) -> PackedBlock:
    """Pack `count` lines, joined by newlines, that follow the block `before`."""
    text += b"\n"
    return PackedBlock(_deflate(text), before.end + count, zlib.crc32(text, before.crc), before.nbytes + len(text))


def unpack(block: PackedBlock) -> bytes:
    """Return the lines of a block, joined by newlines."""
    return zlib.decompressobj(_RAW).decompress(block.data)[:-1]


NONE = PackedBlock(b"", 0, zlib.crc32(_HEADER), len(_HEADER))
"""The block before the first one."""
BEGINNING = _GZIP + _deflate(_HEADER)
"""The first bytes of a trace file."""


def end(last: PackedBlock) -> bytes:
    """Return the last bytes of a trace file whose last block is this one."""
    return _LAST_BLOCK + struct.pack("<II", last.crc & 0xFFFFFFFF, last.nbytes & 0xFFFFFFFF)
