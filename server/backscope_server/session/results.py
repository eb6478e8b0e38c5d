"""Answers starts from runs of the same program that are over, or about to be, so that it is run once for many."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import numpy as np

import backscope
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session

LOOK_SECONDS = 1.0
"""How often those who wait for a run look whether somebody debugs it."""
LIMITED = "limit"
"""How a program ends that others need not wait for: one after the other they would wait until that limit."""
CLEAN = ("ok", "error")
"""How a program ends by itself; one that a limit ended may end otherwise another time."""


def digest(program: Program, limits: Limits) -> str:
    """Return a name for everything that decides what a run is: program, seed, limits, and the code that runs it."""
    parts = msgspec.json.encode([program, limits, _engine()])
    return hashlib.sha256(parts).hexdigest()[:32]


def is_clean(session: Session) -> bool:
    """Return whether a session is over, ended by itself, and got no commands."""
    return session.log.complete and session.status in CLEAN and not session.commanded


class Leads:
    """The runs that go on now, by the names of their programs; others who start one of these wait for its end."""

    def __init__(self) -> None:
        self._going: dict[str, asyncio.Future[Session | None]] = {}
        self._watching: set[asyncio.Task[None]] = set()

    async def start(self, name: str, begin: Callable[[], Awaitable[Session]]) -> tuple[Session, bool]:
        """Return the session that `begin` starts, or a finished one of the same program, and whether it is that.

        Raises what `begin` does.
        """
        while (going := self._going.get(name)) is not None:
            found = await asyncio.shield(going)
            if found is not None and is_clean(found):
                return found, True
            if found is not None and found.status == LIMITED:
                return await begin(), False
        self._going[name] = going = asyncio.get_running_loop().create_future()
        try:
            session = await begin()
        except BaseException:
            self._over(name, None)
            raise
        watching = asyncio.create_task(self._watch(name, session), name=f"result {session.id}")
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)
        return session, False

    async def _watch(self, name: str, session: Session) -> None:
        try:
            while await is_going(session):
                pass
        finally:
            self._over(name, session)

    def _over(self, name: str, session: Session | None) -> None:
        """Let those who wait for a run go on; None where it did not begin."""
        self._going.pop(name).set_result(session)


async def is_going(session: Session) -> bool:
    """Wait until a run is over, or a little; return whether it goes on and may still answer other starts."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(session.over(), LOOK_SECONDS)
    return not session.log.complete and not session.commanded


@functools.cache
def _engine() -> list[str]:
    """Return what else a run depends on: the versions, and the text of the engine."""
    found = hashlib.sha256()
    for path in sorted(Path(backscope.__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    return [backscope.__version__, sys.version, np.__version__, found.hexdigest()]
