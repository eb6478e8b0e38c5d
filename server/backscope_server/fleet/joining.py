"""Puts orders into the line, within limits that hold at all gateways together."""

from __future__ import annotations

from typing import Any

from backscope_server.fleet.connection import LOST, UNREACHABLE, Connection, RedisError
from backscope_server.fleet.order import Kind, Order, encode
from backscope_server.fleet.pressure import Pressure
from backscope_server.fleet.workforce import Workforce
from backscope_server.session.sessions import PoolFull, TooManyPrograms


class Joining:
    """Where programs of a gateway join the line of the fleet."""

    def __init__(self, connection: Connection, pressure: Pressure, workforce: Workforce) -> None:
        self._connection = connection
        self._pressure = pressure
        self._workforce = workforce

    async def join(
        self,
        identity: str,
        order: Order,
        opening: list[tuple[int, bytes, Kind]],
        reader: str,
        address: str,
        key: str | None,
    ) -> tuple[str, str]:
        """Put an order into the line; return what is to be done, and the id of the run.

        That is another one, "known", for a key that was used before, and where the same program runs or has a result,
        which "leads".

        Raises: PoolFull, TooManyPrograms.
        """
        self._pressure.admit()
        settings, keys = self._connection.settings, self._connection.keys
        where = [
            *keys.line,
            keys.run(identity),
            keys.commands(identity),
            keys.address(address) if address else "",
            keys.started(key) if key is not None else "",
            *(("", "") if order.result is None else (keys.leading(order.result), keys.result(order.result))),
        ]
        # Runs for values of the past do not wait with those of their address.
        most_of_address = settings.address_programs + (0 if order.passing else settings.address_waiting)
        kept = settings.fleet_kept_milliseconds
        most = settings.waiting + self._workforce.places
        given: list[Any] = [keys.prefix, keys.line_changed, identity, encode(order), reader, kept, address]
        given += [most, most_of_address, int(order.passing)]
        for one in opening:
            given += one
        try:
            said, *rest = await self._connection.scripts.start(where, given)
        except (*LOST, RedisError):
            raise PoolFull(UNREACHABLE) from None
        if said == b"full":
            running, waiting = (int(number) for number in rest)
            many = "a program is running" if running == 1 else f"{running} programs are running"
            raise PoolFull(f"The server is busy: {many} and {waiting} wait in line. Try again in a minute.")
        if said == b"many":
            raise TooManyPrograms(
                f"This server has {most_of_address} programs of one network address run or wait, and as many of yours "
                "do already, perhaps in another tab. Stop one, or wait until one ends."
            )
        return said.decode(), rest[0].decode()
