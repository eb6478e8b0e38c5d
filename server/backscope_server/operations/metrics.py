"""Counts what happens, and writes it in the text format of Prometheus."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping

from backscope_server.operations.spans import Spans
from backscope_server.session.lines import NotKept
from backscope_server.session.session import Session

logger = logging.getLogger(__name__)

_PREFIX = "backscope_"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)

COUNTERS = {
    "starts_total": "Programs that were started here, by whether they were run or answered from an earlier run.",
    "refused_total": "Starts that were refused, by the status of the answer.",
    "runs_total": "Runs that have ended here, by their status.",
    "contained_total": "Runs that were ended by a limit or by the sandbox, by the type of their error.",
    "kills_total": "Of these, those that left their bounds, by what ended them: server, rlimits, seccomp or kernel.",
}
HISTOGRAMS = {
    "first_event_seconds": "Time from the start of a program to its first event after program_started.",
    "run_seconds": "Time from the start of a program to its last event.",
}
GAUGES = {
    "waiting": "Programs that wait to be started; of the whole fleet at a gateway.",
    "running": "Programs that run, paused ones included; of the whole fleet at a gateway.",
    "paused": "Programs that are paused; of the whole fleet at a gateway.",
    "places": "Programs that may run at once; of all workers at a gateway.",
    "workers": "Workers that have reported lately.",
    "leases": "Runs that a worker holds the lease of.",
    "connections": "Connections of clients that are open at this process.",
    "sockets": "WebSockets among them.",
    "queue_bytes": "Bytes that wait here: arriving requests, data that clients have not read, or events for Redis.",
    "kept_bytes": "Bytes of events in the memory of this process.",
    "kept_sessions": "Sessions in the memory of this process.",
    "store_bytes": "Memory that the fleet's Redis uses.",
    "stored_bytes": "Of it, what runs take, by kind: logs, finished, commands, answers, line; from 100 runs of a kind.",
    "store_share": "The part of the memory that the fleet's Redis may use that it does use.",
    "ready": "1 where programs start at once.",
}


class Metrics:
    """The counters of a process; labels are few and never of a program or an address.  Runs are sent to `spans` too."""

    def __init__(self, spans: Spans | None = None) -> None:
        self._spans = spans
        self._counts: Counter[tuple[str, str]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BUCKETS) + 1))
        self._sums: Counter[str] = Counter()
        self._following: set[asyncio.Task[None]] = set()

    def count(self, name: str, **label: str) -> None:
        """Count one more; `label` is at most one."""
        found = "".join(f'{{{key}="{value}"}}' for key, value in label.items())
        self._counts[name, found] += 1

    def observe(self, name: str, seconds: float) -> None:
        """Count a time."""
        self._buckets[name][bisect_left(_BUCKETS, seconds)] += 1
        self._sums[name] += seconds  # type: ignore[assignment]  # A Counter adds floats as well.

    def follow(self, session: Session) -> None:
        """Count how long the first and the last event of a session that has just been started take."""
        task = asyncio.create_task(self._measure(session, time.monotonic()), name=f"times of {session.id}")
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def _measure(self, session: Session, begun: float) -> None:
        with contextlib.suppress(NotKept):
            await self._follow(session, begun)

    async def _follow(self, session: Session, begun: float) -> None:
        times = [begun]
        if await session.log.beyond(-1):
            times.append(time.monotonic())
        if await session.log.beyond(0):
            times.append(time.monotonic())
            self.observe("first_event_seconds", times[-1] - begun)
        await session.log.completed()
        times.append(time.monotonic())
        self.observe("run_seconds", times[-1] - begun)
        if self._spans is not None:
            await session.over()
            self._spans.run(times, status=session.status, events=session.log.last + 1)

    def close(self) -> None:
        """Send what is known of runs and has not been sent."""
        if self._spans is not None:
            self._spans.close()

    def ended(self, session: Session) -> None:
        """Count a run that is over."""
        self.count("runs_total", status=session.status)
        logger.info("A run has ended.", extra={"fields": {"status": session.status, "events": session.log.last + 1}})
        if (ending := session.ended_by) is not None and ending.type is not None:
            self.count("contained_total", error=ending.type)
            if ending.layer is not None:
                self.count("kills_total", layer=ending.layer)

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return all of them as Prometheus reads them."""
        said: list[str] = []
        for name, about in COUNTERS.items():
            said += [f"# HELP {_PREFIX}{name} {about}", f"# TYPE {_PREFIX}{name} counter"]
            found = sorted((label, count) for (other, label), count in self._counts.items() if other == name)
            said += [f"{_PREFIX}{name}{label} {count}" for label, count in found]
        for name, about in HISTOGRAMS.items():
            said += [f"# HELP {_PREFIX}{name} {about}", f"# TYPE {_PREFIX}{name} histogram"]
            total = 0
            for bound, count in zip((*_BUCKETS, "+Inf"), self._buckets[name], strict=True):
                total += count
                said.append(f'{_PREFIX}{name}_bucket{{le="{bound}"}} {total}')
            said += [f"{_PREFIX}{name}_sum {float(self._sums[name]):.6f}", f"{_PREFIX}{name}_count {total}"]
        kinds: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in gauges.items():
            kinds[name.partition("{")[0]].append(f"{_PREFIX}{name} {value:.15g}")
        for name, lines in kinds.items():
            said += [f"# HELP {_PREFIX}{name} {GAUGES[name]}", f"# TYPE {_PREFIX}{name} gauge", *lines]
        return "\n".join(said) + "\n"
