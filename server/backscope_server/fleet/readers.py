"""Writes for workers which of their runs have readers at this gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from redis.exceptions import RedisError

from backscope_server.fleet.connection import LOST, Connection
from backscope_server.fleet.mirror import Mirror
from backscope_server.fleet.remote_run import RemoteRun

_WATCHING_MILLISECONDS = 7000
"""The time for which a worker takes a run as read."""
_TOUCH_MILLISECONDS = 1000


class Readers:
    """Writes for runs, mirrored ones and those for values of the past, until when they have readers at this gateway."""

    def __init__(self, connection: Connection) -> None:
        self.passing: set[RemoteRun] = set()
        """The runs for values of the past that somebody waits for."""
        self._connection = connection
        self._touched: dict[str, Mirror | RemoteRun] = {}
        """Runs with readers that came, left or sent a request since their workers were last notified."""
        self._notifying: asyncio.Task[None] | None = None

    def keep(self, run: RemoteRun, there: bool) -> None:
        """Note whether somebody waits for a run for values of the past, and have its worker notified."""
        if there:
            self.passing.add(run)
        else:
            self.passing.discard(run)
        self.notify(run.identity, run)

    def notify(self, identity: str, run: Mirror | RemoteRun) -> None:
        """Have the worker of a run notified whether it has readers here."""
        self._touched[identity] = run
        if self._notifying is None or self._notifying.done():
            self._notifying = self._connection.begin(self._notify_all(), "notices of readers")

    async def write(self, runs: Mapping[str, Mirror | RemoteRun]) -> None:
        """Write for some runs, by their ids, until when they have readers here."""
        keys, scripts = self._connection.keys, self._connection.scripts
        try:
            for identity, run in runs.items():
                if isinstance(run, Mirror):
                    if run.log.complete:
                        continue
                    milliseconds = _WATCHING_MILLISECONDS if run.watchers else _TOUCH_MILLISECONDS
                else:
                    milliseconds = _WATCHING_MILLISECONDS if run in self.passing else 0
                where = [keys.watching(identity), keys.run(identity)]
                await scripts.watch(where, [self._connection.name, milliseconds, keys.worker(identity), 0])
        except (*LOST, RedisError):
            pass  # It is said again with the next heartbeat.

    async def _notify_all(self) -> None:
        while self._touched:
            touched, self._touched = self._touched, {}
            await self.write(touched)
