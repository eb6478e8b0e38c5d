"""One run at its worker: the program in the sandbox, its log on the way to Redis, its commands from there."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

import msgspec

from backscope.protocol.commands import Answer, Order as Command, Refused, Resume, Step, WatchChange, Watched
from backscope_server.fleet.answers import Answers
from backscope_server.fleet.connection import LOST, Connection, RedisError
from backscope_server.fleet.order import Given, Taken, given
from backscope_server.fleet.outbox import Outbox
from backscope_server.fleet.repetition import NotRepeated, Repetition
from backscope_server.fleet.stored_run import load
from backscope_server.fleet.supervised import Supervised
from backscope_server.fleet.tasks import end
from backscope_server.fleet.wakeups import Wakeup, Wakeups
from backscope_server.sandbox.launcher import Launcher
from backscope_server.session.ending import STOPPED, Ending, closing_events, no_memory, worker_lost, workers_lost
from backscope_server.session.lines import Lines
from backscope_server.session.results import CLEAN
from backscope_server.session.session import Session

logger = logging.getLogger(__name__)

_COMMANDS = 256
_AGAIN_SECONDS = 0.2
_MOST_TRIES = 4
"""The number of workers that may be lost one after the other with a run that gets no further."""
_MOST_SURVIVED = 20
"""How often workers may be cut off from a run that gets no further without that being counted as a loss."""


class Lost(RuntimeError):
    """The error for a run that another worker has, or that is gone: nothing may be written of it."""


class WorkerRun:
    """A run that this worker has the lease of, under `token`; `tries` is how many workers got no further.

    `ended` is called with its session when it is over.
    """

    def __init__(
        self,
        connection: Connection,
        wakeups: Wakeups,
        launcher: Launcher,
        identity: str,
        token: str,
        tries: int,
        ended: Callable[[Session], None],
    ) -> None:
        self._ended = ended
        self.identity = identity
        self._connection = connection
        self._wakeups = wakeups
        self._token = token
        self._tries = tries
        self._runner = Supervised(launcher)
        self._wakeup = Wakeup()
        self._session: Session | None = None
        self._outbox: Outbox | None = None
        self._repetition: Repetition | None = None
        self._read = "-"
        """Where the next command of the stream is."""
        self._queue: deque[Given] = deque()
        self._queued = asyncio.Event()
        self._answers = Answers(connection, identity)
        self._watched = False
        self._result: str | None = None
        """The name under which the run answers other starts, if it ends by itself; None once it got a command."""
        self._lost: str | None = None

    @property
    def paused(self) -> bool:
        """Return whether the program waits in the debugger."""
        return self._session is not None and self._session.paused_since is not None

    @property
    def waiting_nbytes(self) -> int:
        """The bytes of events that are not in Redis yet."""
        return 0 if self._outbox is None else self._outbox.waiting_nbytes

    def reclaim_place(self, wanted: bool) -> None:
        """Have a paused program give up its place after a notice, or let it keep the place."""
        if self._session is not None and self.paused:
            self._session.reclaim_place(wanted)

    async def run(self) -> None:
        """Run the program to its end, or until the run is lost or released."""
        renewing = self._connection.begin(self._renew(), f"lease of {self.identity}")
        try:
            await self._run()
        except Lost:
            pass
        except (*LOST, RedisError) as error:
            logger.warning("A run is left to other workers: %s.", error)
        finally:
            if self._session is not None and self._session.running:
                self._abandon("lost")
            await end([renewing])

    def release(self) -> None:
        """End the program here, and let another worker run it from the start."""
        self._abandon("released")

    def _abandon(self, why: str) -> None:
        if self._lost is None:
            self._lost = why
        if self._session is not None:
            self._session.stop()  # First: a session whose log is complete has nothing to stop.
        if self._outbox is not None:
            self._outbox.seal()

    async def _run(self) -> None:
        stored = await load(self._connection, self.identity)
        if self._is_lost():
            await self._leave()
            return
        if stored is None:
            return
        self._queue, self._read = stored.waiting, stored.next_command
        if stored.status is not None:
            await self._finish(stored.status)
            return
        order, lines = stored.order, stored.lines
        if not stored.took and all(one.kind != "command" for one in stored.waiting):
            self._result = order.result
        if order.passing and len(lines):
            await self._close(worker_lost(), len(lines))
            return
        if self._tries > _MOST_TRIES:
            await self._close(workers_lost(self._tries - 1), len(lines))
            return
        self._repetition = repetition = Repetition(lines, stored.took)
        self._session = session = Session(order.timing, identity=self.identity)
        self._outbox = session.log = outbox = Outbox(
            self._connection,
            self.identity,
            self._token,
            repetition,
            len(lines) - 1,
            passing=order.passing,
            hold=self._hold,
            lost=self._abandon,
            failed=lambda: session.stop(),
            full=lambda: session.stop(no_memory()),
        )
        session.paused = self._wakeup.set  # It is said with the next renewal.
        begin = session.wait(order.program, order.limits, self._runner)
        self._open(lines)
        repetition.begin()
        begin()
        self._wakeup.set()  # It may have readers already.
        tasks = [
            self._connection.begin(outbox.write(), f"log of {self.identity}"),
            self._connection.begin(self._notify(session), f"notices of {self.identity}"),
            self._connection.begin(self._answers.write(), f"answers of {self.identity}"),
            self._connection.begin(self._command(session), f"commands of {self.identity}"),
        ]
        try:
            await session.over()
            await outbox.written()
        finally:
            await end(tasks)
        if self._is_lost():
            await self._leave()
        else:
            self._ended(session)
            await self._finish(session.status if repetition.failure is None else "limit")

    def _is_lost(self) -> bool:
        return self._lost is not None

    async def _leave(self) -> None:
        """Let another worker have the run, if this one still has it, and say that this one lives."""
        if self._lost in ("released", "gap"):
            await self._give_up()
        elif self._lost == "lost":
            where = [self._connection.keys.run(self.identity)]
            await self._connection.scripts.survived(where, [_MOST_SURVIVED])

    def _open(self, lines: Lines) -> None:
        """Give the program the commands that it gets before it begins."""
        assert self._repetition is not None and self._runner.supervisor is not None
        supervisor = self._runner.supervisor
        if len(lines):
            for command in self._repetition.opening:
                supervisor.command(command, _ignore)
            return
        assert self._outbox is not None
        while self._queue and self._queue[0].kind == "command":
            one = self._queue.popleft()
            assert one.command is not None
            self._outbox.took(Taken(one.entry, -1, False))
            supervisor.command(one.command, self._passing_on(one))

    def _passing_on(self, one: Given) -> Callable[[Answer], None]:
        return lambda answer: self._answers.put(one, answer)

    async def _command(self, session: Session) -> None:
        """Give the program its commands, one after the other."""
        assert self._repetition is not None and self._outbox is not None and self._runner.supervisor is not None
        repetition, outbox, supervisor = self._repetition, self._outbox, self._runner.supervisor

        async def send(command: Command) -> Answer:
            answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

            def reply(answer: Answer) -> None:
                if not answered.done():
                    answered.set_result(answer)

            supervisor.command(command, reply)
            return await answered

        try:
            await repetition.run(send)
        except NotRepeated:
            outbox.append([])
            return
        while True:
            one = await self._next(session)
            if one.kind != "command":  # It came before the program ran, as a stop may.
                self._receive(one)
                continue
            if one.command is None:
                continue
            session.reset_pause_clock()
            paused, after, goings = repetition.paused, outbox.last, repetition.goings
            if paused and not one.is_looking:
                outbox.took(Taken(one.entry, after, True))
            answer = await self._ask(one, repetition.outward(one.command))
            if not paused and not isinstance(answer, Refused) and not one.is_looking:
                at, was_paused = supervisor.taken
                outbox.took(Taken(one.entry, at - repetition.offset, was_paused))
            if isinstance(one.command, (Resume, Step)) and not isinstance(answer, Refused):
                await repetition.went_on(goings)
            if one.is_looking:
                await self._forget(one)

    async def _ask(self, one: Given, command: Command) -> Answer:
        """Send a command to the program, and pass its answer on."""
        assert self._runner.supervisor is not None
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def reply(answer: Answer) -> None:
            self._answers.put(one, answer)
            if not answered.done():
                answered.set_result(answer)

        def watched(changes: list[WatchChange]) -> None:
            self._answers.put(one, Watched(id=0, changes=changes))

        self._runner.supervisor.command(command, reply, watched)
        return await answered

    async def _next(self, session: Session) -> Given:
        while not self._queue:
            self._queued.clear()
            await self._queued.wait()
        return self._queue.popleft()

    def _receive(self, one: Given) -> None:
        """Take a command as it comes: some wait for no other."""
        session = self._session
        if one.kind == "stop":
            if session is not None:
                session.stop(STOPPED)
        elif one.kind == "stay":
            if session is not None:
                session.reset_pause_clock()
        else:
            self._result = None
            self._queue.append(one)
            self._queued.set()

    async def _renew(self) -> None:
        """Keep the lease, take new commands, and see whether the run has readers."""
        connection, identity = self._connection, self.identity
        keys, settings = connection.keys, connection.settings
        milliseconds = settings.fleet_lease_milliseconds
        where = [keys.lease(identity), keys.run(identity), keys.watching(identity), keys.log(identity)]
        where += [keys.commands(identity), keys.running, keys.paused]
        given_ = [self._token, milliseconds, settings.fleet_kept_milliseconds]
        with self._wakeups.on(keys.worker(identity), self._wakeup):
            while True:
                try:
                    state = [int(self.paused), identity, keys.prefix]
                    readers = int(await connection.scripts.renew(where, [*given_, *state]))
                    if readers < 0:
                        self._abandon("lost")
                        return
                    self._watch(readers > 0)
                    if self._outbox is not None:
                        self._outbox.room.set()
                        await self._take_commands()
                except (*LOST, RedisError):
                    await asyncio.sleep(_AGAIN_SECONDS)
                    continue
                await self._wakeup.wait(milliseconds / 3000)

    async def _take_commands(self) -> None:
        keys, redis = self._connection.keys, self._connection.redis
        found = await redis.xrange(keys.commands(self.identity), min=self._read, count=_COMMANDS)
        for entry, fields in found:
            self._read = f"({entry.decode()}"
            one = given(entry, fields)
            self._receive(one)
            if one.kind == "stay":
                await redis.xdel(keys.commands(self.identity), entry)
        queued = [one for one in self._queue if one.kind != "command"]  # Those that came before the program ran.
        for one in queued:
            self._queue.remove(one)
            self._receive(one)

    def _watch(self, there: bool) -> None:
        session = self._session
        if session is None or there == self._watched:
            return
        self._watched = there
        session.watchers = 1 if there else 0
        session.restart_unwatched_clock()

    def _hold(self, held: bool) -> None:
        if self._runner.supervisor is not None:
            if held:
                self._runner.supervisor.stop_reading()
            else:
                self._runner.supervisor.resume_reading()

    async def _notify(self, session: Session) -> None:
        """Write the notices for its pages when they change."""
        keys, scripts = self._connection.keys, self._connection.scripts
        version = 0
        while True:
            version = await session.notices.beyond(version)
            content = msgspec.json.encode(msgspec.json.decode(session.notices.message())["notices"])
            given_ = [content, keys.readers(self.identity)]
            await self._connection.surely(scripts.notify, [keys.run(self.identity)], given_)

    async def _forget(self, one: Given) -> None:
        """Remove a command that need not be repeated."""
        try:
            await self._connection.redis.xdel(self._connection.keys.commands(self.identity), one.entry)
        except (*LOST, RedisError):
            pass

    async def _close(self, ending: Ending, first: int) -> None:
        """End a run that is not run again."""
        keys, connection = self._connection.keys, self._connection
        closing = closing_events(ending, first, None)
        where = [keys.log(self.identity), keys.run(self.identity), keys.lease(self.identity)]
        kept = connection.settings.fleet_kept_milliseconds
        last = first + len(closing) - 1
        await connection.scripts.append(
            where, [self._token, first, last, kept, b"\n".join(closing), b"[]", keys.readers(self.identity), 0, 1]
        )
        await self._finish(ending.status)

    async def _finish(self, status: str) -> None:
        """Say that the run is over."""
        keys = self._connection.keys
        names = (keys.run, keys.lease, keys.commands, keys.watching)
        where = [*keys.line, *(name(self.identity) for name in names), keys.finished, keys.log(self.identity)]
        name = self._result
        where += ["", ""] if name is None else [keys.result(name), keys.leading(name)]
        kept = self._connection.settings.fleet_kept_milliseconds
        given_ = [keys.prefix, keys.line_changed, self._token, self.identity, status, kept, keys.readers(self.identity)]
        given_.append(int(name is not None and status in CLEAN))
        await self._connection.surely(self._connection.scripts.finish, where, given_)

    async def _give_up(self) -> None:
        """Put the run into the line again, before all others."""
        keys = self._connection.keys
        where = [*keys.line, keys.run(self.identity), keys.lease(self.identity)]
        given_ = [keys.prefix, keys.line_changed, self._token, self.identity]
        await self._connection.surely(self._connection.scripts.release, where, given_)


def _ignore(_answer: Answer) -> None:
    """Do nothing with an answer that was given before."""
