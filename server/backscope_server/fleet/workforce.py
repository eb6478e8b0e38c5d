"""The workers of a fleet, as a gateway last read them in Redis."""

from __future__ import annotations

import logging

from backscope_server.fleet.connection import Connection
from backscope_server.fleet.worker_report import WorkerReport, reports

logger = logging.getLogger(__name__)


class Workforce:
    """The workers that have reported lately; the log says when none takes programs, and when one does again."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._living: list[WorkerReport] = []
        self._said: bool | None = None

    def __len__(self) -> int:
        return len(self._living)

    @property
    def takes_programs(self) -> bool:
        """Whether a worker takes programs."""
        return any(worker.ready for worker in self._living)

    @property
    def places(self) -> int:
        """How many programs they run at once."""
        return sum(worker.places for worker in self._living if not worker.draining)

    @property
    def sandboxed(self) -> bool | None:
        """Whether all of them isolate programs; None where there is none."""
        return all(worker.sandboxed for worker in self._living) if self._living else None

    @property
    def layers(self) -> dict[str, bool]:
        """The layers of the sandbox, each with whether it works on all of them."""
        names = sorted({name for worker in self._living for name in worker.layers})
        return {name: all(worker.layers.get(name, False) for worker in self._living) for name in names}

    async def look(self) -> None:
        """Read which workers there are; raises the errors of Redis."""
        self._living = await reports(self._connection)
        takes = self.takes_programs
        if takes == self._said:
            return
        if not takes:
            logger.warning("No worker takes programs: they wait in line. Start one with `backscope worker ADDRESS`.")
        elif self._said is not None:
            logger.warning("A worker takes programs again.")
        self._said = takes
