"""Layer: closes all descriptors of a child but four: its three pipes and /dev/null."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec

WATCHABLE = find_spec("fcntl") is not None
"""True where an event loop can wait for pipes; on Windows they can only be read."""
CONTROL = 3
"""The pipe that the child reads its job from."""
EVENTS = 4
"""The pipe that the child writes its events to."""
DIAGNOSTICS = 2
"""Standard error is a pipe that the server reads after a crash; the program's own prints travel as events."""
_HIGHEST = 1 << 30 if sys.platform == "linux" else 1 << 8
"""Linux closes a range at once, other systems one descriptor after the other."""
NULL = 63
"""The descriptor of /dev/null in a zygote."""
OPEN_FILES = 5
"""The limit on open files: a child has descriptors 0 to 4."""


def open_null() -> None:
    """Open /dev/null at NULL, for `keep`: after the lock-down no file can be opened."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, NULL)
    os.close(null)


def keep(control: int, events: int, diagnostics: int) -> None:
    """Move the pipes to their fixed numbers, put /dev/null at standard input and output, and close the rest."""
    given = (NULL, NULL, diagnostics, control, events)
    # Move all pipes first, since one may have the number that another one gets.
    first = max(*given, OPEN_FILES) + 1
    high = [os.dup2(fd, first + i) for i, fd in enumerate(given)]
    for target, fd in enumerate(high):
        os.dup2(fd, target)
    os.closerange(OPEN_FILES, _HIGHEST)
    # A program that floods standard error must not block on it: the server reads only after it has ended.
    with contextlib.suppress(OSError, AttributeError):  # Windows can from Python 3.12 on.
        os.set_blocking(DIAGNOSTICS, False)


def writer(descriptor: int) -> Callable[[bytes], None]:
    """Return a function that writes all it is given to a descriptor, one piece after the other.

    It may be called from a signal handler, also from one that interrupts it.  Output that an exception interrupts, such
    as a MemoryError, is continued by the next call.

    Raises: OSError; what waits is discarded then.
    """
    write_some = os.write  # Bound here: the program may well replace it, on purpose or not.
    waiting: list[tuple[memoryview, list[int]]] = []
    """The pieces, each with the lengths of its parts that are written."""
    writing = False

    def write(data: bytes) -> None:
        nonlocal writing
        waiting.append((memoryview(data), []))
        # Once more where a handler added something just before `writing` was taken back.
        while waiting and not writing:
            writing = True
            try:
                while waiting:
                    piece, parts = waiting[0]
                    while (written := sum(parts)) < len(piece):
                        # In one call: a handler that raises must not come between writing and noting it.
                        parts.extend(map(write_some, (descriptor,), (piece[written:],)))
                    del waiting[0]
            except OSError:
                waiting.clear()
                raise
            finally:
                writing = False

    return write
