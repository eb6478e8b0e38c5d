"""Threads in which a store uses its disk, or a network, while the event loop goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Result = TypeVar("_Result")


class DiskThreads:
    """So many threads for one store alone: a disk that hangs blocks nothing else."""

    def __init__(self, name: str, many: int = 1) -> None:
        self._threads = ThreadPoolExecutor(many, thread_name_prefix=name)

    async def run(self, function: Callable[..., _Result], *arguments: object) -> _Result:
        """Return what a function returns that is called in one of the threads; raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    def close(self) -> None:
        """Start no more calls, and do not wait for those that run."""
        self._threads.shutdown(wait=False, cancel_futures=True)
