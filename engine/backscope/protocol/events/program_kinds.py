"""A run of a program: its beginning and end, its loops and functions, what it prints, and its errors."""

from __future__ import annotations

from typing import Literal, TypeAlias

from backscope.protocol.event_parts import Diagnosis, Traceback
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Integer, LongText, Name, Natural, Size, Source, Table

Stream: TypeAlias = Literal["stdout", "stderr"]
Stage: TypeAlias = Literal["syntax", "engine", "program", "limit"]


class ProgramStarted(BaseEvent, frozen=True, kw_only=True):
    """A run began; `versions` has those of backscope, python, numpy and the PyTorch that is the reference.

    `source` is the text of the program's main file, None where it was left out of the recording.
    """

    protocol: Size
    filename: Name
    source: Source | None
    seed: Integer
    versions: Table[Name]


class SourceAdded(BaseEvent, frozen=True, kw_only=True):
    """A further file of the program: its number is `file`, and the events with a line of it follow.

    `filename` is its path from the folder of the main file; `source` its text, None where that was left out of the
    recording or is longer than 500,000 bytes.
    """

    filename: Name
    source: LongText | None


class RoundStarted(BaseEvent, frozen=True, kw_only=True):
    """A loop of the program began its round number `round`, 1-based; recorded before the first event of the round.

    `loop` is unique for each time that a loop runs; `line` is the line of the loop, `text` its head, e.g.
    "for x, y in data", and `outer` the loop around it that is running.
    """

    loop: Identity
    outer: Identity | None
    round: Natural
    text: LongText


class LoopFinished(BaseEvent, frozen=True, kw_only=True):
    """A loop with a `round_started` ended after `rounds`."""

    loop: Identity
    rounds: Natural


class FunctionEntered(BaseEvent, frozen=True, kw_only=True):
    """A function of the program runs, until `function_left` of this `call`; recorded before its first event.

    `line` is the line of its `def`, and `times` counts its recorded calls.  Generators, methods that modules and custom
    Functions call by themselves, such as forward(), and functions that run inside a backward pass are not recorded.
    """

    call: Identity
    name: Name
    times: Natural


class FunctionLeft(BaseEvent, frozen=True, kw_only=True):
    """A function with a `function_entered` returned or raised."""

    call: Identity


class OutputPrinted(BaseEvent, frozen=True, kw_only=True):
    """The program wrote text; `stream` is "stdout" or "stderr"."""

    stream: Stream
    text: LongText


class WarningRaised(BaseEvent, frozen=True, kw_only=True):
    """The program or the engine warned."""

    category: Name
    message: LongText


class ErrorRaised(BaseEvent, frozen=True, kw_only=True):
    """An exception was raised, or the run was stopped by a limit.

    `stage` is "syntax" (nothing ran), "engine" (raised by an op or a backward pass; the program may yet catch it),
    "program" (left the program and ended it), or "limit" (the run was stopped from outside: time, memory, output,
    a crash).  `node` is the node that was running, `column` the 1-based column of a syntax error.  The `traceback` of a
    deep stack has the outermost frame and the innermost ones; `frames_left_out` counts those between.
    """

    stage: Stage
    type: Name
    message: LongText
    column: Integer | None
    traceback: Traceback
    node: Identity | None
    diagnosis: Diagnosis | None
    frames_left_out: Natural = 0


class ProgramFinished(BaseEvent, frozen=True, kw_only=True):
    """The run ended: `status` is "ok", "error", "stopped" (by the user), "limit", or "cut".

    "cut" means that the record ends before the run did: the server was killed, or a trace file lost its end.
    """

    status: Name
