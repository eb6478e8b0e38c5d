"""Compares the events of a replay with those of the original run and finds the first difference."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any

from backscope.protocol import events
from backscope_server.session.past.run_record import PAUSED, STOPS, RunRecord

_LIMIT = b'"stage":"limit"'
_LONGEST = 120
_LEFT_OUT = re.compile(rb',"frames_left_out":\d+')
_AHEAD = 4 << 20
"""How far a replay may get ahead of a run that has not ended, bytes."""


class Difference:
    """The first event that differs, with its `seq` in the log of the original run."""

    def __init__(self, index: int, seq: int, was: bytes, now: bytes, versions: str) -> None:
        self.index = index
        self.seq = seq
        self._was = was
        self._now = now
        self._versions = versions

    def __str__(self) -> str:
        return (
            f"The program did something else when it was run again: {_compared(self.seq, self._was, self._now)}. "
            + (
                self._versions
                or "It depends on more than its seed, such as id(), the order of a set or the system's randomness."
            )
        )


def _but_for_depth(line: bytes) -> bytes:
    """Return an event without the depth of a RecursionError: frames of the debugger take some of the depth."""
    if b'"type":"RecursionError"' not in line:
        return line
    return _LEFT_OUT.sub(b"", line)


def alike(one: bytes, other: bytes) -> bool:
    """Return whether two encoded events say the same: a page that wrote the record writes 3.0 as 3, and -0.0 as 0."""
    return one == other or json.loads(one) == json.loads(other)


class ReplayComparison:
    """A log of a replay that stores no events: it compares each with the original run.

    `place` is the pause that the program is at, None while it runs; `index` that of its last event; `stops` the number
    of its stops; `over` says whether it has ended, and `failure` why if the server ended it.
    """

    def __init__(self, record: RunRecord) -> None:
        self.index = -1
        self.stops = 0
        self.place: events.Paused | None = None
        self.over = False
        self.failure: str | None = None
        self.difference: Difference | None = None
        self._record = record
        self._last_seq = -1
        self._own_stops: list[int] = []
        self._at = 0
        self._waiting: list[tuple[int, bytes]] = []
        self._waiting_nbytes = 0
        self._versions: dict[str, str] = {}

    @property
    def last(self) -> int:
        """The seq of the last event of the replay."""
        return self._last_seq

    def index_of(self, seq: int) -> int:
        """Return the index of event `seq` of the replay."""
        return seq - bisect_right(self._own_stops, seq)

    def append(self, lines: list[bytes]) -> None:
        """Compare the next events."""
        for line in lines:
            self._last_seq += 1
            if line.startswith(STOPS):
                self.stops += 1
                self._own_stops.append(self._last_seq)
                event = events.decode(line) if line.startswith(PAUSED) else None
                self.place = event if isinstance(event, events.Paused) else None
            elif _LIMIT in line and (message := _of_the_server(line)) is not None:
                self.failure = message
                self.over = True
            elif not self.over:
                self.index += 1
                if self.difference is None:
                    self._compare(self._last_seq, line)

    def end(self, lines: list[bytes]) -> None:
        """Take the last events, which the server wrote."""
        self.append(lines)
        self.finish()

    def finish(self) -> None:
        """Record that the program has ended."""
        self.over = True

    def settle(self) -> None:
        """Compare the buffered events with those that the original run has recorded meanwhile."""
        waiting, self._waiting = self._waiting, []
        self._waiting_nbytes = 0
        for seq, line in waiting:
            if self.difference is None:
                self._compare(seq, line)

    def _compare(self, seq: int, line: bytes) -> None:
        lines = self._record.lines
        if self._waiting:
            self._wait(seq, line)
            return
        at = self._at
        while at < len(lines) and lines[at].startswith(STOPS):
            at += 1
        if at >= len(lines):
            self._wait(seq, line)
            self._at = at
            return
        self._at = at + 1
        was = lines[at]
        if seq != at:
            line = line.replace(b'"seq":%d,' % seq, b'"seq":%d,' % at, 1)
        if line == was or alike(_but_for_depth(line), _but_for_depth(was)):
            return
        if at == 0:  # Versions may differ; their effects are found in later events.
            started = events.decode(line)
            self._versions = started.versions if isinstance(started, events.ProgramStarted) else {}
            return
        index = self._record.index(at)
        if index <= self._record.last:
            self.difference = Difference(index, at, was, line, self._other_versions())

    def _wait(self, seq: int, line: bytes) -> None:
        """Buffer an event that the original run has not recorded yet: the two may differ by a few within a moment."""
        self._waiting.append((seq, line))
        self._waiting_nbytes += len(line)
        if self._waiting_nbytes > _AHEAD:
            self._waiting.clear()
            self.failure = "It recorded many more events than the run had recorded by then."
            self.over = True

    def _other_versions(self) -> str:
        was = self._record.versions
        other = [name for name in self._versions if was.get(name) != self._versions[name]]
        if not other:
            return ""
        before = ", ".join(f"{name} {was.get(name, 'of an unknown version')}" for name in other)
        here = ", ".join(f"{name} {self._versions[name]}" for name in other)
        return f"It was recorded with {before}; this server has {here}."


def _of_the_server(line: bytes) -> str | None:
    """Return the message of an error with which the server ended the run; None for other events."""
    event = events.decode(line)
    return event.message if isinstance(event, events.ErrorRaised) and event.stage == "limit" else None


def _compared(seq: int, was: bytes, now: bytes) -> str:
    before, after = json.loads(was), json.loads(now)
    line = before["line"]
    where = f"at event {seq}" + (f", line {line}" if line is not None else "")
    if before["kind"] != after["kind"]:
        other = after["line"]
        return (
            f"{where}, it recorded {after['kind']}"
            + (f" of line {other}" if other not in (None, line) else "")
            + f" where the run had {before['kind']}"
        )
    if before["kind"] == "output_printed":
        return f"{where}, it printed {_short(after['text'])} where the run had printed {_short(before['text'])}"
    path, old, new = _first(before, after)
    return f"{where}, {before['kind']} has {path} {_short(new)} where the run had {_short(old)}"


def _first(was: Any, now: Any, path: str = "") -> tuple[str, Any, Any]:
    """Return the first field that differs between two encoded events, and its value in both."""
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        for name in was:
            if was[name] != now[name]:
                return _first(was[name], now[name], f"{path}.{name}" if path else str(name))
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for number, item in enumerate(was):
            if item != now[number]:
                return _first(item, now[number], f"{path}[{number}]")
    return path, was, now


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
