"""Where the program of a worker's run is supervised: in the sandbox of this process."""

from __future__ import annotations

from collections.abc import Callable

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.limit_clocks import PausableClock
from backscope_server.session.log import Log
from backscope_server.session.program import Program
from backscope_server.session.supervisor import Supervisor


class Supervised:
    """Has this run's session supervise its program in the sandbox, and knows the supervisor."""

    def __init__(self, launcher: Launcher) -> None:
        self.supervisor: Supervisor | None = None
        self._launcher = launcher

    @property
    def ready(self) -> bool:
        """Return whether a program starts at once."""
        return self._launcher.ready

    async def settled(self) -> None:
        """Wait until programs can be started, or will be refused."""
        await self._launcher.settled()

    def of(self, address: str) -> Supervised:
        """Return itself: it has one run."""
        return self

    def supervise(
        self,
        program: Program,
        limits: Limits,
        log: Log,
        clock: PausableClock | None = None,
        paused: Callable[[bool], None] | None = None,
    ) -> Supervisor:
        """Return the supervisor of the program."""
        self.supervisor = Supervisor(self._launcher, program, limits, log, clock, paused)
        return self.supervisor
