"""The interface of a store of finished runs, which outlive the server there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from backscope_server.session.session import Session


class Store(Protocol):
    """The methods of a store of finished runs that a pool calls."""

    def start(self) -> None:
        """Begin to look after what is kept."""

    def keep(self, session: Session, stored: Callable[[], None]) -> None:
        """Keep a session once it is over, and call `stored` when it is kept."""

    async def open(self, identity: str, *, events: int, nbytes: int) -> Session | None:
        """A run that is kept, or None; one of more events or bytes than these is refused."""

    async def remove(self, identity: str) -> bool:
        """Remove a run; False where none of that name is kept."""

    async def close(self) -> None:
        """Write what has not been written."""
