"""A session whose program runs on a worker: a gateway's copy of its log, and what is sent to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from backscope.protocol.commands import Command, Order as AnyCommand, Refused
from backscope_server.fleet.connection import Connection
from backscope_server.fleet.order import Kind
from backscope_server.fleet.remote_run import Gone, RemoteRun, State
from backscope_server.fleet.wakeups import Wakeups
from backscope_server.session.ending import STOPPED, Ending, closing_events, lost
from backscope_server.session.notice import LimitApproaching, NoWorker, Starting, Waiting
from backscope_server.session.session import Session
from backscope_server.session.supervisor import FINISHED, Reply


class Mirror(Session):
    """The session of a run in the fleet; `touched` is called when readers come, leave or send a request."""

    def __init__(
        self,
        connection: Connection,
        wakeups: Wakeups,
        identity: str,
        touched: Callable[[Mirror], None],
    ) -> None:
        super().__init__(identity=identity)
        self.opened = True
        self.kept_elsewhere = True
        self.status = "waiting"
        self._connection = connection
        self._remote = RemoteRun(connection, wakeups, identity, self.log.append, self._changed)
        self._touched = touched
        self._following: asyncio.Task[None] | None = None
        self._known = asyncio.Event()

    @property
    def reader(self) -> str:
        """The name under which it reads."""
        return self._remote.reader

    def opening(self, command: AnyCommand, reply: Reply) -> tuple[int, bytes, Kind]:
        """Return a command as it is sent together with the order."""
        return self._remote.opening(command, reply)

    def follow(self) -> None:
        """Begin to copy the log."""
        self._following = self._connection.begin(self._follow(), f"mirror {self.id}")

    async def known(self) -> None:
        """Wait until the state of the run was read, or that there is none."""
        await self._known.wait()

    def drop(self) -> None:
        """Stop copying and free the events; reading raises NotKept from then on, before the end of the run."""
        if self._following is not None:
            self._following.cancel()
        self._remote.close()
        self.log.abandon()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Count one more watcher for as long as the context lasts."""
        self.watchers += 1
        self._touched(self)
        try:
            yield
        finally:
            self.watchers -= 1
            self._touched(self)

    def restart_unwatched_clock(self) -> None:
        """Have the worker restart its clock of runs without a watcher: a client sent a request."""
        self._touched(self)

    def reset_pause_clock(self) -> None:
        """Have the worker reset the clock of the pause."""
        self._remote.say("stay")

    def command(self, command: Command, reply: Reply) -> None:
        """Pass a command on to the program; `reply` gets its answer."""
        self.commanded = True
        if self.log.complete:
            reply(Refused(id=command.id, reason=FINISHED))
        else:
            self._remote.command(command, reply)

    def stop(self, ending: Ending = STOPPED) -> None:
        """End the run, if it is not over."""
        if not self.log.complete:
            self._remote.say("stop")

    async def leave_line(self, ending: Ending) -> None:
        """End the run, if it still waits in line and nobody reads it."""
        await self._remote.leave_line(ending)

    async def over(self) -> None:
        """Wait until the run is over."""
        await self.log.completed()

    async def _follow(self) -> None:
        try:
            self.status = await self._remote.follow()
        except Gone:
            if self.log.last < 0:  # There is nothing to add an end to.
                self.log.clear()
            else:
                ending = lost()
                self.log.append(closing_events(ending, self.log.last + 1, None))
                self.status = ending.status
        self.notices.clear()
        self.log.finish()
        self._known.set()

    def _changed(self, state: State) -> None:
        self.status = state.status
        for limit in ("wall", "cpu", "pause", "place", "wanted"):
            if not any(isinstance(one, LimitApproaching) and one.limit == limit for one in state.notices):
                self.notices.drop(LimitApproaching, limit)
        if not any(isinstance(one, Starting) for one in state.notices):
            self.notices.drop(Starting)
        if state.status != "waiting":
            self.notices.drop(Waiting)
            self.notices.drop(NoWorker)  # Where its worker is lost, the next look says so.
        for notice in state.notices:
            self.notices.put(notice)
        self._known.set()
