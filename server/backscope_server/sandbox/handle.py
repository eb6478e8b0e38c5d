"""The interfaces between the launcher and a source of processes: a zygote, or processes started one by one."""

from __future__ import annotations

import signal
from typing import Protocol

from backscope_server.sandbox.messages import Exited, Ready, Spawn

KILL = signal.Signals(getattr(signal, "SIGKILL", signal.SIGTERM))
"""The signal that kills a process; systems without signals end the process as well."""


class Handle(Protocol):
    """A process that can be signalled until it is closed; `pid` is its id as the server sees it."""

    pid: int | None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, unless the process has ended."""

    def lower_priority(self) -> None:
        """Lower the priority of the process below those of programs that have just begun."""

    def cpu_seconds(self) -> float:
        """Return the processor time that it has used, 0 if that is not known."""

    def close(self) -> None:
        """Release the handle."""


class Source(Protocol):
    """A source of processes for programs."""

    pid: int | None

    def spawn(self, order: Spawn, pipes: tuple[int, int, int]) -> None:
        """Start a process with these ends of its pipes: control, events, diagnostics.

        Raises: OSError.
        """

    def close(self) -> None:
        """End every process of this source."""


class Listener(Protocol):
    """The callbacks of a source."""

    without: tuple[str, ...]

    def loaded(self, source: Source, report: Ready) -> None:
        """The source is ready to start processes."""

    def refused(self, source: Source, reason: str) -> None:
        """The source cannot start processes, or not this one."""

    def died(self, source: Source) -> None:
        """The source has ended, and its processes with it."""

    def spawned(self, child: int, handle: Handle) -> None:
        """A child has been started."""

    def exited(self, child: int, report: Exited | None, lost: str | None = None) -> None:
        """A child has ended; `lost` says why its exit status is unknown, if it is."""
