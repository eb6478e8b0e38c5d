"""Runs slow parts of requests in threads; the addresses take turns."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from backscope_server.errors import Problem

_THREADS = 2
"""The number of threads; an address uses one at most, so that one is left for the others."""
_SWITCH_SECONDS = 0.001
"""The time for which a thread keeps the interpreter while another one waits for it; Python's default is 0.005."""
_YIELD_SECONDS = 0.002
_WAITING = 50
_WAITING_OF_ADDRESS = 10
_BUSY_SECONDS = 5
_MOST_ADDRESSES = 1000

_Result = TypeVar("_Result")


class Work:
    """Runs one piece of work of each address at a time; next is the address that has used the least thread time.

    A new address comes before all that have been served, however long these have waited.
    """

    def __init__(self) -> None:
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="work")
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._pieces: Counter[str] = Counter()
        """The number of functions of each address, those that are running included."""
        self._count = 0
        """The number of functions of all addresses."""
        self._busy: set[str] = set()
        self._had: dict[str, float] = {}
        """The seconds of the threads that each address has used; a new address starts with those of the next one."""
        self._least = 0.0
        self._closed = False

    async def do(
        self, address: str, function: Callable[..., _Result], *arguments: object, begun: bool = False
    ) -> _Result:
        """Call a function in a thread when the turn of the address comes, and return its result.

        `begun` is True for the continuation of work that was admitted before.

        Raises: Problem 429, 503 where too much waits; what the function does.
        """
        if self._closed:
            raise Problem(503, "The server is stopping. Ask again when it is back.", retry_after=_BUSY_SECONDS)
        if not begun:
            self._check(address)
        self._pieces[address] += 1
        self._count += 1
        try:
            await self._turn(address)
            began = time.perf_counter()
            loop = asyncio.get_running_loop()
            try:
                job = self._threads.submit(function, *arguments)
            except RuntimeError:
                self._done(address, 0)
                if self._closed:
                    raise asyncio.CancelledError from None
                raise

            def over(_job: object) -> None:
                with contextlib.suppress(RuntimeError):  # The event loop is closed.
                    loop.call_soon_threadsafe(self._done, address, time.perf_counter() - began)

            job.add_done_callback(over)
            return await asyncio.wrap_future(job)
        finally:
            self._pieces[address] -= 1
            self._count -= 1
            if not self._pieces[address]:
                del self._pieces[address]

    def yield_thread(self) -> None:
        """Sleep for a moment, within long work, if other work waits, so that the event loop and programs run."""
        if self._count > 1:
            time.sleep(_YIELD_SECONDS)

    def close(self) -> None:
        """Start no more work."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _check(self, address: str) -> None:
        if self._pieces[address] >= _WAITING_OF_ADDRESS:
            raise Problem(
                429,
                f"{_WAITING_OF_ADDRESS} requests of your network address wait for their answers. Ask again in a "
                "moment.",
                retry_after=_BUSY_SECONDS,
            )
        if self._count >= _WAITING:
            raise Problem(
                503, "Too many requests wait for their answers. Ask again in a moment.", retry_after=_BUSY_SECONDS
            )

    async def _turn(self, address: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        self._advance()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._advance()
            else:  # Its turn came at the same moment.
                self._done(address, 0)
            raise

    def _advance(self) -> None:
        """Start the work of the addresses that are next, as long as threads are free."""
        while len(self._busy) < _THREADS:
            for address, turns in list(self._waiting.items()):
                while turns and turns[0].done():
                    turns.popleft()
                if not turns:
                    del self._waiting[address]
            ready = [address for address in self._waiting if address not in self._busy]
            if not ready:
                return
            address = min(ready, key=lambda address: max(self._least, self._had.get(address, 0)))
            self._least = max(self._least, self._had.get(address, 0))
            self._busy.add(address)
            self._waiting[address].popleft().set_result(None)

    def _done(self, address: str, seconds: float) -> None:
        self._busy.discard(address)
        self._had[address] = max(self._least, self._had.get(address, 0)) + seconds
        if len(self._had) > _MOST_ADDRESSES:
            kept = sorted(self._had.items(), key=lambda pair: pair[1])[-_MOST_ADDRESSES // 2 :]
            self._had = dict(kept)
            self._least = max(self._least, kept[0][1])
        self._advance()
