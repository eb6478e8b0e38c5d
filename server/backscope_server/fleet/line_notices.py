"""What the runs of a gateway say while no worker has them: their places in line, and that there is no worker."""

from __future__ import annotations

import asyncio

from backscope_server.fleet.connection import LOST, Connection, RedisError
from backscope_server.fleet.line import abandoned, look
from backscope_server.fleet.mirrors import Mirrors
from backscope_server.fleet.wakeups import Wakeup, Wakeups
from backscope_server.fleet.workforce import Workforce
from backscope_server.session.notice import NoWorker, Waiting
from backscope_server.session.past.replays import Replays

_LOOK_SECONDS = 2.0
"""The longest time between two looks at the line."""
_AGAIN_SECONDS = 0.1
"""The shortest one."""


class LineNotices:
    """Keeps the notices of runs up to date, and ends programs that only wait for a question while others wait."""

    def __init__(
        self, connection: Connection, wakeups: Wakeups, mirrors: Mirrors, replays: Replays, workforce: Workforce
    ) -> None:
        self._connection = connection
        self._wakeups = wakeups
        self._mirrors = mirrors
        self._replays = replays
        self._workforce = workforce
        self._changed = Wakeup()

    async def follow(self) -> None:
        """Look at the line when it has changed, until cancelled."""
        with self._wakeups.on(self._connection.keys.line_changed, self._changed):
            while True:
                await self._changed.wait(_LOOK_SECONDS)
                try:
                    await self.look_at_line()
                except (*LOST, RedisError):
                    pass
                await asyncio.sleep(_AGAIN_SECONDS)

    async def look_at_line(self) -> None:
        """Say where in line the programs are that wait, and whether a worker takes any; raises Redis's errors."""
        waiting = [mirror for mirror in self._mirrors if mirror.status == "waiting"]
        if not waiting and not len(self._replays):
            return
        line = await look(self._connection)
        order = line.order(self._connection.settings.address_programs)
        for mirror in waiting:
            if mirror.status != "waiting" or (place := order.get(mirror.id)) is None:
                continue
            mirror.notices.put(Waiting(place, line.length))
            if self._workforce.takes_programs:
                mirror.notices.drop(NoWorker)
            else:
                mirror.notices.put(NoWorker(lost=False))
        if line.length:
            self._replays.end_idle()

    async def look_at_leases(self) -> None:
        """Say of programs that their workers are lost, where no other one has taken them; raises Redis's errors."""
        running = [mirror for mirror in self._mirrors if mirror.status == "running"]
        if not running:
            return
        lost = await abandoned(self._connection, self._connection.settings.fleet_lease_milliseconds)
        for mirror in running:
            if mirror.status != "running":
                continue
            if mirror.id in lost:
                mirror.notices.put(NoWorker(lost=True))
            else:
                mirror.notices.drop(NoWorker)
