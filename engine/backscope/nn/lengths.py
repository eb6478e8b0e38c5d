"""Lengths of several dims as modules take them: one number for all, or one for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def each(value: Any, count: int) -> Any:
    """A number `count` times, or what is iterable as a tuple."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def reversed_pairs(lengths: Any) -> tuple[int, ...]:
    """Lengths as `pad` takes them: the last dim first, each for both ends."""
    return tuple([n for n in reversed(lengths) for _ in range(2)])
