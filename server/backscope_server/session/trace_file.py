"""Reads trace files: a finished session from a `.backscope` file, or its events from the bytes of one."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from backscope.protocol import events as protocol, trace
from backscope_server.sandbox.limits import Limits
from backscope_server.session.admission import NotATrace, check_recorded
from backscope_server.session.ending import cut_off
from backscope_server.session.lines import Lines
from backscope_server.session.session import Session

_BYTES_AT_ONCE = 1 << 16
"""The bytes of events that are read between two calls of `yield_thread`."""


def salvaged(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the events of a trace as far as it can be read, then one that says so if its end is missing."""
    last = b""
    count = 0
    with contextlib.suppress(trace.TraceError):
        for line in lines:
            yield line
            last = line
            count += 1
    if count and not _is_end(last):
        yield cut_off(count)


def _is_end(line: bytes) -> bool:
    try:
        return isinstance(protocol.decode(line), protocol.ProgramFinished)
    except (ValueError, RecursionError):
        return False


def load(file: IO[bytes], limits: Limits, yield_thread: Callable[[], None] = lambda: None) -> tuple[Lines, str]:
    """Read the events and the status of a trace file, within the limits of a run.

    A trace without its end gives the events up to there, with status "cut".  Events are packed as they are read.
    `yield_thread` is called every few milliseconds of work.

    Raises: NotATrace, trace.TraceError, OSError.
    """
    lines = Lines()
    status = check_recorded(_bounded(file, limits, yield_thread), limits, lines)
    while lines.compact():
        pass
    return lines, status


def _bounded(file: IO[bytes], limits: Limits, yield_thread: Callable[[], None]) -> Iterator[bytes]:
    """Yield the events of a trace, and an end if they have none.

    Raises: NotATrace for too much of them; trace.TraceError.
    """
    last = b""
    count = size = yielded_at = 0
    try:
        for line in trace.load(file):
            size += len(line)
            if size > limits.log_bytes or count == limits.events:
                raise NotATrace(
                    f"The trace is too large: this server opens {limits.events:,} events and {limits.log_bytes:,} "
                    "bytes at most. "
                    "Raise BACKSCOPE_EVENTS and BACKSCOPE_LOG_BYTES to open it."
                )
            if size - yielded_at > _BYTES_AT_ONCE:
                yielded_at = size
                yield_thread()
            yield line
            last = line
            count += 1
    except trace.CutShort:
        if not count:
            raise
    if count and not _is_end(last):
        yield cut_off(count)


def unpack(body: bytes, limits: Limits, yield_thread: Callable[[], None]) -> tuple[Lines, str]:
    """Read the events and the status from the bytes of a trace file; raises as `load` does."""
    return load(io.BytesIO(body), limits, yield_thread)


def session_of(path: Path, limits: Limits) -> Session:
    """Return a finished session with the events of a trace file; raises as `load` does."""
    with open(path, "rb") as file:
        return Session.recorded(*load(file, limits))
