"""Trace files (`.backscope`): a header line and the events of a run as JSON lines, gzipped."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from backscope.protocol.events import PROTOCOL_VERSION
from backscope.protocol.whole_file import whole_file

FORMAT = 1
LARGEST_LINE = 4 * 1024 * 1024
LARGEST_TRACE = 4 * 1024**3


class TraceError(ValueError):
    """The error for a file that is not a trace, is damaged, or is of a version that this Backscope can't read."""


class CutShort(TraceError):
    """The error for a trace without its end; the events before the cut have been read."""


def write(path: str | Path, lines: Iterable[bytes]) -> None:
    """Write events, one encoded event a line without its newline, as a trace; the same events give the same bytes.

    The file appears whole or not at all: a file at `path` is replaced once the new trace is on the disk.

    Raises: OSError where it can't be written, such as on a full disk; nothing half-written is left then.
    """
    with whole_file(path) as file:
        dump(file, lines)


def dump(file: IO[bytes], lines: Iterable[bytes]) -> None:
    """Write a trace to an open file."""
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0, filename="") as packed:
        packed.write(header() + b"\n")
        for line in lines:
            packed.write(line + b"\n")


def header() -> bytes:
    """Return the first line of a trace."""
    return json.dumps({"backscope_trace": FORMAT, "protocol": PROTOCOL_VERSION}).encode()


def read(path: str | Path) -> Iterator[bytes]:
    """Yield the encoded events of a trace.

    Raises: TraceError where it is no trace or is damaged, CutShort where its end is missing.
    """
    with open(path, "rb") as file:
        yield from load(file)


def load(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the encoded events of a trace in an open file.

    Raises: as `read` does.
    """
    total = count = 0
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            check_header(packed.readline(4096))
            while line := packed.readline(LARGEST_LINE + 1):
                total += len(line)
                if len(line) > LARGEST_LINE:
                    raise TraceError(
                        f"Event {count} of the trace is longer than {LARGEST_LINE // 1024**2} MB, which no event is."
                    )
                if not line.endswith(b"\n"):
                    raise _cut(count)
                if total > LARGEST_TRACE:
                    raise TraceError(
                        f"The trace unpacks to more than {LARGEST_TRACE // 1024**3} GB, which Backscope does not open."
                    )
                yield line[:-1]
                count += 1
    except gzip.BadGzipFile as error:
        if count:
            raise _damaged(count) from None
        if "Not a gzipped file" in str(error):
            raise TraceError("This is not a Backscope trace: it is not gzipped.") from None
        raise TraceError("This is not a Backscope trace, or it is damaged: it does not unpack.") from None
    except zlib.error:
        raise _damaged(count) from None
    except EOFError:
        raise _cut(count) from None


def _cut(count: int) -> CutShort:
    after = f"after event {count - 1}" if count else "before its first event"
    return CutShort(f"The trace is cut short {after}: the rest of the file is missing. Record the run again.")


def _damaged(count: int) -> TraceError:
    return TraceError(
        f"The trace is damaged at or after event {count}: its bytes are not those that were written. "
        "Copy the file again, or record the run again."
    )


def pack(lines: Iterable[bytes]) -> bytes:
    """Return the bytes of a trace file."""
    file = io.BytesIO()
    dump(file, lines)
    return file.getvalue()


def check_header(line: bytes) -> None:
    """Check the header of a trace.

    Raises: TraceError unless this Backscope can read the trace.
    """
    try:
        found = json.loads(line.decode())
        number, protocol = found["backscope_trace"], found["protocol"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TraceError("This is not a Backscope trace: its first line is not a trace header.") from None
    if number != FORMAT or protocol not in range(1, PROTOCOL_VERSION + 1):
        raise TraceError(
            f"The trace is of format {str(number)[:20]}, protocol {str(protocol)[:20]}; this Backscope reads format "
            f"{FORMAT}, protocols 1 to {PROTOCOL_VERSION}. Open it with the version that wrote it, or record the run "
            "again."
        )
