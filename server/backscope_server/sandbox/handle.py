"""The interface of a started process that a launcher needs, on every system."""

from __future__ import annotations

import signal
from typing import Protocol

from backscope_server.sandbox.messages import Exited, Ready, Spawn

KILL = signal.Signals(getattr(signal, "SIGKILL", signal.SIGTERM))
"""The signal that ends a process whatever it does; a system without it ends it all the same."""


class Handle(Protocol):
    """A process that can be signalled until it is forgotten; `pid` as the server sees it."""

    pid: int | None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, if the process is still there."""

    def come_last(self) -> None:
        """Let processes that have just begun go before it."""

    def cpu_seconds(self) -> float:
        """The processor time that it has used, 0 where that is not known."""

    def close(self) -> None:
        """Forget the process."""


class Source(Protocol):
    """A source of processes for programs."""

    pid: int | None

    def spawn(self, order: Spawn, pipes: tuple[int, int, int]) -> None:
        """Start a process with these ends of its pipes: control, events, diagnostics.

        Raises: OSError.
        """

    def close(self) -> None:
        """End every process."""


class Listener(Protocol):
    """The callbacks of a source."""

    without: tuple[str, ...]

    def loaded(self, source: Source, report: Ready) -> None:
        """Processes can be had from now on."""

    def refused(self, source: Source, reason: str) -> None:
        """No process can be had."""

    def died(self, source: Source) -> None:
        """The source is gone, and its processes with it."""

    def spawned(self, child: int, handle: Handle) -> None:
        """This child is there."""

    def exited(self, child: int, report: Exited | None, lost: str | None = None) -> None:
        """This child is gone; without a report, `lost` says why there is none."""
