"""How a process hands out memory and looks for garbage, where it is there for programs on the engine alone."""

from __future__ import annotations

import contextlib
import ctypes
import gc

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""The names of mallopt()'s options."""

KEPT = 64 << 20
"""Free bytes at the end of the heap that are kept."""

YOUNG_OBJECTS = 50_000
"""Objects that come into being before the youngest ones are searched for garbage."""

LARGEST = 32 << 20
"""Bytes from which on memory is mapped for one array alone; malloc takes no larger number."""


def keep_memory() -> None:
    """Set up the whole process for programs on the engine: keep what is freed, and look for garbage less often.

    A page from the kernel costs more than the arithmetic on it, so what a step freed is used again by the next one
    while it is still mapped; without glibc that part is left out.  A growing graph is all live objects: scanning it
    every 700 allocations would double the cost of an op.
    """
    gc.set_threshold(max(gc.get_threshold()[0], YOUNG_OBJECTS), 20, 100)
    set_options({TRIM_THRESHOLD: KEPT, MMAP_THRESHOLD: LARGEST})


def set_options(options: dict[int, int]) -> None:
    """Set options of mallopt() by their names; without glibc nothing happens."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        for name, value in options.items():
            mallopt(name, value)
