"""How the C library hands out memory: what a step freed is used again by the next one, while it is still mapped."""

from __future__ import annotations

import contextlib
import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""The names of mallopt()'s options."""

KEPT = 64 << 20
"""Free bytes at the end of the heap that are kept."""

LARGEST = 32 << 20
"""Bytes from which on memory is mapped for one array alone; malloc takes no larger number."""


def keep_memory() -> None:
    """Keep what is freed for the whole process: a page from the kernel costs more than the arithmetic on it.

    Without glibc nothing happens.
    """
    set_options({TRIM_THRESHOLD: KEPT, MMAP_THRESHOLD: LARGEST})


def set_options(options: dict[int, int]) -> None:
    """Set options of mallopt() by their names; without glibc nothing happens."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        for name, value in options.items():
            mallopt(name, value)
