"""The addresses that nodes seem to have: counted, so that what a program prints is the same in every run."""

from __future__ import annotations

import itertools

FIRST = 0x7F5AC0400000
STEP = 0x50


class _Addresses:
    """Gives an address at each call of `next`; `restart` begins again."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Begin with the first address again."""
        self.next = itertools.count(FIRST, STEP).__next__


addresses = _Addresses()
