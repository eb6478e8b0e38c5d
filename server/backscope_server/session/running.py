"""Where programs run: in this process's own sandbox, or elsewhere; what supervises one is the same to its callers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

from backscope.protocol.commands import Order, WatchChange
from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import Ending
from backscope_server.session.limit_clocks import PausableClock
from backscope_server.session.log import Log
from backscope_server.session.program import Program
from backscope_server.session.supervisor import Reply, Supervisor


class Supervision(Protocol):
    """The supervision of one run of a program, which finishes its log."""

    @property
    def ending(self) -> Ending | None:
        """Return why the run was ended, as far as it is known here; None for a program that ended by itself."""

    async def run(self) -> str:
        """Run the program to its end and return its status."""

    def command(self, command: Order, reply: Reply, watched: Callable[[list[WatchChange]], None] | None = None) -> None:
        """Pass a command on; `reply` gets its answer, at the latest when the run is over."""

    def end(self, ending: Ending) -> None:
        """End the run for this reason, unless it is ending for another one."""

    def end_at_limit(self, ending: Ending) -> None:
        """End a run that has reached a time limit."""

    def stop_reading(self) -> None:
        """Hold the program's events until `resume_reading` is called."""

    def resume_reading(self) -> None:
        """Read events again."""

    def cpu_seconds(self) -> float:
        """Return the processor time that the program has used, as far as it is known."""


@runtime_checkable
class Elsewhere(Protocol):
    """What runs programs outside of this process."""

    @property
    def ready(self) -> bool:
        """Return whether a program starts at once."""

    async def settled(self) -> None:
        """Wait until programs can be started, or will be refused."""

    def of(self, address: str) -> Elsewhere:
        """Return what runs programs that count as those of an address."""

    def supervise(
        self,
        program: Program,
        limits: Limits,
        log: Log,
        clock: PausableClock | None = None,
        paused: Callable[[bool], None] | None = None,
    ) -> Supervision:
        """Return the supervision of a run that has not begun; the arguments are those of Supervisor."""


Runner: TypeAlias = Launcher | Elsewhere
"""What runs programs: the sandbox of this process, or others."""


def supervise(
    runner: Runner,
    program: Program,
    limits: Limits,
    log: Log,
    clock: PausableClock | None = None,
    paused: Callable[[bool], None] | None = None,
) -> Supervision:
    """Return the supervision of a run by `runner`, which begins when its `run` is called."""
    if isinstance(runner, Elsewhere):
        return runner.supervise(program, limits, log, clock, paused)
    return Supervisor(runner, program, limits, log, clock, paused)
