"""Has the programs of a gateway run on workers that no session is for: those of lessons, and for values of the past."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from backscope.protocol.commands import Order as Command, WatchChange
from backscope.protocol.events import ProgramFinished, decode
from backscope_server.fleet.order import Kind, Order
from backscope_server.fleet.remote_run import Gone, RemoteRun, State
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import Ending, closing_events, lost, no_sandbox, server_failed
from backscope_server.session.limit_clocks import PausableClock
from backscope_server.session.log import Log
from backscope_server.session.program import Program
from backscope_server.session.sessions import NoPlace
from backscope_server.session.supervisor import Reply
from backscope_server.session.timing import Timing

logger = logging.getLogger(__name__)

_UNWATCHED_SECONDS = 10.0
"""The time after which a worker ends a run whose gateway is gone."""


class RemotePrograms:
    """Runs programs elsewhere; `start` puts an order into the queue and gives the id of its run.

    `follow` makes what reads it, and `watching` is called with a run that is to go on, and when it no longer is.
    """

    ready = True

    def __init__(
        self,
        order: Callable[[str, Order, list[tuple[int, bytes, Kind]], str, str], Awaitable[None]],
        follow: Callable[[str, Callable[[list[bytes]], None], Callable[[State], None]], RemoteRun],
        watching: Callable[[RemoteRun, bool], None],
        identity: Callable[[], str],
        address: str = "",
    ) -> None:
        self._order = order
        self._follow = follow
        self._watching = watching
        self._identity = identity
        self._address = address

    def of(self, address: str) -> RemotePrograms:
        """Return what runs programs that count as those of an address."""
        return RemotePrograms(self._order, self._follow, self._watching, self._identity, address)

    async def settled(self) -> None:
        """Return at once: workers take runs when they can."""

    def supervise(
        self,
        program: Program,
        limits: Limits,
        log: Log,
        clock: PausableClock | None = None,
        paused: Callable[[bool], None] | None = None,
    ) -> RemoteSupervision:
        """Return the supervision of a run that has not begun."""
        order = Order(program=program, limits=limits, timing=Timing(unwatched_seconds=_UNWATCHED_SECONDS), passing=True)
        return RemoteSupervision(self, order, log, clock)


class RemoteSupervision:
    """One such run; the worker's supervisor limits it, and `clock` counts here too."""

    def __init__(self, programs: RemotePrograms, order: Order, log: Log, clock: PausableClock | None) -> None:
        self._programs = programs
        self._order = order
        self._log = log
        self._clock = clock
        self._run = programs._follow(programs._identity(), self._take, lambda _state: None)
        self._opening: list[tuple[int, bytes, Kind]] | None = []
        self.ending: Ending | None = None  # Its worker knows.
        self._ending: Ending | None = None
        self._last = b""

    async def run(self) -> str:
        """Run the program to its end and return its status."""
        if self._ending is not None:
            return self._close(self._ending)
        opening, self._opening = self._opening or [], None
        self._programs._watching(self._run, True)
        if self._clock is not None:
            self._clock.start()
        try:
            address = self._programs._address
            await self._programs._order(self._run.identity, self._order, opening, self._run.reader, address)
            if self._is_ending():
                self._run.say("stop")
            status = await self._run.follow()
        except NoPlace as error:
            return self._close(no_sandbox(str(error)))
        except Gone:
            return self._close(lost())
        except Exception:
            logger.exception("A program on a worker could not be followed.")
            return self._close(server_failed())
        finally:
            self._run.close()
            self._programs._watching(self._run, False)
            if self._clock is not None:
                self._clock.stop()
        if not isinstance(decode(self._last) if self._last else None, ProgramFinished):
            return self._close(lost())
        self._log.finish()
        return status

    def command(
        self, command: Command, reply: Reply, watched: Callable[[list[WatchChange]], None] | None = None
    ) -> None:
        """Pass a command on; `reply` gets its answer, at the latest when the run is over."""
        if self._opening is not None:
            self._opening.append(self._run.opening(command, reply))
        else:
            self._run.command(command, reply, watched)

    def end(self, ending: Ending) -> None:
        """End the run."""
        if self._ending is None:
            self._ending = ending
            self._run.say("stop")
        self._run.hold(False)

    def end_at_limit(self, ending: Ending) -> None:
        """End a run that has reached a time limit."""
        self.end(ending)

    def stop_reading(self) -> None:
        """Leave the events where they are; the worker waits when there are many."""
        self._run.hold(True)

    def resume_reading(self) -> None:
        """Read events again."""
        self._run.hold(False)

    def cpu_seconds(self) -> float:
        """Return 0: the worker counts the processor time."""
        return 0.0

    def _is_ending(self) -> bool:
        return self._ending is not None

    def _take(self, lines: list[bytes]) -> None:
        self._last = lines[-1]
        self._log.append(lines)

    def _close(self, ending: Ending) -> str:
        self._run.close()
        self._log.end(closing_events(ending, self._log.last + 1, None))
        return ending.status
