"""The queue of programs that wait to be started: the addresses take turns, each with its own programs in order."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

_Waiting = TypeVar("_Waiting")


class StartQueue(Generic[_Waiting]):
    """A round-robin queue by address; no address has more than `most` programs running at once.

    A run that joins is put into a round: the one that is being served, or the one after the last of the same address.
    So an address with many runs in the queue delays others by one place in each round.  Runs of addresses that have
    `most` programs running come last: they wait until one of their own address ends.
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

    def count_of(self, address: str) -> int:
        """Return the number of waiting runs of an address."""
        return list(self._addresses.values()).count(address)

    def addresses(self) -> set[str]:
        """Return the addresses of the waiting runs."""
        return set(self._addresses.values())

    def allows(self, address: str, places: Mapping[str, int]) -> bool:
        """Return whether an address may have one more place."""
        return self._most is None or places.get(address, 0) < self._most

    def join(self, waiting: _Waiting, address: str) -> None:
        """Append a run."""
        turn = max(self._round, self._last.get(address, -1) + 1)
        arrival = next(self._arrivals)
        self._last[address] = turn
        self._addresses[arrival] = address
        self._order.append((turn, arrival, waiting))
        self._order.sort(key=lambda entry: entry[:2])

    def leave(self, waiting: _Waiting) -> None:
        """Remove a run, if it is in the queue."""
        for index, (_, arrival, other) in enumerate(self._order):
            if other is waiting:
                del self._order[index]
                self._forget(arrival)
                return

    def order(self, places: Mapping[str, int]) -> Iterator[_Waiting]:
        """Yield the waiting runs in the order in which they start, given the `places` that each address has."""
        taken = Counter(places)
        behind: list[_Waiting] = []
        for _, arrival, waiting in self._order:
            address = self._addresses[arrival]
            if self.allows(address, taken):
                taken[address] += 1
                yield waiting
            else:
                behind.append(waiting)
        yield from behind

    def next(self, places: Mapping[str, int]) -> _Waiting | None:
        """Remove and return the next run, given the `places` that each address has; None where none may start."""
        for index, (turn, arrival, waiting) in enumerate(self._order):
            if self.allows(self._addresses[arrival], places):
                # A run that was passed over keeps its turn in the round that is being served.
                self._round = max(self._round, turn)
                del self._order[index]
                self._forget(arrival)
                return waiting
        return None

    def _forget(self, arrival: int) -> None:
        address = self._addresses.pop(arrival)
        # An address with no run in line joins the round that is being served.
        if address not in self._addresses.values():
            del self._last[address]
