"""Free memory between used memory: taken before the fork, so that what children write lies together.

A page that a child shares with the zygote is copied when the child writes to it.  New objects go where something was
freed, which is all over the zygote's memory; once these places are taken they go to pages of the child's own.
"""

from __future__ import annotations

import os
import sys

_SMALLEST = 600
"""Bytes from which on an object comes from the C library's heap, whatever its header takes."""
_LARGEST = 1 << 20
_BEYOND = 24 << 20
"""A block that no hole is large enough for, bytes; less than what the C library maps alone."""
_MOST = 64 << 20
"""Bytes to fill; other C libraries put large blocks elsewhere, and there the heap's holes have no end."""


def fill() -> list[bytes]:
    """Return objects that fill the holes while they are kept."""
    return [*_fill_heap(), *_fill_pools()]


def _fill_heap() -> list[bytes]:
    filling: list[bytes] = []
    top, left = id(bytes(_BEYOND)), _MOST
    size = _LARGEST
    while size >= _SMALLEST:
        while left > size and id(found := bytes(size)) < top:
            filling.append(found)
            left -= size
        size = size * 4 // 5
    return filling


def _fill_pools() -> list[bytes]:
    header = sys.getsizeof(b"")
    return [bytes(size - header) for size, count in free_blocks().items() if size > header for _ in range(count)]


def free_blocks() -> dict[int, int]:
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
