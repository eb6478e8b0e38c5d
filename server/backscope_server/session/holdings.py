"""Bounds the memory of sessions: which have events in memory, by address, and which are removed first.

The address with the most events gives up sessions first, so that no address loses them to another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from backscope_server.session.ending import no_memory
from backscope_server.session.session import Session

STORED_BYTES = 4 << 20
"""Memory for the events of finished runs that are on disk too, those used last, bytes."""


class Holdings:
    """At most `kept` sessions with `nbytes` bytes of events, those of running programs included.

    `let_go` is called with each removed session, before its events are freed.  `needed` returns whether a session that
    is on disk too is being read.
    """

    def __init__(
        self, kept: int, nbytes: int, let_go: Callable[[Session], None], needed: Callable[[Session], bool]
    ) -> None:
        self.kept = kept
        self.nbytes = nbytes
        self.total = 0
        """The memory that the events of all sessions take, bytes."""
        self._addresses: dict[Session, str] = {}
        """The addresses that started them, the oldest session first."""
        self._counted: dict[Session, int] = {}
        self._let_go = let_go
        self._needed = needed

    def __iter__(self) -> Iterator[Session]:
        return iter(self._addresses)

    def __len__(self) -> int:
        return len(self._addresses)

    def add(self, session: Session, address: str) -> None:
        """Count a session, and all further growth of its log."""
        self._addresses[session] = address
        session.log.grew = lambda: self._count(session)
        self._count(session)

    def drop(self, session: Session) -> None:
        """Remove a session and free its events."""
        session.log.grew = lambda: None
        del self._addresses[session]
        self.total -= self._counted.pop(session)
        self._let_go(session)
        session.log.clear()

    def make_room(self) -> None:
        """Remove sessions until the others fit; the newest session stays.

        Fewer are kept of those that can be read again from the disk.
        """
        *older, newest = self._addresses or (None,)
        while len(self) > self.kept and (session := self._oldest(lambda _session: 1)):
            self.drop(session)
        while self.total > self.nbytes and (session := self._oldest(self._counted.__getitem__)):
            self.drop(session)
        stored = [session for session in older if session in self._addresses and session.stored]
        nbytes = sum(self._counted[session] for session in stored)
        for session in stored:
            if nbytes > STORED_BYTES and not session.watchers and not self._needed(session):
                nbytes -= self._counted[session]
                self.drop(session)
        if newest is not None and self.total > self.nbytes + (0 if newest.running else self._counted[newest]):
            self._end_largest()

    def _count(self, session: Session) -> None:
        nbytes = session.log.nbytes
        self.total += nbytes - self._counted.get(session, 0)
        self._counted[session] = nbytes
        if self.total > self.nbytes or len(self) > self.kept:
            self.make_room()

    def _oldest(self, cost: Callable[[Session], int]) -> Session | None:
        """Return the oldest removable session of the address with the most memory; None if it has none.

        Running sessions count, but cannot be removed, nor can those that are still being written to the disk.  One
        that is being read is removed only where all others are read too.
        """
        most = self._most(cost)
        removable = [
            session
            for session in list(self._addresses)[:-1]
            if self._addresses[session] == most and not session.running and not session.being_kept
        ]
        return min(removable, key=lambda session: session.watchers > 0, default=None)

    def _most(self, cost: Callable[[Session], int]) -> str:
        """Return the address with the most memory."""
        costs: Counter[str] = Counter()
        for session, address in self._addresses.items():
            costs[address] += cost(session)
        return costs.most_common(1)[0][0]

    def _end_largest(self) -> None:
        """End the largest program of the address with the most memory, unless one is ending already."""
        most = self._most(self._counted.__getitem__)
        running = [session for session, address in self._addresses.items() if address == most and session.running]
        if running and not any(session.ending for session in running):
            max(running, key=self._counted.__getitem__).stop(no_memory())
