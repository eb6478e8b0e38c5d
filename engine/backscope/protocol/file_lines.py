"""Lines of a program of several files as one number each, and how events have them.

An event has a `line` and, for another file than the main one, its `file`.  Code that orders, compares and words lines
has one number instead: a line of the main file is an int, one of another file a FileLine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from backscope.protocol import events as ev
from backscope.protocol.event_parts import Diagnosis, Evidence, TracebackLine
from backscope.protocol.events.base_event import BaseEvent

Line: TypeAlias = int | None
"""A line of the main file, a FileLine, or None."""

MOST_LINES = 1 << 20
"""The most lines of a file that have numbers of their own."""


class FileLine(int):
    """A line of another file than the main one, as a number above those of the files before it.

    As text it names the file: f"line {place}" is "line 7 of model.py".
    """

    file: int
    line: int
    name: str

    def __new__(cls, file: int, line: int, name: str) -> FileLine:
        """Return the place of a line of the file with this number and name."""
        line = min(max(line, 0), MOST_LINES - 1)
        place = super().__new__(cls, file * MOST_LINES + line)
        place.file, place.line, place.name = file, line, name
        return place

    def __str__(self) -> str:
        return f"{self.line} of {self.name}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def split(line: Line) -> tuple[Line, int | msgspec.UnsetType]:
    """Return `line` and `file` as an event has them."""
    return (line.line, line.file) if isinstance(line, FileLine) else (line, msgspec.UNSET)


def file_of(line: Line) -> int:
    """Return the number of the file that a line is in, 0 for the main one; also of a sum of a line and a number."""
    return line // MOST_LINES if line is not None and line > 0 else 0


def line_in_file(line: Line) -> Line:
    """Return the number of a line in its own file; also of a sum of a line and a number."""
    return None if line is None else line - file_of(line) * MOST_LINES


def name_of(line: Line, main: str) -> str:
    """Return the name of the file that a line is in, `main` for the main one."""
    return line.name if isinstance(line, FileLine) else main


def written(event: BaseEvent) -> BaseEvent:
    """Return an event that may have FileLines with `line` and `file` instead, as it is written."""
    line = event.line
    if isinstance(line, FileLine):
        event = msgspec.structs.replace(event, line=line.line, file=line.file)
    if isinstance(event, ev.ErrorRaised):
        why = event.diagnosis
        event = msgspec.structs.replace(
            event,
            traceback=[_written_frame(one) for one in event.traceback],
            diagnosis=None if why is None else written_diagnosis(why),
        )
    elif isinstance(event, ev.Paused):
        event = msgspec.structs.replace(event, stack=[_written_frame(one) for one in event.stack])
    return event


def _written_frame(frame: TracebackLine) -> TracebackLine:
    line = frame.line
    return msgspec.structs.replace(frame, line=line.line, file=line.file) if isinstance(line, FileLine) else frame


def written_diagnosis(why: Diagnosis) -> Diagnosis:
    """Return a diagnosis whose lines may be FileLines with its lines and their files instead."""
    lines = [*why.lines, *[one.line for one in why.evidence]]
    if not any(isinstance(line, FileLine) for line in lines):
        return why
    pairs = [split(line) for line in why.lines]
    files = [file or 0 for _, file in pairs]
    evidence = []
    for one in why.evidence:
        line, file = split(one.line)
        evidence.append(msgspec.structs.replace(one, line=line, file=file or None))
    return msgspec.structs.replace(
        why, lines=[line or 0 for line, _ in pairs], files=files if any(files) else [], evidence=evidence
    )


class ProgramFiles:
    """Names and texts of a program's files by number, 0 for the main one, collected from its events.

    `sources` has the lines of each; a file whose text was left out has none.
    """

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.sources: dict[int, list[str]] = {}

    def line(self, line: Line, file: int | msgspec.UnsetType | None) -> Line:
        """Return a line of a file: the number itself for the main one, a FileLine for another."""
        if line is None or isinstance(file, msgspec.UnsetType) or not file:
            return line
        return FileLine(file, line, self.names.get(file, f"file {file}"))

    def line_of(self, line: Line, name: str | None) -> Line:
        """Return a line of the file with this name, None for the main one; None where there is no such file so far."""
        if name is None:
            return line
        numbers = [number for number, known in self.names.items() if known == name]
        return self.line(line, numbers[-1]) if numbers else None

    def text(self, line: Line) -> str:
        """Return the text of a line; nothing where it is not known."""
        lines = self.sources.get(file_of(line), [])
        number = line_in_file(line)
        return lines[number - 1] if number is not None and 0 < number <= len(lines) else ""

    def read(self, event: ev.Event) -> ev.Event:
        """Return an event with FileLines for the lines of other files; take in the file that it adds, if it does."""
        if isinstance(event, ev.ProgramStarted):
            self._add(0, event.filename, event.source)
            return event
        if isinstance(event, ev.SourceAdded):
            self._add(event.file or 0, event.filename, event.source)
            return event
        if len(self.names) < 2:
            return event
        if event.file:
            event = msgspec.structs.replace(event, line=self.line(event.line, event.file), file=msgspec.UNSET)
        if isinstance(event, ev.ErrorRaised):
            why = event.diagnosis
            event = msgspec.structs.replace(
                event,
                traceback=self._frames(event.traceback),
                diagnosis=None if why is None else self.read_diagnosis(why),
            )
        elif isinstance(event, ev.Paused):
            event = msgspec.structs.replace(event, stack=self._frames(event.stack))
        return event

    def read_diagnosis(self, why: Diagnosis) -> Diagnosis:
        """Return a diagnosis with FileLines for the lines of other files."""
        files: Iterable[int] = why.files or [0] * len(why.lines)
        lines = [self.line(line, file) or 0 for line, file in zip(why.lines, files, strict=False)]
        evidence: list[Evidence] = [
            msgspec.structs.replace(one, line=self.line(one.line, one.file), file=None) for one in why.evidence
        ]
        return msgspec.structs.replace(why, lines=lines, files=[], evidence=evidence)

    def _add(self, number: int, name: str, source: str | None) -> None:
        self.names[number] = name
        self.sources[number] = (source or "").splitlines()

    def _frames(self, frames: list[TracebackLine]) -> list[TracebackLine]:
        return [
            msgspec.structs.replace(one, line=self.line(one.line, one.file) or 0, file=msgspec.UNSET)
            if one.file
            else one
            for one in frames
        ]
