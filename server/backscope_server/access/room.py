"""Bounds the memory that the server holds for clients, in all and by address; a client waits for room or is refused."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator

_SHARE = 4
"""One address may have this fraction of the room: a quarter."""


class Room:
    """Shares `nbytes` bytes among addresses, at most a quarter for one; waiting addresses take turns.

    While nothing is held, any number of bytes fits, so one piece may be larger than the whole room.
    """

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self._held: Counter[str] = Counter()
        self._total = 0
        self._waiting: dict[str, deque[tuple[int, asyncio.Future[None]]]] = {}

    @property
    def held_nbytes(self) -> int:
        """The bytes that are held."""
        return self._total

    def take(self, address: str, nbytes: int) -> bool:
        """Take so many bytes for an address; return False, and take nothing, if they do not fit."""
        own = self._held[address]
        if (own and own + nbytes > self.nbytes // _SHARE) or (self._total and self._total + nbytes > self.nbytes):
            return False
        self._held[address] += nbytes
        self._total += nbytes
        return True

    def give(self, address: str, nbytes: int) -> None:
        """Return so many bytes."""
        self._held[address] -= nbytes
        self._total -= nbytes
        if not self._held[address]:
            del self._held[address]
        self._advance()

    async def wait(self, address: str, nbytes: int) -> None:
        """Wait until so many bytes fit, and take them."""
        if address not in self._waiting and self.take(address, nbytes):
            return
        fits = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append((nbytes, fits))
        try:
            await fits
        except asyncio.CancelledError:
            if not fits.cancelled():
                self.give(address, nbytes)
            else:
                self._advance()
            raise

    @contextlib.asynccontextmanager
    async def held(self, address: str, nbytes: int) -> AsyncIterator[None]:
        """Wait until so many bytes fit, and hold them for as long as the context lasts."""
        await self.wait(address, nbytes)
        try:
            yield
        finally:
            self.give(address, nbytes)

    def _advance(self) -> None:
        """Give room to those who wait, one request of each address in turn, as long as the next one fits."""
        served = True
        while served:
            served = False
            for address, waiting in list(self._waiting.items()):
                while waiting and waiting[0][1].done():
                    waiting.popleft()
                if waiting and self.take(address, waiting[0][0]):
                    waiting.popleft()[1].set_result(None)
                    served = True
                    self._waiting[address] = self._waiting.pop(address)  # The others come first now.
                if not waiting:
                    del self._waiting[address]
