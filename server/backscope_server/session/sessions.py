"""The interface of what keeps sessions and has them run: open, start, send, events, stop, close.

Commands are sent and events are read by the session itself: `Session.command`, `Session.log`, `Session.stop`.
The pool of this process is one implementation (embedded.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from backscope.protocol.commands import Command
from backscope_server.session.past.replays import Replays
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.session.supervisor import Reply

Opening: TypeAlias = Sequence[tuple[Command, Reply]]
"""Commands that a program gets before it begins, each with what takes its answer."""


class NotStarted(RuntimeError):
    """The error for sessions that cannot be had from the start; the text says why."""


class NoPlace(RuntimeError):
    """The error for a program that cannot be started now; the text says why."""


class PoolFull(NoPlace):
    """The error for a program when as many run, and as many wait, as are allowed."""


class TooManyPrograms(NoPlace):
    """The error for a program of an address of which as many wait as are allowed."""


class Readiness(NamedTuple):
    """Whether programs start at once, and what isolates them: the layers of the sandbox by name, and all together.

    `serves` says whether requests are to come here at all; `sandboxed` is None while nothing runs programs.
    """

    ready: bool
    serves: bool
    sandboxed: bool | None
    layers: dict[str, bool]


class SharedCounts(Protocol):
    """Counts what addresses do at all gateways of a fleet together."""

    async def request(self, address: str) -> float:
        """Count a request of an address; return 0, or after how many seconds there may be one more."""

    async def start(self, address: str, many: int) -> float:
        """Count starts of programs; return 0, or after how many seconds there may be more."""

    async def open_socket(self, address: str) -> tuple[float, bool]:
        """Count a request and the WebSocket that it opens.

        Return what `request` does, and whether there may be such a socket; it counts, until `close_socket`, if so.
        """

    def close_socket(self, address: str) -> None:
        """Count one WebSocket less."""


def many_starts(most: float, seconds: float) -> str:
    """Return why an address may start nothing for so many seconds, where a minute has `most` starts."""
    allowed = "one program" if most == 1 else f"{most:g} programs"
    return (
        f"This server starts {allowed} a minute for one network address, and yours has started as many. "
        f"Run again in {max(1, math.ceil(seconds))} s."
    )


class Sessions(Protocol):
    """Sessions by their ids, and the programs that are run again for values of their past."""

    @property
    def counts(self) -> SharedCounts | None:
        """What counts addresses at other processes too, None where there are none."""

    @property
    def replays(self) -> Replays:
        """The programs that are run again."""

    @property
    def readiness(self) -> Readiness:
        """Whether programs start at once."""

    async def known(
        self, program: Program, key: str | None, *, recorded: bool, result: str | None = None
    ) -> Session | None:
        """Return the session that a start would only repeat, None where there is none.

        That is one with the same key, a recording if that is `recorded`, or the finished run named `result`.
        """

    async def start(
        self,
        program: Program,
        address: str = "",
        *,
        key: str | None = None,
        opening: Opening = (),
        result: str | None = None,
    ) -> Session:
        """Start a program for an address, or queue it; it gets the commands of `opening` before it begins.

        If it ends by itself it is found under the name `result` from then on.

        Raises: PoolFull, TooManyPrograms.
        """

    def find(self, identity: str) -> Session | None:
        """Return the session with this id, None if there is none in memory."""

    async def open(self, identity: str) -> Session | None:
        """Return the session with this id, None if there is none.

        Raises: StorageError for one that cannot be read.
        """

    async def add(self, session: Session, address: str = "", *, is_shared: bool = False) -> None:
        """Keep a finished session that was not started here, such as a trace file's.

        A shared run's is not written to the disk: the run is kept where shared ones are, as long as these.
        """

    async def remove(self, identity: str) -> bool:
        """Stop a session and remove it; return False where there is none."""

    def admit_replay(self, address: str) -> None:
        """Take a place for a program that is run again for an address.

        Raises: PoolFull, TooManyPrograms.
        """

    async def measures(self) -> dict[str, float]:
        """Return numbers about sessions and programs, by the names that operations/metrics.py has for them."""

    def record(self, programs: Iterable[Program]) -> None:
        """Run programs that many people start unchanged, once for all."""

    async def stop(self) -> None:
        """End what cannot go on without this process, and wait until its logs are complete."""

    async def close(self) -> None:
        """Stop, and give up everything that is held."""
