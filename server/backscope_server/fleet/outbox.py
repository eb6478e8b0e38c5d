"""The log of a run at its worker: events wait here until Redis has them, and no longer."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Callable

import msgspec

from backscope_server.fleet.connection import LOST, Connection, RedisError
from backscope_server.fleet.order import Taken
from backscope_server.fleet.repetition import Repetition
from backscope_server.fleet.wakeups import Wakeup
from backscope_server.session.ending import closing_events, not_repeated
from backscope_server.session.log import SessionLog

logger = logging.getLogger(__name__)

_BATCH_BYTES = 1 << 18
_UNWRITTEN_BYTES = 1 << 21
"""The bytes that wait here before no more of the program's events are read."""
_AGAIN_SECONDS = 0.2
_FULL_SECONDS = 5.0, 20.0
"""The time for which a run waits for room in a full Redis before it is ended: chosen between these."""
_PASSING_BYTES = 12 << 20
"""The bytes of a passing run's events that wait in Redis before its program is held."""


class Outbox(SessionLog):
    """Takes the events of a program, from seq `after` on as `repetition` gives them, and writes them in batches.

    `token` is that of the lease: without it nothing is written.  `hold` is called with True when much is waiting, and
    with False when it is not; `full` where Redis has had no room for long; `failed` where the program did something
    else when it was run again; `lost` with what Redis said where it is not to be written here any more: "lost" to
    another worker, "gone" from Redis, or with a "gap" because Redis has lost the last batches.
    """

    def __init__(
        self,
        connection: Connection,
        identity: str,
        token: str,
        repetition: Repetition,
        after: int,
        *,
        passing: bool,
        hold: Callable[[bool], None],
        lost: Callable[[str], None],
        failed: Callable[[], None],
        full: Callable[[], None],
    ) -> None:
        super().__init__()
        self.sealed = False
        """True once nothing more is taken."""
        self.room = Wakeup()
        """Is set when batches may have been removed from Redis."""
        self._connection = connection
        self._identity = identity
        self._token = token
        self._repetition = repetition
        self._last = after
        self._passing = passing
        self._hold = hold
        self._lost = lost
        self._failed = failed
        self._full = full
        self._waiting: deque[bytes] = deque()
        self._waiting_nbytes = 0
        self._first = after + 1
        self._taken: list[Taken] = []
        self._filled = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._held = False

    @property
    def waiting_nbytes(self) -> int:
        """The bytes of events that are not in Redis yet."""
        return self._waiting_nbytes

    @property
    def last(self) -> int:
        """The seq of the last event, in the log's numbers."""
        return self._last

    def append(self, lines: list[bytes]) -> None:
        """Take the next events of the program."""
        if self.sealed or self.complete:
            return
        written = self._repetition.feed(lines)
        if written:
            self._put(written)
        if self._repetition.failure is not None:
            self._fail()

    def end(self, lines: list[bytes]) -> None:
        """Add the last events, which the worker wrote, and mark the log as complete."""
        if self.sealed or self.complete:
            return
        self._put(lines)
        self.closing = lines
        super().finish()

    def finish(self) -> None:
        """Mark the log as complete: the program has ended."""
        if self.sealed or self.complete:
            return
        self._repetition.finished()
        if self._repetition.failure is not None:
            self._fail()
            return
        super().finish()

    def took(self, taken: Taken) -> None:
        """Have it written, with the next batch, that the program took a command."""
        self._taken.append(taken)

    def seal(self) -> None:
        """Take nothing more, and write nothing more."""
        self.sealed = True
        self._waiting.clear()
        self._empty.set()
        self._filled.set()
        super().finish()

    async def written(self) -> None:
        """Wait until everything is written."""
        await self._empty.wait()

    async def write(self) -> None:
        """Write batches as they come, for ever."""
        while True:
            while not self._waiting:
                self._filled.clear()
                if self.sealed:
                    return
                await self._filled.wait()
            lines, nbytes = self._batch()
            taken, self._taken = self._taken, []
            said = await self._write_batch(lines, taken)
            if self.sealed:
                return
            if said not in (b"ok", b"had"):
                self.seal()
                self._lost(said.decode())
                return
            for _ in lines:
                self._waiting.popleft()
            self._first += len(lines)
            self._waiting_nbytes -= nbytes
            if self._held and self._waiting_nbytes < _UNWRITTEN_BYTES // 2:
                self._held = False
                self._hold(False)
            if not self._waiting:
                self._empty.set()

    def _put(self, lines: list[bytes]) -> None:
        self._last += len(lines)
        self._waiting.extend(lines)
        self._waiting_nbytes += sum(map(len, lines))
        self._empty.clear()
        self._filled.set()
        if not self._held and self._waiting_nbytes > _UNWRITTEN_BYTES:
            self._held = True
            self._hold(True)

    def _fail(self) -> None:
        """End the log: the program did something else when it was run again."""
        failure = self._repetition.failure
        assert failure is not None
        self._put(closing_events(not_repeated(failure), self._last + 1, None))
        super().finish()
        self._failed()

    def _batch(self) -> tuple[list[bytes], int]:
        lines: list[bytes] = []
        nbytes = 0
        for line in self._waiting:
            if lines and nbytes + len(line) > _BATCH_BYTES:
                break
            lines.append(line)
            nbytes += len(line)
        return lines, nbytes

    async def _write_batch(self, lines: list[bytes], taken: list[Taken]) -> bytes:
        """Write a batch, as soon as Redis takes it, and return what it said."""
        connection, identity = self._connection, self._identity
        keys = connection.keys
        where = [keys.log(identity), keys.run(identity), keys.lease(identity)]
        given = [
            self._token,
            self._first,
            self._first + len(lines) - 1,
            connection.settings.fleet_kept_milliseconds,
            b"\n".join(lines),
            msgspec.json.encode(taken),
            keys.readers(identity),
            _PASSING_BYTES if self._passing else 0,
        ]
        full_since: float | None = None
        # Not all runs at the same time: one that ends may make enough room for the others.
        patience = random.uniform(*_FULL_SECONDS)
        while not self.sealed:
            try:
                said: bytes = await connection.scripts.append(where, [*given, int(self.complete)])
            except LOST:
                await asyncio.sleep(_AGAIN_SECONDS)
            except RedisError as error:  # It is full, or loading its data.
                now = time.monotonic()
                if full_since is None:
                    logger.warning("The fleet's Redis takes no events now: %s.", error)
                    full_since = now
                elif now - full_since > patience:
                    self._full()
                await asyncio.sleep(_AGAIN_SECONDS)
            else:
                if said != b"full":
                    return said
                await self.room.wait(_AGAIN_SECONDS)
        return b"lost"
