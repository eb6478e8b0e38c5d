"""All sessions of a server: starts or queues programs, finds sessions, removes the oldest finished ones."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import server_stopped
from backscope_server.session.holdings import Holdings
from backscope_server.session.memory import FreedBytes, Packing
from backscope_server.session.notice import Waiting
from backscope_server.session.past.replays import Replays
from backscope_server.session.program import Program
from backscope_server.session.recordings import Recordings
from backscope_server.session.results import is_clean
from backscope_server.session.session import Session
from backscope_server.session.sessions import PoolFull, TooManyPrograms
from backscope_server.session.start_queue import StartQueue, giving_way
from backscope_server.session.store import Store
from backscope_server.session.timing import Timing


class Pool:
    """Runs up to `running` programs at once, queues `waiting`, and keeps `kept` sessions in `kept_bytes` of memory.

    `address_programs` of one address may run at once, and `address_waiting` wait.  A session that is not over is never
    removed.  Programs in `recordings` are not run.  Replays take places like other programs; up to `replays` of them
    wait `replay_seconds` for the next question, and end if their place is needed; their source may have
    `source_bytes`.  `removed` is called with each removed session,
    `ended` with each whose run is over.
    """

    def __init__(
        self,
        launcher: Launcher,
        limits: Limits,
        *,
        running: int,
        kept: int,
        kept_bytes: int,
        waiting: int = 0,
        address_programs: int | None = None,
        address_waiting: int | None = None,
        timing: Timing | None = None,
        storage: Store | None = None,
        replays: int = 4,
        replay_seconds: float = 60,
        source_bytes: int | None = None,
        removed: Callable[[Session], None] = lambda _session: None,
        ended: Callable[[Session], None] = lambda _session: None,
    ) -> None:
        self.launcher = launcher
        self.limits = limits
        self.running = running
        self.waiting = waiting
        self.address_programs = address_programs
        self.address_waiting = address_waiting
        self.recordings = Recordings()
        self.timing = timing or Timing()
        self.storage = storage
        self.replays = Replays(
            launcher, limits, kept=replays, seconds=replay_seconds, changed=self._advance, source_bytes=source_bytes
        )
        self._sessions: dict[str, Session] = {}
        """The sessions in memory by id."""
        self._results: dict[str, Session] = {}
        """Those that may answer other starts, by the names of their programs."""
        self._holdings = Holdings(kept, kept_bytes, self._let_go, self.replays.busy)
        self._places: dict[Session, str] = {}
        """The sessions that have a place to run, and their addresses."""
        self._queue: StartQueue[Session] = StartQueue(address_programs)
        self._in_line: dict[Session, tuple[str, Callable[[], None]]] = {}
        self._when_removed = removed
        self._when_ended = ended
        self._freed = FreedBytes()
        self._packing = Packing(self._freed)

    def start(
        self, program: Program, address: str = "", *, key: str | None = None, result: str | None = None
    ) -> Session:
        """Start a program for an address, or queue it.

        Returns the session of an earlier start with the same `key`, if there is one.  If the program ends by itself,
        `result` names the session from then on.

        Raises: PoolFull, TooManyPrograms.
        """
        if key is not None and (started := self.started(key)) is not None:
            return started
        self._advance()  # Runs in line that may have a place go first.
        at_once = self._allows(address) and self._free()
        if not at_once:
            self._check(address)
        session = Session(self.timing)
        session.key = key
        if result is not None:
            self._results[result] = session
        session.paused = self._notify
        self.add(session, address)
        if at_once:
            self._make_room(address)
            self._places[session] = address
            session.start(program, self.limits, self.launcher, over=self._over)
        else:
            begin = session.wait(program, self.limits, self.launcher, over=self._over)
            self._in_line[session] = (address, begin)
            self._queue.join(session, address)
            self._notify()
        self.keep(session)
        return session

    def record(self, programs: Iterable[Program]) -> None:
        """Run these programs now, one after the other; a later start of one of them gets the recorded session."""
        self.recordings.start(programs, self.limits, self.launcher, self._packing.add)

    def started(self, key: str) -> Session | None:
        """Return the session that was started with this key."""
        return next((session for session in self._sessions.values() if session.key == key), None)

    def result(self, name: str) -> Session | None:
        """Return the finished run of this name, None if there is none that ended by itself."""
        session = self._results.get(name)
        return session if session is not None and is_clean(session) else None

    def keep(self, session: Session) -> None:
        """Write a session to the disk, if runs are stored."""
        if self.storage is not None:
            self.storage.keep(session, self._evict)

    def _taken(self) -> Counter[str]:
        """Return how many places each address has, without those of replays that can be ended."""
        return Counter([*self._places.values(), *self.replays.addresses()])

    def admit_replay(self, address: str) -> None:
        """Take a place for a replay for an address; replays do not wait in the queue.

        Raises: PoolFull, TooManyPrograms.
        """
        if not self._allows(address):
            many = "one program" if self.address_programs == 1 else f"{self.address_programs} programs"
            raise TooManyPrograms(
                f"This server runs {many} at once for one network address, and yours has as many already: running or "
                "paused, perhaps in another tab. Stop one, or wait until one ends."
            )
        if self._queue or not self._free():
            raise self._full()
        self._make_room(address)

    def _check(self, address: str) -> None:
        """Raises: PoolFull, TooManyPrograms where the line has no room for one more of this address."""
        if len(self._queue) >= self.waiting:
            raise self._full()
        if self.address_waiting is not None and self._queue.count_of(address) >= self.address_waiting:
            many = "one program" if self.address_waiting == 1 else f"{self.address_waiting} programs"
            raise TooManyPrograms(
                f"This server has {many} of one network address wait in line, and as many of yours wait already, "
                "perhaps in another tab. Stop one, or wait until one ends."
            )

    def _allows(self, address: str) -> bool:
        """Return whether an address may have one more place, once its idle replays have ended."""
        return self._queue.allows(address, self._taken())

    def _free(self) -> bool:
        """Return whether there is a free place, once idle replays have ended."""
        return len(self._places) + len(self.replays.addresses()) < self.running

    def _make_room(self, address: str) -> None:
        """End idle replays if a place is needed for an address that may have one."""
        while not self._queue.allows(address, Counter([*self._places.values(), *self.replays.addresses(waiting=True)])):
            if not self.replays.end_idle(address):
                break
        while len(self._places) + len(self.replays) >= self.running:
            if not self.replays.end_idle():
                break

    def _full(self) -> PoolFull:
        many = "a program is running" if self.running == 1 else f"{self.running} programs are running"
        line = f" and {len(self._queue)} wait in line" if self._queue else ""
        return PoolFull(f"The server is busy: {many}{line}. Try again in a minute.")

    def _over(self, session: Session) -> None:
        """Release the place of a session that is over."""
        if not is_clean(session):
            self._forget_result(session)
        self._when_ended(session)
        self._packing.add(session.log)
        self._places.pop(session, None)
        if self._in_line.pop(session, None) is not None:
            self._queue.leave(session)
        self._advance()
        self._evict()

    def _advance(self) -> None:
        """Start the programs in the queue for which there are places."""
        while self._queue and self._free():
            first = self._queue.next(self._taken())
            if first is None:
                break
            address, begin = self._in_line.pop(first)
            self._make_room(address)
            self._places[first] = address
            begin()
        self._notify()

    def _notify(self) -> None:
        """Send waiting programs their place in line, and have paused ones give up theirs if needed."""
        self._reclaim_places()
        for place, session in enumerate(self._queue.order(self._taken()), start=1):
            session.notices.put(Waiting(place, len(self._queue)))

    def _reclaim_places(self) -> None:
        """Have paused programs give up their places for others that wait."""
        taken = self._taken()
        paused = [session for session in self._places if session.paused_since is not None]
        paused.sort(key=lambda session: session.paused_since or 0)
        wanted = giving_way(
            (self._in_line[waiting][0] for waiting in self._queue.order(taken)),
            [(session, self._places[session]) for session in paused],
            taken,
            self.address_programs,
        )
        for session in paused:
            session.reclaim_place(session in wanted)

    def add(self, session: Session, address: str = "") -> None:
        """Keep a session of an address, and remove others that there is no room for."""
        self._sessions[session.id] = session
        if not session.running:
            self._packing.add(session.log)
        self._holdings.add(session, address)
        self._evict()

    def measures(self) -> dict[str, float]:
        """Return numbers about sessions and programs, by the names that operations/metrics.py has for them."""
        return {
            "waiting": len(self._queue),
            "running": len(self._places) + len(self.replays),
            "paused": sum(session.paused_since is not None for session in self._places),
            "places": self.running,
            "kept_bytes": self._holdings.total,
            "kept_sessions": len(self._sessions),
        }

    def find(self, identity: str) -> Session | None:
        """Return the session with this id, None if there is none in memory."""
        return self._sessions.get(identity) or self.recordings.find(identity)

    async def open(self, identity: str) -> Session | None:
        """Return the session with this id, from memory or from the disk; None if there is none.

        Raises: StorageError for one on the disk that cannot be read.
        """
        if (session := self.find(identity)) is not None or self.storage is None:
            return session
        stored = await self.storage.open(identity, events=self.limits.events + 2, nbytes=self.limits.log_bytes + 4096)
        if stored is None or (session := self.find(identity)) is not None:  # Another reader was faster.
            return session
        self.add(stored)
        return stored

    async def remove(self, identity: str) -> bool:
        """Stop a session and remove it, in memory and on the disk; its current readers get its log to the end.

        Returns False where there is none.
        """
        session = self._sessions.get(identity)
        if session is not None and session.holders > 1:
            session.holders -= 1
            return True
        if session is not None:
            session.stop()
            self._lose(session)
            self._evict()
        stored = self.storage is not None and await self.storage.remove(identity)
        return stored or session is not None

    async def stop(self) -> None:
        """End every run because the server stops, and wait until their logs are complete."""
        await self.recordings.close()
        # No run in line may start meanwhile.
        self.running = 0
        await self.replays.close()
        sessions = {*self._holdings, *self._places, *self._in_line}
        for session in sessions:
            session.stop(server_stopped())
        await asyncio.gather(*(session.over() for session in sessions))

    async def close(self) -> None:
        """End every run and the sandbox."""
        await self.stop()
        if self.storage is not None:
            await self.storage.close()
        await self.launcher.close()

    def _evict(self) -> None:
        """Remove finished sessions until the others are within the bounds, and removed ones without a reader."""
        for session in [session for session in self._holdings if session.id not in self._sessions]:
            if not (session.running or session.watchers or session.being_kept):
                self._holdings.drop(session)
        self._holdings.make_room()

    def _lose(self, session: Session) -> None:
        """Remove a session from the look-up by id."""
        if self._sessions.pop(session.id, None) is not None:
            self._forget_result(session)
            self.replays.forget(session)
            self._when_removed(session)

    def _forget_result(self, session: Session) -> None:
        for name in [name for name, other in self._results.items() if other is session]:
            del self._results[name]

    def _let_go(self, session: Session) -> None:
        """Clean up for a session whose events are about to be freed."""
        self._lose(session)
        self._freed.add(session.log.nbytes)
