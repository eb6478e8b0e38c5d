"""The mirrors that a gateway keeps, within bounds of their number and bytes."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator

from backscope_server.fleet.mirror import Mirror


class Mirrors:
    """Mirrors by the ids of their sessions, those used last at the end.

    Where there are more than `most`, those that are over and have no reader are removed, the first ones first.
    Where their logs have more than `most_bytes`, mirrors are dropped: those without a reader first, then the largest,
    whose readers have to open it again.  `busy` returns whether a mirror without a reader is needed, and `dropped` is
    called with each that is removed.
    """

    def __init__(
        self, most: int, most_bytes: int, *, busy: Callable[[Mirror], bool], dropped: Callable[[Mirror], None]
    ) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._busy = busy
        self._dropped = dropped
        self._mirrors: OrderedDict[str, Mirror] = OrderedDict()
        self._counted: dict[str, int] = {}
        """The bytes of each mirror's log, as they were counted last."""
        self.nbytes = 0
        self._read_at: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._mirrors)

    def __iter__(self) -> Iterator[Mirror]:
        return iter(list(self._mirrors.values()))

    def get(self, identity: str) -> Mirror | None:
        """Return the mirror of a session, None where there is none."""
        return self._mirrors.get(identity)

    def add(self, mirror: Mirror) -> None:
        """Keep a mirror."""
        self._mirrors[mirror.id] = mirror
        self.touch(mirror)
        self.trim()
        mirror.log.grew = lambda: self._count(mirror)
        self._count(mirror)

    def trim(self) -> None:
        """Remove mirrors that are over and have no reader until there are at most `most`."""
        over = [one for one in self._unread() if one.log.complete]
        for one in over[: max(0, len(self) - self._most)]:
            self._remove(one)

    def touch(self, mirror: Mirror) -> None:
        """Count the time without a reader from now on."""
        if mirror.id in self._mirrors:
            self._mirrors.move_to_end(mirror.id)
            self._read_at[mirror.id] = time.monotonic()

    def unread_seconds(self, mirror: Mirror) -> float:
        """Return for how many seconds nobody has read a mirror or asked it anything."""
        return 0.0 if mirror.watchers else time.monotonic() - self._read_at[mirror.id]

    def drop(self, mirror: Mirror) -> None:
        """Remove a mirror, follow its run no longer, and free its events; who still reads them gets NotKept."""
        if self._mirrors.get(mirror.id) is mirror:
            self._remove(mirror)
            mirror.drop()

    def _remove(self, mirror: Mirror) -> None:
        del self._mirrors[mirror.id], self._read_at[mirror.id]
        self.nbytes -= self._counted.pop(mirror.id, 0)
        mirror.log.grew = lambda: None
        self._dropped(mirror)

    def _count(self, mirror: Mirror) -> None:
        nbytes = mirror.log.nbytes
        self.nbytes += nbytes - self._counted.get(mirror.id, 0)
        self._counted[mirror.id] = nbytes
        while self.nbytes > self._most_bytes and len(self) > 1:
            unread = sorted(self._unread(), key=lambda one: not one.log.complete)
            self.drop(unread[0] if unread else max(list(self)[:-1], key=lambda one: one.log.nbytes))

    def _unread(self) -> list[Mirror]:
        """Return the mirrors that are neither read nor busy, those used last at the end, without the very last."""
        return [one for one in list(self)[:-1] if not one.watchers and not self._busy(one)]
