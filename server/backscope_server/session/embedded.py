"""The sessions of a server that runs their programs itself, in a pool."""

from __future__ import annotations

from collections.abc import Iterable

from backscope_server.session.past.replays import Replays
from backscope_server.session.pool import Pool
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.session.sessions import Opening, Readiness


class Embedded:
    """Sessions in a pool of this process; the methods are those of Sessions."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    @property
    def counts(self) -> None:
        """None: there are no other processes."""

    @property
    def replays(self) -> Replays:
        """The programs that are run again."""
        return self.pool.replays

    @property
    def readiness(self) -> Readiness:
        """Whether programs start at once."""
        launcher = self.pool.launcher
        layers = {layer.name: layer.works for layer in launcher.layers}
        return Readiness(launcher.ready, launcher.ready, launcher.sandboxed, layers)

    async def known(
        self, program: Program, key: str | None, *, recorded: bool, result: str | None = None
    ) -> Session | None:
        """Return the session that a start would only repeat."""
        if recorded and (session := self.pool.recordings.of(program)) is not None:
            return session
        if key is not None and (session := self.pool.started(key)) is not None:
            return session
        session = None if result is None else self.pool.result(result)
        if session is not None:
            session.holders += 1
        return session

    async def start(
        self,
        program: Program,
        address: str = "",
        *,
        key: str | None = None,
        opening: Opening = (),
        result: str | None = None,
    ) -> Session:
        """Start a program for an address, or queue it.

        Raises: PoolFull, TooManyPrograms.
        """
        session = self.pool.start(program, address, key=key, result=result)
        if not session.opened:  # The same key may come again.
            session.opened = True
            for command, reply in opening:  # Without waiting before, so that the program has them when it begins.
                session.command(command, reply)
        return session

    def find(self, identity: str) -> Session | None:
        """Return the session with this id, None if there is none in memory."""
        return self.pool.find(identity)

    async def open(self, identity: str) -> Session | None:
        """Return the session with this id, from memory or from the disk.

        Raises: StorageError.
        """
        return await self.pool.open(identity)

    async def add(self, session: Session, address: str = "", *, is_shared: bool = False) -> None:
        """Keep a finished session, in memory and, unless it is a shared run's, on the disk."""
        self.pool.add(session, address)
        if not is_shared:
            self.pool.keep(session)

    async def remove(self, identity: str) -> bool:
        """Stop a session and remove it, in memory and on the disk."""
        return await self.pool.remove(identity)

    def admit_replay(self, address: str) -> None:
        """Take a place for a program that is run again.

        Raises: PoolFull, TooManyPrograms.
        """
        self.pool.admit_replay(address)

    async def measures(self) -> dict[str, float]:
        """Return numbers about sessions and programs."""
        return self.pool.measures()

    def record(self, programs: Iterable[Program]) -> None:
        """Run these programs now, one after the other."""
        self.pool.record(programs)

    async def stop(self) -> None:
        """End every run because the server stops, and wait until their logs are complete."""
        await self.pool.stop()

    async def close(self) -> None:
        """End every run and the sandbox."""
        await self.pool.close()
