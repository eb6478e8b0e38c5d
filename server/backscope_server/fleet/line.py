"""The line of runs that no worker has taken yet: who is where in it, and which paused programs give way to it."""

from __future__ import annotations

from typing import NamedTuple

from backscope_server.fleet.connection import Connection
from backscope_server.session.start_queue import giving_way, in_order

_MOST = 1000
"""The runs of the line, and the paused ones, that are looked at; those behind them get no place."""


class Line(NamedTuple):
    """Runs that wait, in the order of their turns, and paused ones, the longest first: their ids and addresses.

    `places` are those that each of the addresses has, and `length` is that of the whole line.
    """

    waiting: list[tuple[str, str]]
    paused: list[tuple[str, str]]
    places: dict[str, int]
    length: int

    def order(self, most: int) -> dict[str, int]:
        """Return the place of each run, from 1, where no address has more than `most` places of workers."""
        return {one: place for place, (one, _) in enumerate(in_order(self.waiting, self.places, most), start=1)}

    def giving_way(self, most: int) -> set[str]:
        """Return the paused runs that give up their places for those that wait."""
        waiting = (address for _, address in in_order(self.waiting, self.places, most))
        return giving_way(waiting, self.paused, self.places, most)


async def look(connection: Connection) -> Line:
    """Return the line as it is; raises the errors of Redis."""
    keys = connection.keys
    waiting, paused, places, length = await connection.scripts.look(keys.line, [keys.prefix, keys.line_changed, _MOST])
    counts = {address.decode(): int(count) for address, count in _pairs(places)}
    return Line(_named(waiting), _named(paused), counts, int(length))


async def abandoned(connection: Connection, milliseconds: int) -> set[str]:
    """Return the runs that no worker has had the lease of for so long; raises the errors of Redis."""
    before = int(await connection.clock.ago(milliseconds / 1000) * 1000)
    found = await connection.redis.zrangebyscore(connection.keys.running, "-inf", before, 0, _MOST)
    return {one.decode() for one in found}


def _pairs(flat: list[bytes]) -> list[tuple[bytes, bytes]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def _named(flat: list[bytes]) -> list[tuple[str, str]]:
    return [(one.decode(), address.decode()) for one, address in _pairs(flat)]
