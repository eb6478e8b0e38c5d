"""The reference counts of a value that only one function refers to.

Before Python 3.14 each variable, parameter and argument counts; since then a call may borrow its caller's reference.
"""

from __future__ import annotations

from sys import getrefcount


def _count_of_variable() -> int:
    value = object()
    return getrefcount(value)


def _count_of_parameter(value: object) -> int:
    return getrefcount(value)


def _count_of_argument() -> int:
    value = object()
    return _count_of_parameter(value)


OWN = _count_of_variable()
"""The result of getrefcount(variable) where only this variable refers to the value."""

HANDED = _count_of_argument()
"""The result of getrefcount(parameter) where only the parameter and a variable of the caller refer to the value."""
