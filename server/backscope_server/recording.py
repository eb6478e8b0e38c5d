"""Trace files on their way in and out: the `.backscope` file of a session, and a session from such a file."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

from backscope import trace
from backscope_server.session.admission import NotATrace, check_recorded
from backscope_server.session.session import Session


def pack(lines: list[bytes]) -> bytes:
    """The bytes of a trace file with these events."""
    with tempfile.TemporaryDirectory(prefix="backscope-") as folder:
        path = Path(folder) / "run.backscope"
        trace.write(path, lines)
        return path.read_bytes()


def read(path: Path, *, events: int, nbytes: int) -> tuple[list[bytes], str]:
    """The events of a trace file and the status it ended with; at most `events` of them with `nbytes` bytes.

    Raises: NotATrace, trace.TraceError, OSError.
    """
    lines: list[bytes] = []
    size = 0
    for line in itertools.islice(trace.read(path), events + 1):
        size += len(line)
        if size > nbytes or len(lines) == events:
            raise NotATrace(
                f"The trace is too large: this server opens {events:,} events and {nbytes:,} bytes at most. "
                "Raise BACKSCOPE_EVENTS and BACKSCOPE_LOG_BYTES to open it."
            )
        lines.append(line.rstrip(b"\n"))
    return check_recorded(lines)


def unpack(body: bytes, *, events: int, nbytes: int) -> tuple[list[bytes], str]:
    """The same for the bytes of a trace file."""
    with tempfile.TemporaryDirectory(prefix="backscope-") as folder:
        path = Path(folder) / "run.backscope"
        path.write_bytes(body)
        return read(path, events=events, nbytes=nbytes)


def session_of(path: Path, *, events: int, nbytes: int) -> Session:
    """A finished session with the events of a trace file; raises as `read` does."""
    return Session.recorded(*read(path, events=events, nbytes=nbytes))
