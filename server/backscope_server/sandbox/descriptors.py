"""Layer: a child keeps four descriptors and nothing else that its parent had open."""

from __future__ import annotations

import os

CONTROL = 3
"""The pipe that the child reads its job from."""
EVENTS = 4
"""The pipe that the child writes its events to."""
DIAGNOSTICS = 2
"""Standard error is a pipe that the server reads after a crash; the program's own prints travel as events."""
OPEN_FILES = 5
"""Descriptors 0 to 4 are all there will ever be."""


def keep(control: int, events: int, diagnostics: int) -> None:
    """Put the pipes at their fixed numbers, /dev/null at standard input and output, and close the rest."""
    null = os.open("/dev/null", os.O_RDWR)
    # Out of the way first: a pipe may by chance have the number that another one is to get.
    high = [os.dup2(fd, 64 + i) for i, fd in enumerate((null, null, diagnostics, control, events))]
    for target, fd in enumerate(high):
        os.dup2(fd, target)
    # close_range without a loop over the open-file limit; os.closerange uses it.
    os.closerange(OPEN_FILES, 1 << 30)
    # A program that floods standard error must not block on it: nobody reads until it has died.
    os.set_blocking(DIAGNOSTICS, False)
