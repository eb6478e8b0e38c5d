"""The interface of a store of finished runs, which keeps them over restarts of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from backscope_server.session.session import Session


class Store(Protocol):
    """The methods of a store of finished runs that a pool calls."""

    def start(self) -> None:
        """Start the store, and recover runs of earlier servers."""

    def keep(self, session: Session, stored: Callable[[], None]) -> None:
        """Write a session once it is over, and call `stored` when it is written."""

    async def open(self, identity: str, *, events: int, nbytes: int) -> Session | None:
        """Return a stored run, or None; one with more events or bytes than these is refused."""

    async def remove(self, identity: str) -> bool:
        """Remove a run; return False if there is none with this id."""

    async def close(self) -> None:
        """Write what has not been written."""
