"""Makes the events of a program's beginning and end, its output, warnings and errors, and of the debugger."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from backscope.diagnosis.user_frame import Frames
from backscope.protocol import events as ev
from backscope.protocol.file_lines import written
from backscope.recorder.narration.narrator import Line, Narrator, clean

MOST_SOURCE = 500_000
"""The bytes of the longest text of a further file that is recorded."""


def program_started(
    n: Narrator, seq: int, line: Line, filename: str, source: str, seed: int, versions: dict[str, str]
) -> Iterator[ev.Event]:
    """Yield the event of a run that begins."""
    yield ev.ProgramStarted(
        seq=seq, line=line, protocol=ev.PROTOCOL_VERSION, filename=filename, source=source, seed=seed, versions=versions
    )


def source_added(n: Narrator, seq: int, line: Line, file: int, filename: str, source: str) -> Iterator[ev.Event]:
    """Yield the event of a further file of the program."""
    text = clean(source)
    short = len(text.encode()) <= MOST_SOURCE
    yield ev.SourceAdded(seq=seq, line=None, file=file, filename=clean(filename), source=text if short else None)


def output_printed(n: Narrator, seq: int, line: Line, stream: ev.Stream, shown: str) -> Iterator[ev.Event]:
    """Yield the event of text that the program wrote."""
    yield ev.OutputPrinted(seq=seq, line=line, stream=stream, text=shown)


def warning_raised(n: Narrator, seq: int, line: Line, category: str, message: str) -> Iterator[ev.Event]:
    """Yield the event of a warning."""
    yield ev.WarningRaised(seq=seq, line=line, category=clean(category), message=clean(message))


def error_raised(
    n: Narrator,
    seq: int,
    line: Line,
    stage: ev.Stage,
    kind: str,
    message: str,
    column: int | None,
    trace: Frames,
    node: int | None,
    diagnosis: ev.Diagnosis | None,
) -> Iterator[ev.Event]:
    """Yield the event of an exception."""
    made = ev.ErrorRaised(
        seq=seq,
        line=line,
        stage=stage,
        type=clean(kind),
        message=clean(message),
        column=column,
        traceback=_lines(trace),
        node=node,
        diagnosis=diagnosis,
        frames_left_out=trace.left_out,
    )
    yield written(made)


def _lines(frames: Frames) -> list[ev.TracebackLine]:
    return [
        ev.TracebackLine(line=at, function=clean(function), text=clean(source)) for at, function, source in frames.lines
    ]


def paused(
    n: Narrator,
    seq: int,
    line: Line,
    reason: str,
    breakpoints: list[int],
    where: str,
    call: int | None,
    node: int | None,
    stack: Frames,
    note: str | None,
) -> Iterator[ev.Event]:
    """Yield the event of a pause of the program."""
    made = ev.Paused(
        seq=seq,
        line=line,
        reason=reason,
        breakpoints=breakpoints,
        where=where,
        call=call,
        node=node,
        stack=_lines(stack),
        note=None if note is None else clean(note),
        frames_left_out=stack.left_out,
    )
    yield written(made)


def resumed(n: Narrator, seq: int, line: Line, to: str) -> Iterator[ev.Event]:
    """Yield the event of a program that continues after a pause."""
    yield ev.Resumed(seq=seq, line=line, to=to)


def value_changed(n: Narrator, seq: int, line: Line, function: str, target: str, expression: str) -> Iterator[ev.Event]:
    """Yield the event of a value that the user of the debugger changed."""
    yield ev.ValueChanged(
        seq=seq, line=line, function=clean(function), target=clean(target), expression=clean(expression)
    )


def sampled(n: Narrator, seq: int, line: Line, note: Callable[[int], None]) -> Iterator[ev.Event]:
    """Call `note` with the seq of the last event before watched expressions were evaluated; yield no event."""
    note(seq - 1)
    return iter(())


def program_finished(n: Narrator, seq: int, line: Line, status: str) -> Iterator[ev.Event]:
    """Yield the event of a run that ended."""
    yield ev.ProgramFinished(seq=seq, line=line, status=status)
