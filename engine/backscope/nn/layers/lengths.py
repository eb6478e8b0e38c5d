"""Lengths of several dims as arguments of modules: one number for all, or one for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from backscope.runtime.given import Shape, Value, Values


def each(value: Value, count: int) -> tuple[Value, ...]:
    """Return a number `count` times, or an iterable as a tuple."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def tuples_of(count: int, name: str = "parse") -> Callable[[Any], Any]:
    """Return a function that makes a tuple of `count` numbers out of one number or an iterable."""
    parse = partial(each, count=count)
    parse.__name__ = name  # type: ignore[attr-defined]
    return parse


single, pair, triple, quadruple = (
    tuples_of(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
)


def repeated_backwards(lengths: Sequence[Any], count: int) -> tuple[Any, ...]:
    """The last length first, each `count` times."""
    return tuple([n for n in reversed(lengths) for _ in range(count)])


def reversed_pairs(lengths: Values) -> tuple[int, ...]:
    """Return lengths in the order of `pad`: the last dim first, each for both ends."""
    return repeated_backwards(lengths, 2)


def with_defaults(lengths: Values, defaults: Sequence[int]) -> Shape:
    """Replace None by the lengths of the last dims; ValueError for more lengths than dims."""
    if isinstance(lengths, int):
        return lengths
    if len(defaults) <= len(lengths):
        raise ValueError(f"Input dimension should be at least {len(lengths) + 1}")
    return [d if v is None else v for v, d in zip(lengths, defaults[-len(lengths) :], strict=False)]
