"""The sessions of a gateway: it serves every session of the fleet, and runs nothing itself."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Iterable

from backscope_server.fleet import finished_log
from backscope_server.fleet.address_counts import AddressCounts
from backscope_server.fleet.connection import LOST, UNREACHABLE, Connection, RedisError
from backscope_server.fleet.joining import Joining
from backscope_server.fleet.keys import is_identity
from backscope_server.fleet.line_notices import LineNotices
from backscope_server.fleet.mirror import Mirror
from backscope_server.fleet.mirrors import Mirrors
from backscope_server.fleet.order import Kind, Order
from backscope_server.fleet.pressure import Pressure
from backscope_server.fleet.programs import RemotePrograms
from backscope_server.fleet.readers import Readers
from backscope_server.fleet.remote_run import RemoteRun, State
from backscope_server.fleet.stored_bytes import stored_bytes
from backscope_server.fleet.tasks import end
from backscope_server.fleet.wakeups import Wakeups
from backscope_server.fleet.workforce import Workforce
from backscope_server.session.ending import unwatched
from backscope_server.session.past.replays import Replays
from backscope_server.session.program import Program
from backscope_server.session.results import LIMITED, digest, is_going
from backscope_server.session.session import Session
from backscope_server.session.sessions import Opening, PoolFull, Readiness, TooManyPrograms, many_starts
from backscope_server.settings import Settings

_HEARTBEAT_SECONDS = 2.0
"""The time after which a gateway writes again which runs have readers."""
_GONE_SECONDS = 30.0
"""The time for which a mirror without a reader is kept up to date."""
_REMOVE_SECONDS = 10.0


class Gateway:
    """Sessions in a fleet; the methods are those of Sessions.  `removed` is called with each mirror that is dropped."""

    def __init__(self, settings: Settings, removed: Callable[[Session], None] = lambda _session: None) -> None:
        self._settings = settings
        self._connection = Connection(settings)
        self._wakeups = Wakeups(self._connection)
        self._pressure = Pressure(self._connection)
        self.counts = AddressCounts(self._connection, self._pressure)
        self._removed = removed
        self._mirrors = Mirrors(
            settings.kept, settings.kept_bytes, busy=lambda mirror: self._replays.busy(mirror), dropped=self._forget
        )
        self._readers = Readers(self._connection)
        self._tasks: list[asyncio.Task[None]] = []
        self._workforce = Workforce(self._connection)
        self._joining = Joining(self._connection, self._pressure, self._workforce)
        self.programs = RemotePrograms(self._order, self._remote, self._readers.keep, _identity)
        self._replays = Replays(
            self.programs,
            settings.limits(),
            kept=settings.replays,
            seconds=settings.replay_seconds,
            changed=lambda: None,
            source_bytes=settings.source_bytes,
        )
        self._line_notices = LineNotices(self._connection, self._wakeups, self._mirrors, self._replays, self._workforce)

    async def begin(self) -> None:
        """Join the fleet.

        Raises: FleetError.
        """
        await self._connection.start()
        self._wakeups.start()
        self._pressure.start()
        await self._beat()
        self._tasks = [
            asyncio.create_task(self._run(), name="gateway"),
            asyncio.create_task(self._line_notices.follow(), name="line"),
        ]

    @property
    def replays(self) -> Replays:
        """The programs that are run again, on workers."""
        return self._replays

    @property
    def readiness(self) -> Readiness:
        """Whether there is a worker, and which layers isolate programs on all of them; Redis is what it serves from."""
        force = self._workforce
        return Readiness(force.takes_programs, self._pressure.answers, force.sandboxed, force.layers)

    async def known(
        self, program: Program, key: str | None, *, recorded: bool, result: str | None = None
    ) -> Session | None:
        """Return the session that was started with the same key, or has this result, at whichever gateway."""
        keys = self._connection.keys
        try:
            if key is not None and (found := await self._connection.redis.get(keys.started(key))) is not None:
                return await self.open(found.decode())
            if result is None:
                return None
            found = await self._connection.scripts.hold_result([keys.result(result)], [keys.prefix])
        except (*LOST, RedisError):
            raise PoolFull(UNREACHABLE) from None
        if found is None:
            return None
        mirror = self._mirrors.get(found.decode())
        if mirror is None or not mirror.log.complete:
            return await self.open(found.decode())
        self._mirrors.touch(mirror)
        return mirror

    async def start(
        self,
        program: Program,
        address: str = "",
        *,
        key: str | None = None,
        opening: Opening = (),
        result: str | None = None,
    ) -> Session:
        """Put a program into the queue; it gets the commands of `opening` before it begins.

        Raises: PoolFull, TooManyPrograms.
        """
        settings = self._settings
        while True:
            order = Order(program=program, limits=settings.limits(), timing=settings.timing(), result=result)
            mirror = self._mirror(_identity())
            first = [mirror.opening(command, reply) for command, reply in opening]
            said, identity = await self._joining.join(mirror.id, order, first, mirror.reader, address, key)
            if said != "leads":
                break
            mirror.drop()
            leader = await self.open(identity)
            if leader is None or await is_going(leader):
                continue
            if (known := await self.known(program, None, recorded=True, result=result)) is not None:
                return known
            if leader.status == LIMITED:
                result = None
        if identity != mirror.id:
            mirror.drop()
            found = await self.open(identity)
            if found is None:
                raise PoolFull(UNREACHABLE)
            return found
        self._mirrors.add(mirror)
        mirror.follow()
        return mirror

    def find(self, identity: str) -> Session | None:
        """Return the session with this id, None if there is no mirror of it."""
        return self._mirrors.get(identity)

    async def open(self, identity: str) -> Session | None:
        """Return the session with this id, whichever gateway started it; None if there is none."""
        if not is_identity(identity):
            return None
        keys = self._connection.keys
        try:
            there = await self._connection.redis.hget(keys.run(identity), "status")
        except (*LOST, RedisError):
            there = b""  # What is here can be read all the same.
        mirror = self._mirrors.get(identity)
        if there is None:
            if mirror is not None and mirror.log.complete and mirror.log.last >= 0 and mirror.status == "limit":
                return mirror  # Its end says why there is nothing any more.
            if mirror is not None and not mirror.running:
                self._mirrors.drop(mirror)
            return mirror if mirror is not None and mirror.running else None
        if mirror is None:
            if there == b"":
                raise PoolFull(UNREACHABLE)
            mirror = self._mirror(identity)
            self._mirrors.add(mirror)
            mirror.follow()
            await mirror.known()
        self._mirrors.touch(mirror)
        return mirror

    async def add(self, session: Session, address: str = "", *, is_shared: bool = False) -> None:
        """Keep a finished session in Redis, for all gateways to read.

        Raises: PoolFull.
        """
        self._pressure.admit()
        try:
            await finished_log.write(self._connection, session)
        except (*LOST, RedisError):
            raise PoolFull(UNREACHABLE) from None

    async def remove(self, identity: str) -> bool:
        """Stop a session and remove it everywhere; False where there is none."""
        session = await self.open(identity)
        if session is None:
            return False
        if int(await self._connection.scripts.hold([self._connection.keys.run(identity)], [-1])) > 0:
            return True
        session.stop()
        try:
            async with asyncio.timeout(_REMOVE_SECONDS):
                await session.over()
        except TimeoutError:
            pass  # Without its order no worker goes on with it.
        keys = self._connection.keys
        await self._connection.redis.delete(
            *(name(identity) for name in (keys.run, keys.log, keys.commands, keys.answers, keys.watching))
        )
        await self._connection.redis.zrem(keys.finished, identity)
        if isinstance(session, Mirror):
            self._mirrors.drop(session)
        return True

    def admit_replay(self, address: str) -> None:
        """Take a place for a program that is run again.

        Raises: PoolFull, TooManyPrograms.
        """
        self._pressure.admit()
        most = self._settings.address_programs
        while self._replays.addresses(waiting=True).count(address) >= most and self._replays.end_idle(address):
            pass
        if self._replays.addresses().count(address) >= most:
            raise TooManyPrograms(
                f"This server runs {most} programs at once for one network address, and "
                "yours has as many already. Wait until one ends."
            )

    async def measures(self) -> dict[str, float]:
        """Return numbers about the sessions of this gateway, and the programs of the whole fleet."""
        keys = self._connection.keys
        found = {
            "workers": float(len(self._workforce)),
            "places": float(self._workforce.places),
            "kept_bytes": float(self._mirrors.nbytes),
            "kept_sessions": float(len(self._mirrors)),
            "store_bytes": float(self._pressure.nbytes),
            "store_share": self._pressure.used,
        }
        pipe = self._connection.redis.pipeline(transaction=False)
        for name in (keys.waiting, keys.running, keys.paused):
            pipe.zcard(name)
        with contextlib.suppress(*LOST, RedisError):
            waiting, running, paused = await pipe.execute()
            found |= {"waiting": waiting, "running": running, "paused": paused, "leases": running}
            kinds = await stored_bytes(self._connection)
            found |= {f'stored_bytes{{kind="{kind}"}}': nbytes for kind, nbytes in kinds.items()}
        return found

    def record(self, programs: Iterable[Program]) -> None:
        """Have these programs run, one after the other, unless their results are there."""
        self._tasks.append(asyncio.create_task(self._record(list(programs)), name="recordings"))

    async def _record(self, programs: list[Program]) -> None:
        limits = self._settings.limits()
        for program in programs:
            result = digest(program, limits)
            with contextlib.suppress(PoolFull, TooManyPrograms):
                if await self.known(program, None, recorded=True, result=result) is None:
                    session = await self.start(program, result=result)
                    with session.watched():
                        await session.over()

    async def stop(self) -> None:
        """End the programs that only this gateway reads; sessions go on, and another gateway serves them."""
        await self._replays.close()

    async def close(self) -> None:
        """Leave the fleet."""
        await self.stop()
        for mirror in self._mirrors:
            mirror.drop()
        await end(self._tasks)
        await self.counts.close()
        await self._pressure.close()
        await self._wakeups.close()
        await self._connection.close()

    async def _order(
        self, identity: str, order: Order, opening: list[tuple[int, bytes, Kind]], reader: str, address: str
    ) -> None:
        """Put an order of a program without a session into the line, and count its start if it is of an address.

        Raises: PoolFull, TooManyPrograms.
        """
        if address and (wait := await self.counts.start(address, 1)):
            raise TooManyPrograms(many_starts(self._settings.address_starts, wait))
        await self._joining.join(identity, order, opening, reader, address, None)

    def _remote(
        self, identity: str, take: Callable[[list[bytes]], None], changed: Callable[[State], None]
    ) -> RemoteRun:
        return RemoteRun(self._connection, self._wakeups, identity, take, changed, passing=True)

    def _mirror(self, identity: str) -> Mirror:
        return Mirror(self._connection, self._wakeups, identity, self._notify)

    def _forget(self, mirror: Mirror) -> None:
        self._replays.forget(mirror)
        self._removed(mirror)

    def _notify(self, mirror: Mirror) -> None:
        self._mirrors.touch(mirror)
        self._readers.notify(mirror.id, mirror)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            try:
                await self._beat()
            except (*LOST, RedisError):
                continue

    async def _beat(self) -> None:
        """Write which runs have readers, read which workers there are, and drop mirrors without a reader."""
        watched: dict[str, Mirror | RemoteRun] = {
            mirror.id: mirror for mirror in self._mirrors if mirror.watchers and not mirror.log.complete
        }
        watched |= {run.identity: run for run in self._readers.passing}
        await self._readers.write(watched)
        await self.counts.renew()
        await self._workforce.look()
        await self._line_notices.look_at_line()
        await self._line_notices.look_at_leases()
        self._mirrors.trim()
        for mirror in self._mirrors:
            seconds = self._mirrors.unread_seconds(mirror)
            if seconds > _GONE_SECONDS and mirror.running and not self._replays.busy(mirror):
                self._mirrors.drop(mirror)
            elif seconds > self._settings.unwatched_seconds and mirror.status == "waiting":
                await mirror.leave_line(unwatched(self._settings.unwatched_seconds))


def _identity() -> str:
    return secrets.token_urlsafe(12)
