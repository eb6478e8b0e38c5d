"""Trace files on their way in and out: the `.backscope` file of a session, and a session from such a file."""

from __future__ import annotations

import contextlib
import io
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import IO

from backscope.protocol import events as protocol, trace
from backscope_server.access.work import Work
from backscope_server.sandbox.limits import Limits
from backscope_server.session.admission import NotATrace, check_recorded
from backscope_server.session.ending import cut_off
from backscope_server.session.log import Lines
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


def load(file: IO[bytes], limits: Limits, breathe: Callable[[], None] = lambda: None) -> tuple[Lines, str]:
    """The events of a trace and the status it ended with; as many and as large ones as a run may have.

    Of a trace whose end is missing, what there is, with status "cut".  They are packed, and never in memory as a whole.
    `breathe` is called every few milliseconds of work.

    Raises: NotATrace, trace.TraceError, OSError.
    """
    lines = Lines()
    status = check_recorded(_bounded(file, limits, breathe), limits, lines)
    while lines.pack():
        pass
    return lines, status


def _bounded(file: IO[bytes], limits: Limits, breathe: Callable[[], None]) -> Iterator[bytes]:
    """The events of a trace, and an end where they have none.

    Raises: NotATrace for too much of them; trace.TraceError.
    """
    last = b""
    count = size = breathed = 0
    try:
        for line in trace.load(file):
            size += len(line)
            if size > limits.log_bytes or count == limits.events:
                raise NotATrace(
                    f"The trace is too large: this server opens {limits.events:,} events and {limits.log_bytes:,} "
                    "bytes at most. "
                    "Raise BACKSCOPE_EVENTS and BACKSCOPE_LOG_BYTES to open it."
                )
            if size - breathed > _BREATH:
                breathed = size
                breathe()
            yield line
            last = line
            count += 1
    except trace.CutShort:
        if not count:
            raise
    if count and not _is_end(last):
        yield cut_off(count)


def unpack(body: bytes, limits: Limits, breathe: Callable[[], None]) -> tuple[Lines, str]:
    """The same for the bytes of a trace file."""
    return load(io.BytesIO(body), limits, breathe)


def session_of(path: Path, limits: Limits) -> Session:
    """A finished session with the events of a trace file; raises as `load` does."""
    with open(path, "rb") as file:
        return Session.recorded(*load(file, limits))


PACKING_BYTES = 1 << 19
"""What making a trace file takes of memory, bytes, until its reader has it."""
_BREATH = 1 << 16
_AT_ONCE = 10_000
"""How many events are packed at a time: as many as the log keeps together, which is a block at most."""


async def pack(lines: Lines, work: Work, address: str) -> AsyncIterator[bytes]:
    """The bytes of the trace file of a log, made piece by piece.

    Raises: NotKept where the run is forgotten before the last piece; Problem where the server stops.
    """
    packer = trace.Packer()
    seq = 0
    while batch := lines.some(seq, _AT_ONCE):
        yield await work.do(address, packer.add, batch, begun=True)
        seq += len(batch)
    yield packer.finish()
