"""What the requests of an editor carry, as far as the adapter reads it; other fields are ignored."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Arguments(msgspec.Struct, rename="camel"):
    """The arguments of a request that has none that are read."""


class Initialize(Arguments):
    """The editor's conventions."""

    lines_start_at1: bool = msgspec.field(default=True, name="linesStartAt1")
    columns_start_at1: bool = msgspec.field(default=True, name="columnsStartAt1")
    supports_progress_reporting: bool = False


class Launch(Arguments):
    """The program, and how to run it: on Backscope's engine, or on PyTorch itself."""

    program: str
    args: list[str] = []
    cwd: str | None = None
    env: dict[str, str | None] = {}
    seed: int = 0
    engine: Literal["backscope", "torch"] = "backscope"
    stop_on_entry: bool = False
    page: bool = False
    no_debug: bool = False


class Attach(Arguments):
    """What an editor attaches to: the program at a port of this machine, or a run of a page's server, by the page's
    address.

    The address may have the token, and the run's id behind `#run=`, as the page has it.  `program` is the file on this
    machine that has the program's text.
    """

    port: int = 0
    url: str | None = None
    token: str | None = None
    session: str | None = None
    program: str | None = None


class Disconnect(Arguments):
    """How an editor leaves."""

    terminate_debuggee: bool = False


class Source(Arguments):
    """A file of the program."""

    path: str | None = None
    name: str | None = None


class Asked(Arguments):
    """What every kind of breakpoint may have."""

    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None


class SourceBreakpoint(Asked, kw_only=True):
    """A breakpoint on a line."""

    line: int


class SetBreakpoints(Arguments):
    """All breakpoints of a file."""

    source: Source
    breakpoints: list[SourceBreakpoint] = []


class FunctionBreakpoint(Asked, kw_only=True):
    """A breakpoint on an op, a kind of node or a module, by its name."""

    name: str


class SetFunctionBreakpoints(Arguments):
    """All breakpoints on names."""

    breakpoints: list[FunctionBreakpoint]


class DataBreakpointInfo(Arguments):
    """A variable that data breakpoints are asked for."""

    name: str
    variables_reference: int = 0


class DataBreakpoint(Asked, kw_only=True):
    """A breakpoint on what happens to a tensor."""

    data_id: str


class SetDataBreakpoints(Arguments):
    """All breakpoints on tensors."""

    breakpoints: list[DataBreakpoint]


class InstructionBreakpoint(Asked, kw_only=True):
    """A breakpoint on one node."""

    instruction_reference: str
    offset: int = 0


class SetInstructionBreakpoints(Arguments):
    """All breakpoints on nodes."""

    breakpoints: list[InstructionBreakpoint]


class FilterOptions(Arguments):
    """An exception filter with its condition."""

    filter_id: str
    condition: str | None = None


class SetExceptionBreakpoints(Arguments):
    """The exception filters that are chosen."""

    filters: list[str] = []
    filter_options: list[FilterOptions] = []


class Move(Arguments):
    """A step; of granularity "instruction" it goes from node to node."""

    granularity: str = "statement"


class GotoTargets(Arguments):
    """A line whose moments are asked for."""

    source: Source
    line: int


class Goto(Arguments):
    """A moment of those that were offered."""

    target_id: int


class StackTrace(Arguments):
    """A part of the stack."""

    start_frame: int = 0
    levels: int = 0


class Scopes(Arguments):
    """A frame."""

    frame_id: int


class Variables(Arguments):
    """What is inside of a variable or scope, or a part of it."""

    variables_reference: int
    filter: str | None = None
    start: int = 0
    count: int = 0


class Evaluate(Arguments):
    """An expression, or a command of the console."""

    expression: str
    frame_id: int | None = None
    context: str | None = None


class SetVariable(Arguments):
    """A new value of a variable within a scope or a tensor."""

    variables_reference: int
    name: str
    value: str


class SetExpression(Arguments):
    """A new value of an expression that can be assigned to."""

    expression: str
    value: str
    frame_id: int | None = None


class ReadMemory(Arguments):
    """Bytes of a tensor."""

    memory_reference: str
    count: int
    offset: int = 0


class Completions(Arguments):
    """What is typed into the console, and the column of the text cursor."""

    text: str
    column: int
    frame_id: int | None = None


class Disassemble(Arguments):
    """A part of the tape around a node."""

    memory_reference: str
    instruction_count: int
    offset: int = 0
    instruction_offset: int = 0


def read(kind: type[Arguments], arguments: Any) -> Any:
    """Return the arguments of a request as a struct.

    Raises: ValueError, which names the argument that is missing or wrong.
    """
    try:
        return msgspec.convert({} if arguments is None else arguments, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"The arguments cannot be used: {error}.") from None
