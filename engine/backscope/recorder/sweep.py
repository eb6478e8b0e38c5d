"""Removes entries of tensors and storages that no longer exist from the recorder's dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

FEWEST_SWEPT = 1024
"""Entries below which none are removed."""


class Sweep:
    """Removes the entries of what no longer exists from some dictionaries, each time their number has doubled.

    The numbers of tensors or storages are the keys of each dictionary in `by_number`, and the values of `by_name`.
    `live` returns the numbers that still exist, or None while they cannot be found.
    """

    __slots__ = ("_by_name", "_by_number", "_counted", "_live", "_most")

    def __init__(
        self,
        live: Callable[[], set[int] | None],
        by_number: Sequence[dict[int, Any]],
        by_name: dict[str, int] | None = None,
    ) -> None:
        self._live = live
        self._by_number = by_number
        self._by_name = {} if by_name is None else by_name
        self._counted = by_number[0]
        """The first dictionary, which has every number that the others have as keys."""
        self._most = FEWEST_SWEPT

    def run_if_due(self) -> None:
        """Remove entries if there are at least twice as many as the last sweep left, and as many as numbers exist."""
        if len(self._counted) + len(self._by_name) < self._most or (live := self._live()) is None:
            return
        for entries in self._by_number:
            for number in [number for number in entries if number not in live]:
                del entries[number]
        for name in [name for name, number in self._by_name.items() if number not in live]:
            del self._by_name[name]
        self._most = max(FEWEST_SWEPT, 2 * (len(self._counted) + len(self._by_name)), len(live))
