"""Trace files (`.backscope`): a header line and the events of a run as JSON lines, gzipped."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from backscope.events import PROTOCOL_VERSION

FORMAT = 1
LARGEST_LINE = 4 * 1024 * 1024
LARGEST_TRACE = 4 * 1024**3


class TraceError(ValueError):
    """A file that is not a trace, is cut short, or is of a version that this Backscope can't read."""


def write(path: str | Path, lines: Iterable[bytes]) -> None:
    """Write events, one encoded event a line without its newline, as a trace; the same events give the same bytes."""
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(header() + b"\n")
        for line in lines:
            packed.write(line + b"\n")


def header() -> bytes:
    """The first line of a trace."""
    return json.dumps({"backscope_trace": FORMAT, "protocol": PROTOCOL_VERSION}).encode()


def read(path: str | Path) -> Iterator[bytes]:
    """The encoded events of a trace one by one; TraceError, at the latest where it is damaged."""
    with open(path, "rb") as file:
        yield from _lines(file)


def _lines(file: object) -> Iterator[bytes]:
    total = 0
    try:
        with gzip.GzipFile(fileobj=file) as packed:  # type: ignore[call-overload]
            check_header(packed.readline(4096))
            while line := packed.readline(LARGEST_LINE):
                total += len(line)
                if not line.endswith(b"\n"):
                    raise TraceError("The trace is cut short: its last event is incomplete. Record the run again.")
                if total > LARGEST_TRACE:
                    raise TraceError(
                        f"The trace unpacks to more than {LARGEST_TRACE // 1024**3} GB, which Backscope does not open."
                    )
                yield line[:-1]
    except (gzip.BadGzipFile, zlib.error):
        raise TraceError("This is not a Backscope trace, or it is damaged: it does not unpack.") from None
    except EOFError:
        raise TraceError("The trace is cut short: the file ends before its last event. Record the run again.") from None


def check_header(line: bytes) -> None:
    """TraceError unless `line` is the header of a trace that this Backscope can read."""
    try:
        found = json.loads(line)
        number, protocol = found["backscope_trace"], found["protocol"]
    except (ValueError, TypeError, KeyError):
        raise TraceError("This is not a Backscope trace: its first line is not a trace header.") from None
    if number != FORMAT or protocol != PROTOCOL_VERSION:
        raise TraceError(
            f"The trace is of format {number}, protocol {protocol}; this Backscope reads format {FORMAT}, protocol "
            f"{PROTOCOL_VERSION}. Open it with the version that wrote it, or record the run again."
        )
