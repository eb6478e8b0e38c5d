"""How many references Python counts to a value that a function alone holds.

Before Python 3.14 each variable, parameter and argument counts; since then a call may borrow what its caller holds.
"""

from __future__ import annotations

from sys import getrefcount


def _asked_here() -> int:
    value = object()
    return getrefcount(value)


def _asked_there(value: object) -> int:
    return getrefcount(value)


def _handed_on() -> int:
    value = object()
    return _asked_there(value)


OWN = _asked_here()
"""What getrefcount() gives for a value that only the variable has which it is asked about."""

HANDED = _handed_on()
"""What it gives for a parameter of which only a variable of the caller has the value."""
