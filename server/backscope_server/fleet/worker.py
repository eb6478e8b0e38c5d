"""A worker: takes runs from the line as long as it has places, and those of workers that are gone."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections.abc import Callable

from backscope_server.fleet.connection import BLOCK_SECONDS, LOST, Connection, RedisError
from backscope_server.fleet.line import look
from backscope_server.fleet.pressure import MAKES_ROOM, Pressure
from backscope_server.fleet.tasks import end
from backscope_server.fleet.wakeups import Wakeups
from backscope_server.fleet.worker_report import WorkerReport, report, withdraw
from backscope_server.fleet.worker_run import WorkerRun
from backscope_server.sandbox.launcher import Launcher
from backscope_server.session.session import Session
from backscope_server.settings import Settings

logger = logging.getLogger(__name__)

_REPORT_SECONDS = 3.0
_AGAIN_SECONDS = 0.5
_LOOK_SECONDS = 1.0
_GONE_AT_ONCE = 50
_GIVING_SECONDS = 3.0
"""The part of the time for stopping in which runs are handed over."""


class Worker:
    """Runs programs of a fleet in `launcher`, which has been started; `ended` is called with each that is over."""

    def __init__(
        self, settings: Settings, launcher: Launcher, ended: Callable[[Session], None] = lambda _session: None
    ) -> None:
        self._ended = ended
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

    def measures(self) -> dict[str, float]:
        """Return numbers about its programs, by the names that operations/metrics.py has for them."""
        return {
            "running": len(self._runs),
            "paused": sum(run.paused for run in self._runs),
            "places": self.places,
            "leases": len(self._runs),
            'queue_bytes{queue="outbox"}': sum(run.waiting_nbytes for run in self._runs),
            "store_bytes": self._pressure.nbytes,
            "store_share": self._pressure.used,
            "ready": float(self.report.ready),
        }

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
            asyncio.create_task(self._take(), name="line"),
            asyncio.create_task(self._give_way(), name="paused programs"),
            asyncio.create_task(self._report(), name="report"),
        ]

    async def drain(self) -> None:
        """Take no more runs; let those that are short end, and hand the others over, paused ones at once."""
        self.draining = True
        await end(self._tasks[:1])
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
        """Take runs from the line, and those of workers that do not renew their leases."""
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
                if not await self._take_one():
                    await redis.blpop(keys.bell, timeout=self._look_seconds())
            except LOST:
                await asyncio.sleep(_AGAIN_SECONDS)
            except RedisError as error:
                logger.warning("The fleet's Redis refuses: %s.", error)
                await asyncio.sleep(_AGAIN_SECONDS)

    def _look_seconds(self) -> float:
        """Return after how long runs of silent workers are looked for: not by all workers at the same time."""
        return min(BLOCK_SECONDS, self._settings.fleet_lease_seconds / 3) * random.uniform(0.75, 1.25)

    async def _take_one(self) -> bool:
        """Run the next run that there is; return whether there was one."""
        settings, keys = self._settings, self._connection.keys
        token = f"{self.name}/{secrets.token_hex(8)}"
        given = [keys.prefix, keys.line_changed, token, settings.fleet_lease_milliseconds]
        given += [settings.address_programs, settings.fleet_kept_milliseconds]
        found = await self._connection.scripts.take(keys.line, given)
        if found is None:
            return False
        identity, tries = found[0].decode(), int(found[1])
        run = WorkerRun(self._connection, self._wakeups, self._launcher, identity, token, tries, self._ended)
        task = asyncio.create_task(run.run(), name=f"run {identity}")
        self._runs[run] = task
        task.add_done_callback(lambda _task: self._over(run))
        return True

    def _over(self, run: WorkerRun) -> None:
        task = self._runs.pop(run)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A run failed.", exc_info=error)

    async def _give_way(self) -> None:
        """Have paused programs give up their places while others wait for one."""
        wanted: set[str] = set()
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            paused = [run for run in self._runs if run.paused]
            if not paused:
                wanted = set()
                continue
            try:
                found = (await look(self._connection)).giving_way(self._settings.address_programs)
            except (*LOST, RedisError):
                continue
            for run in paused:  # One that waits for a moment only is taken by a free worker.
                run.reclaim_place(run.identity in found & wanted)
            wanted = found

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
        before = await self._connection.clock.now() * 1000 - self._settings.fleet_kept_milliseconds
        await redis.zremrangebyscore(keys.finished, "-inf", before)
        await self._pressure.look()
        while self._pressure.used >= MAKES_ROOM:
            gone = await redis.zpopmin(keys.finished, _GONE_AT_ONCE)
            if not gone:
                return
            names = [name(one.decode()) for one, _ in gone for name in (keys.log, keys.run, keys.answers)]
            await redis.delete(*names)
            await self._pressure.look()
