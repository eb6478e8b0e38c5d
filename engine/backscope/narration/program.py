"""What is told of the program itself: its beginning and end, what it writes, its warnings and errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backscope import events as ev
from backscope.narration.narrator import Line, Narrator, clean


def program_started(
    n: Narrator, seq: int, line: Line, filename: str, source: str, seed: int, versions: dict[str, str]
) -> Iterator[ev.Event]:
    """A run begins."""
    yield ev.ProgramStarted(
        seq=seq, line=line, protocol=ev.PROTOCOL_VERSION, filename=filename, source=source, seed=seed, versions=versions
    )


def output_printed(n: Narrator, seq: int, line: Line, stream: str, shown: str) -> Iterator[ev.Event]:
    """The program wrote text."""
    yield ev.OutputPrinted(seq=seq, line=line, stream=stream, text=shown)


def warning_raised(n: Narrator, seq: int, line: Line, category: str, message: str) -> Iterator[ev.Event]:
    """A warning was given."""
    yield ev.WarningRaised(seq=seq, line=line, category=clean(category), message=clean(message))


def error_raised(
    n: Narrator,
    seq: int,
    line: Line,
    stage: str,
    kind: str,
    message: str,
    column: Any,
    trace: list[Any],
    node: Any,
    diagnosis: Any,
) -> Iterator[ev.Event]:
    """An exception was raised."""
    yield ev.ErrorRaised(
        seq=seq,
        line=line,
        stage=stage,
        type=clean(kind),
        message=clean(message),
        column=column,
        traceback=[
            ev.TracebackLine(line=at, function=clean(function), text=clean(source)) for at, function, source in trace
        ],
        node=node,
        diagnosis=diagnosis,
    )


def program_finished(n: Narrator, seq: int, line: Line, status: str) -> Iterator[ev.Event]:
    """A run is over."""
    yield ev.ProgramFinished(seq=seq, line=line, status=status)
