"""Counts in Redis what addresses do at all gateways: requests and starts in a minute, WebSockets that are open."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterable

from backscope_server.fleet.connection import LOST, Connection, RedisError
from backscope_server.fleet.pressure import Pressure

_MINUTE_MILLISECONDS = 60_000
_SOCKETS_MILLISECONDS = 8000
"""The time for which the sockets of a gateway count after it wrote last how many it has: it may have been killed."""
_ANSWER_SECONDS = 1.0
"""The longest that a request waits for Redis; then only this gateway's own limits hold."""
_AT_ONCE = 500
"""The addresses that are written at once."""


class AddressCounts:
    """Counts for this gateway; where Redis does not answer, nothing is refused."""

    def __init__(self, connection: Connection, pressure: Pressure) -> None:
        self._connection = connection
        self._pressure = pressure
        self._gateway = secrets.token_urlsafe(6)
        self._sockets: Counter[str] = Counter()
        self._writes = 0
        self._closed: set[str] = set()
        """The addresses of sockets that have been closed since that was last written."""
        self._writing: asyncio.Task[None] | None = None

    async def request(self, address: str) -> float:
        """Count a request of an address; return 0, or after how many seconds there may be one more."""
        settings, keys = self._connection.settings, self._connection.keys
        return await self._rate(keys.requests(address), 1, settings.address_requests)

    async def start(self, address: str, many: int) -> float:
        """Count starts of programs; return 0, or after how many seconds there may be more."""
        most = self._connection.settings.address_starts
        return await self._rate(self._connection.keys.starts(address), min(many, most), most)

    async def open_socket(self, address: str) -> tuple[float, bool]:
        """Count a request and the WebSocket that it opens.

        Return what `request` does, and whether there may be such a socket; it counts, until `close_socket`, if so.
        """
        settings, keys = self._connection.settings, self._connection.keys
        self._sockets[address] += 1
        self._writes += 1
        given = [settings.address_requests, _MINUTE_MILLISECONDS, self._gateway, self._writes, self._sockets[address]]
        given += [settings.address_sockets, _SOCKETS_MILLISECONDS]
        wait, fits = 0, True
        try:
            if self._pressure.answers:
                async with asyncio.timeout(_ANSWER_SECONDS):
                    where = [keys.requests(address), keys.sockets(address)]
                    wait, fits = await self._connection.scripts.open_socket(where, given)
        except (*LOST, RedisError, TimeoutError):
            pass
        except asyncio.CancelledError:
            self.close_socket(address)
            raise
        if wait or not fits:
            self._count_closed(address)
        return wait / 1000, bool(fits)

    def close_socket(self, address: str) -> None:
        """Count one WebSocket less."""
        if address not in self._sockets:  # The gateway is closed.
            return
        self._count_closed(address)
        self._closed.add(address)
        if self._writing is None or self._writing.done():
            self._writing = self._connection.begin(self._write_closed(), "closed sockets")

    async def renew(self) -> None:
        """Write again how many WebSockets this gateway has of each address.

        Raises: the errors of Redis.
        """
        await self._write(list(self._sockets))

    async def close(self) -> None:
        """Count none of this gateway's WebSockets any more."""
        addresses, self._sockets = list(self._sockets), Counter()
        try:
            await self._write(addresses)
        except (*LOST, RedisError):
            pass  # They are forgotten soon.

    async def _rate(self, key: str, cost: int, most: int) -> float:
        if not self._pressure.answers:
            return 0.0
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                given = [cost, most, _MINUTE_MILLISECONDS]
                return int(await self._connection.scripts.rate([key], given)) / 1000
        except (*LOST, RedisError, TimeoutError):
            return 0.0

    def _count_closed(self, address: str) -> None:
        self._sockets[address] -= 1
        if self._sockets[address] <= 0:
            del self._sockets[address]

    async def _write_closed(self) -> None:
        while self._closed:
            closed, self._closed = self._closed, set()
            try:
                await self._write(closed)
            except (*LOST, RedisError):
                pass  # The next renewal writes it, or nothing does and it is forgotten.

    async def _write(self, addresses: Iterable[str]) -> None:
        named = list(addresses)
        for begin in range(0, len(named), _AT_ONCE):
            some = named[begin : begin + _AT_ONCE]
            self._writes += 1
            where = [self._connection.keys.sockets(address) for address in some]
            many = [self._sockets[address] for address in some]
            await self._connection.scripts.sockets(where, [self._gateway, self._writes, _SOCKETS_MILLISECONDS, *many])
