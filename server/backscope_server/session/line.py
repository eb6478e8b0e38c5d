"""The queue of programs that wait for a place: first come, first served, one of each address in turn."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

_Waiting = TypeVar("_Waiting")


class Line(Generic[_Waiting]):
    """Each address has its own order; the addresses take turns, and none has more than `most` places at once.

    Whoever joins is given a round: the one that is being served, or the one after the last of the same address. So an
    address with many in line delays others by one place in each round, and a place in line only ever gets better
    by those in front, or worse by those whose turn comes first.  Behind all of them are those whose address has as many
    places as it may: they wait for one of its own.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._order: list[tuple[int, int, _Waiting]] = []
        self._round = 0
        self._last: dict[str, int] = {}
        self._arrivals = itertools.count()
        self._addresses: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._order)

    def of(self, address: str) -> int:
        """How many of an address wait."""
        return list(self._addresses.values()).count(address)

    def addresses(self) -> set[str]:
        """Where those come from who wait."""
        return set(self._addresses.values())

    def may(self, address: str, places: Mapping[str, int]) -> bool:
        """Whether an address may have one more place than those that it has."""
        return self._most is None or places.get(address, 0) < self._most

    def join(self, waiting: _Waiting, address: str) -> None:
        """Take a place in line."""
        turn = max(self._round, self._last.get(address, -1) + 1)
        arrival = next(self._arrivals)
        self._last[address] = turn
        self._addresses[arrival] = address
        self._order.append((turn, arrival, waiting))
        self._order.sort(key=lambda entry: entry[:2])

    def leave(self, waiting: _Waiting) -> None:
        """Give up the place in line, where there is one."""
        for index, (_, arrival, other) in enumerate(self._order):
            if other is waiting:
                del self._order[index]
                self._forget(arrival)
                return

    def order(self, places: Mapping[str, int]) -> Iterator[_Waiting]:
        """Those who wait, the next one first, where the addresses have so many `places`."""
        taken = Counter(places)
        behind: list[_Waiting] = []
        for _, arrival, waiting in self._order:
            address = self._addresses[arrival]
            if self.may(address, taken):
                taken[address] += 1
                yield waiting
            else:
                behind.append(waiting)
        yield from behind

    def next(self, places: Mapping[str, int]) -> _Waiting | None:
        """Take out whose turn it is, where the addresses have so many `places`; None where nobody may have one."""
        for index, (turn, arrival, waiting) in enumerate(self._order):
            if self.may(self._addresses[arrival], places):
                # Who was passed over still has a turn of the round that is being served.
                self._round = max(self._round, turn)
                del self._order[index]
                self._forget(arrival)
                return waiting
        return None

    def _forget(self, arrival: int) -> None:
        address = self._addresses.pop(arrival)
        # An address that has nobody in line joins the round that is being served.
        if address not in self._addresses.values():
            del self._last[address]
