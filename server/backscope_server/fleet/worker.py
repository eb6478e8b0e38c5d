"""A worker: takes runs from the queue as long as it has places, and those of workers that are gone."""

from __future__ import annotations

import asyncio
import logging
import secrets

from backscope_server.fleet.connection import BLOCK_SECONDS, LOST, Connection, RedisError
from backscope_server.fleet.keys import GROUP
from backscope_server.fleet.pressure import MAKES_ROOM, Pressure
from backscope_server.fleet.tasks import end
from backscope_server.fleet.wakeups import Wakeups
from backscope_server.fleet.worker_report import WorkerReport, report, withdraw
from backscope_server.fleet.worker_run import WorkerRun
from backscope_server.sandbox.launcher import Launcher
from backscope_server.settings import Settings

logger = logging.getLogger(__name__)

_REPORT_SECONDS = 3.0
_AGAIN_SECONDS = 0.5
_PENDING = 100
_GONE_AT_ONCE = 50
_GIVING_SECONDS = 3.0
"""The part of the time for stopping in which runs are handed over."""


class Worker:
    """Runs programs of a fleet in `launcher`, which has been started."""

    def __init__(self, settings: Settings, launcher: Launcher) -> None:
        self.draining = False
        self._settings = settings
        self._launcher = launcher
        self._connection = Connection(settings)
        self._wakeups = Wakeups(self._connection)
        self._pressure = Pressure(self._connection)
        self._runs: dict[WorkerRun, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def name(self) -> str:
        """Its name in the fleet."""
        return self._connection.name

    @property
    def places(self) -> int:
        """How many programs it runs at once."""
        return self._settings.places

    @property
    def report(self) -> WorkerReport:
        """What it reports of itself."""
        launcher = self._launcher
        return WorkerReport(
            name=self.name,
            at=0.0,
            ready=launcher.ready and not self.draining,
            sandboxed=launcher.sandboxed,
            layers={layer.name: layer.works for layer in launcher.layers},
            running=len(self._runs),
            places=self.places,
            draining=self.draining,
        )

    async def begin(self) -> None:
        """Join the fleet and take runs.

        Raises: FleetError.
        """
        await self._connection.start()
        self._wakeups.start()
        self._pressure.start()
        await report(self._connection, self.report)
        self._tasks = [
            asyncio.create_task(self._take(), name="queue"),
            asyncio.create_task(self._take_over(), name="runs of others"),
            asyncio.create_task(self._report(), name="report"),
        ]

    async def drain(self) -> None:
        """Take no more runs; let those that are short end, and hand the others over, paused ones at once."""
        self.draining = True
        await end(self._tasks[:2])
        for run in list(self._runs):
            if run.paused:
                run.release()
        if self._runs:
            seconds = max(0.0, self._settings.fleet_drain_seconds - _GIVING_SECONDS)
            await asyncio.wait(list(self._runs.values()), timeout=seconds)
        for run in list(self._runs):
            run.release()
        if self._runs:
            await asyncio.wait(list(self._runs.values()), timeout=_GIVING_SECONDS)

    async def close(self) -> None:
        """Leave the fleet."""
        if not self.draining:
            await self.drain()
        await end([*self._tasks, *self._runs.values()])
        try:
            await withdraw(self._connection, self.name)
        except (*LOST, RedisError):
            pass
        await self._pressure.close()
        await self._wakeups.close()
        await self._connection.close()

    async def _take(self) -> None:
        """Take new runs from the queue."""
        redis, keys = self._connection.redis, self._connection.keys
        while True:
            while len(self._runs) >= self.places or not self._launcher.ready:
                self._changed.clear()
                if len(self._runs) >= self.places:
                    await self._changed.wait()
                else:
                    await self._launcher.settled()
                    await asyncio.sleep(0)
            try:
                found = await redis.xreadgroup(
                    GROUP, self.name, {keys.queue: ">"}, count=1, block=int(BLOCK_SECONDS * 1000)
                )
                for _, entries in _streams(found):
                    for entry, fields in entries:
                        await self._claim(entry, fields)
            except LOST:
                await asyncio.sleep(_AGAIN_SECONDS)
            except RedisError as error:
                await self._mend(error)

    async def _take_over(self) -> None:
        """Take the runs of workers that do not renew their leases."""
        redis, keys = self._connection.redis, self._connection.keys
        lease = self._settings.fleet_lease_milliseconds
        while True:
            await asyncio.sleep(lease / 3000 * (0.75 + secrets.randbelow(500) / 1000))
            try:
                begin = "-"
                while len(self._runs) < self.places:
                    found = await redis.xpending_range(
                        keys.queue, GROUP, min=begin, max="+", count=_PENDING, idle=lease
                    )
                    if not found:
                        break
                    begin = f"({found[-1]['message_id'].decode()}"
                    pipe = redis.pipeline(transaction=False)
                    for one in found:
                        pipe.xrange(keys.queue, min=one["message_id"], max=one["message_id"])
                    for one, entries in zip(found, await pipe.execute(), strict=True):
                        if not entries:  # It was removed, and is only listed.
                            await redis.xack(keys.queue, GROUP, one["message_id"])
                            continue
                        identity = entries[0][1][b"id"].decode()
                        if await redis.exists(keys.lease(identity)):
                            continue
                        await self._claim(*entries[0])
                        if len(self._runs) >= self.places:
                            break
            except LOST:
                continue
            except RedisError as error:
                await self._mend(error)

    async def _claim(self, entry: bytes, fields: dict[bytes, bytes]) -> None:
        """Run what an entry of the queue is for, if no other worker does."""
        redis, keys = self._connection.redis, self._connection.keys
        identity = fields[b"id"].decode()
        token = f"{self.name}/{secrets.token_hex(8)}"
        tries = int(
            await self._connection.scripts.claim(
                [keys.lease(identity), keys.run(identity)], [token, self._settings.fleet_lease_milliseconds, entry]
            )
        )
        if tries < 0:  # It is over, or its order is gone.
            await redis.xack(keys.queue, GROUP, entry)
            await redis.xdel(keys.queue, entry)
        elif tries > 0:
            run = WorkerRun(self._connection, self._wakeups, self._launcher, identity, token, tries)
            task = asyncio.create_task(run.run(), name=f"run {identity}")
            self._runs[run] = task
            task.add_done_callback(lambda _task: self._over(run))

    def _over(self, run: WorkerRun) -> None:
        task = self._runs.pop(run)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A run failed.", exc_info=error)

    async def _mend(self, error: RedisError) -> None:
        if "NOGROUP" in str(error):  # Redis was restarted without its data.
            try:
                await self._connection.make_queue()
            except (*LOST, RedisError):
                pass
        else:
            logger.warning("The fleet's Redis refuses: %s.", error)
        await asyncio.sleep(_AGAIN_SECONDS)

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(_REPORT_SECONDS)
            try:
                await self._make_room()
                await report(self._connection, self.report)
            except (*LOST, RedisError):
                continue

    async def _make_room(self) -> None:
        """Remove the oldest finished runs when Redis fills up, and forget those that have expired."""
        redis, keys = self._connection.redis, self._connection.keys
        seconds, _ = await redis.time()
        before = seconds * 1000 - self._settings.fleet_kept_milliseconds
        await redis.zremrangebyscore(keys.finished, "-inf", before)
        await self._pressure.look()
        while self._pressure.used >= MAKES_ROOM:
            gone = await redis.zpopmin(keys.finished, _GONE_AT_ONCE)
            if not gone:
                return
            names = [name(one.decode()) for one, _ in gone for name in (keys.log, keys.run, keys.answers)]
            await redis.delete(*names)
            await self._pressure.look()


def _streams(found: object) -> list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]]:
    """Return the streams of an answer, as both versions of Redis's protocol have them."""
    if not found:
        return []
    if isinstance(found, dict):
        return [(name, [entry for part in parts for entry in part]) for name, parts in found.items()]
    return list(found)  # type: ignore[call-overload, no-any-return]
