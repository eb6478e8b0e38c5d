"""Fills the free blocks in the zygote's memory before it forks, so that children copy fewer of its pages.

A page that a child shares with the zygote is copied when the child writes to it.  The allocators put new objects into
free blocks, which are scattered over the zygote's pages; with these filled, new objects go to pages of the child's own.
"""

from __future__ import annotations

import os
import sys

_SMALLEST = 600
"""The smallest object that comes from the C library's heap, bytes, with any header."""
_LARGEST = 1 << 20
_TOP_BYTES = 24 << 20
"""The size of a block that is put at the heap's end, bytes; below the size that the C library maps by itself."""
_MOST = 64 << 20
"""The most bytes to fill: where the C library puts large blocks elsewhere, the search for free blocks would not end."""


def fill_free_blocks() -> list[bytes]:
    """Return objects that occupy the free blocks for as long as the caller keeps them."""
    return [*_fill_heap(), *_fill_pools()]


def _fill_heap() -> list[bytes]:
    filling: list[bytes] = []
    top, left = id(bytes(_TOP_BYTES)), _MOST
    size = _LARGEST
    while size >= _SMALLEST:
        while left > size and id(found := bytes(size)) < top:
            filling.append(found)
            left -= size
        size = size * 4 // 5
    return filling


def _fill_pools() -> list[bytes]:
    header = sys.getsizeof(b"")
    return [bytes(size - header) for size, count in count_free_blocks().items() if size > header for _ in range(count)]


def count_free_blocks() -> dict[int, int]:
    """Count the free blocks by size in bytes, in pools that the interpreter uses.

    Source: the table of sys._debugmallocstats(), which goes to descriptor 2.
    """
    table, end = os.pipe()
    stderr = os.dup(2)
    os.dup2(end, 2)
    try:
        sys._debugmallocstats()
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(end)
    with open(table, encoding="ascii", errors="replace") as lines:
        rows = [line.split() for line in lines]
    return {int(row[1]): int(row[4]) for row in rows if len(row) == 5 and all(word.isdecimal() for word in row)}
