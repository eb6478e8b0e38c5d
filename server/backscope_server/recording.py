"""Trace files on their way in and out: the `.backscope` file of a session, and a session from such a file."""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from backscope import events as protocol, trace
from backscope_server.sandbox.limits import Limits
from backscope_server.session.admission import NotATrace, check_recorded
from backscope_server.session.ending import cut_off
from backscope_server.session.session import Session


def salvaged(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The events of a trace up to where it can be read; one that says so follows where its end is missing."""
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


def load(file: IO[bytes], limits: Limits) -> tuple[list[bytes], str]:
    """The events of a trace and the status it ended with; as many and as large ones as a run may have.

    Of a trace whose end is missing, what there is, with status "cut".

    Raises: NotATrace, trace.TraceError, OSError.
    """
    lines: list[bytes] = []
    size = 0
    try:
        for line in itertools.islice(trace.load(file), limits.events + 1):
            size += len(line)
            if size > limits.log_bytes or len(lines) == limits.events:
                raise NotATrace(
                    f"The trace is too large: this server opens {limits.events:,} events and {limits.log_bytes:,} "
                    "bytes at most. "
                    "Raise BACKSCOPE_EVENTS and BACKSCOPE_LOG_BYTES to open it."
                )
            lines.append(line)
    except trace.CutShort:
        if not lines:
            raise
    if lines and not _is_end(lines[-1]):
        lines.append(cut_off(len(lines)))
    return check_recorded(lines, limits)


def unpack(body: bytes, limits: Limits) -> tuple[list[bytes], str]:
    """The same for the bytes of a trace file."""
    return load(io.BytesIO(body), limits)


def session_of(path: Path, limits: Limits) -> Session:
    """A finished session with the events of a trace file; raises as `load` does."""
    with open(path, "rb") as file:
        return Session.recorded(*load(file, limits))
