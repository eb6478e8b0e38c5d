"""The queue of programs that wait to be started: the addresses take turns, each with its own programs in order."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

_Waiting = TypeVar("_Waiting")
_Paused = TypeVar("_Paused")


def in_order(
    waiting: Iterable[tuple[_Waiting, str]], places: Mapping[str, int], most: int | None
) -> Iterator[tuple[_Waiting, str]]:
    """Yield runs that wait and their addresses, given in the order of their turns, in the order in which they start.

    No address gets more than `most` places; `places` are those that each has.  Runs without a place to come are last.
    """
    taken = Counter(places)
    behind: list[tuple[_Waiting, str]] = []
    for one in waiting:
        if most is None or taken[one[1]] < most:
            taken[one[1]] += 1
            yield one
        else:
            behind.append(one)
    yield from behind


def giving_way(
    waiting: Iterable[str], paused: Sequence[tuple[_Paused, str]], places: Mapping[str, int], most: int | None
) -> set[_Paused]:
    """Return which paused programs give up their places: as many as others wait for one, those paused longest first.

    `waiting` are the addresses of the runs in line, and `paused` the programs, each with its address.  A run of an
    address that has all its places waits for a paused program of that address.
    """
    wanted: set[_Paused] = set()
    for address in waiting:
        of_anybody = most is None or places.get(address, 0) < most
        found = (one for one, owner in paused if one not in wanted and (of_anybody or owner == address))
        if (first := next(found, None)) is not None:
            wanted.add(first)
    return wanted


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
        waiting = ((one, self._addresses[arrival]) for _, arrival, one in self._order)
        for one, _ in in_order(waiting, places, self._most):
            yield one

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
