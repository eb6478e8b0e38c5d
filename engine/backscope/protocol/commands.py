"""The commands to a program that runs under the debugger, and its answers: the other half of the protocol.

A command is a struct whose tag is the field `command`; an answer has the `id` of its command and the tag `answer`.
Unknown commands, unknown fields and wrong types are refused.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from backscope.protocol.answer_parts import Arrival as Arrival, Share as Share, TracedElement as TracedElement
from backscope.protocol.breakpoint_kinds import (
    Breakpoint as Breakpoint,
    ExceptionBreakpoint as ExceptionBreakpoint,
    FreedBreakpoint as FreedBreakpoint,
    GradientNormBreakpoint as GradientNormBreakpoint,
    HookBreakpoint as HookBreakpoint,
    LineBreakpoint as LineBreakpoint,
    NodeBreakpoint as NodeBreakpoint,
    NonFiniteBreakpoint as NonFiniteBreakpoint,
    OpBreakpoint as OpBreakpoint,
    TensorBreakpoint as TensorBreakpoint,
    Text as Text,
)
from backscope.protocol.event_parts import Summary
from backscope.protocol.field_types import (
    ITEMS,
    Element,
    Identity,
    Integer,
    LongText,
    Many,
    Name,
    Natural,
    Number,
    Shape,
    Strides,
    counted_by,
    snake_case,
)


class _Command(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="command", tag=snake_case
):
    """`id` is a number that the client chooses; the answer has it too."""

    id: Natural


class Pause(_Command, frozen=True, kw_only=True):
    """Stop a running program at its next line, node or event."""


class Resume(_Command, frozen=True, kw_only=True):
    """Go on to the next breakpoint or the end."""


class Step(_Command, frozen=True, kw_only=True):
    """Go on, and stop again at the place that `to` names.

    After the next "moment" that is recorded, at the next "line" of this function or its caller, at the next line
    anywhere ("into"), at the next line outside this function ("out"), before the next "node" of a backward pass or
    where the pass fails, where the next "backward" pass starts, once the event `seq` is recorded ("seq"), or never
    ("end").  With `at_end`, a program that ends before the event `seq` stops at its end, where its variables can be
    read.
    """

    to: Literal["moment", "line", "into", "out", "node", "backward", "seq", "end"]
    seq: Natural | None = None
    at_end: bool = False

    def __post_init__(self) -> None:
        if (self.to == "seq") is (self.seq is None):
            raise ValueError('`seq` goes with "to": "seq", and only with it')
        if self.at_end and self.to != "seq":
            raise ValueError('`at_end` goes with "to": "seq"')


MOST_BREAKPOINTS = 1000


class SetBreakpoints(_Command, frozen=True, kw_only=True):
    """Replace all breakpoints by these; one with an unchanged definition keeps its count of hits.

    A breakpoint that cannot be set is left out; the answer says which and why.  Those that were set in the terminal of
    a debugged program stay, except the numbers in `removed`.
    """

    breakpoints: Annotated[list[Breakpoint], msgspec.Meta(max_length=MOST_BREAKPOINTS)]
    removed: Annotated[list[Natural], msgspec.Meta(max_length=MOST_BREAKPOINTS)] = []


class Evaluate(_Command, frozen=True, kw_only=True):
    """Evaluate an expression in a frame of the paused program, 0 for the innermost; nothing of it is recorded."""

    expression: Text
    frame: Natural = 0


class ListLocals(_Command, frozen=True, kw_only=True):
    """List the variables of a frame of the paused program, 0 for the innermost."""

    frame: Natural = 0


class ReadTensor(_Command, frozen=True, kw_only=True):
    """Read a tensor or its `.grad`: of each dim the elements from `begin` up to `end`, all of a dim without these."""

    tensor: Natural
    of: Literal["data", "grad"] = "data"
    begin: Annotated[list[Natural], msgspec.Meta(max_length=64)] = []
    end: Annotated[list[Natural], msgspec.Meta(max_length=64)] = []


class MeasureTensor(_Command, frozen=True, kw_only=True):
    """Compute statistics and a histogram of a tensor or its `.grad`, and read its layout in memory."""

    tensor: Natural
    of: Literal["data", "grad"] = "data"


class Assign(_Command, frozen=True, kw_only=True):
    """Run the assignment `target = expression` in a frame; it is recorded as value_changed."""

    target: Text
    expression: Text
    frame: Natural = 0


class TraceGradient(_Command, frozen=True, kw_only=True):
    """Trace where an `element` of the gradient at output `output_nr` of a `node` comes from.

    The program has to be paused right after the backward_started of the pass in question.  For a leaf the node is its
    AccumulateGrad.  The trace follows, up to `depth` steps, the element that contributes most to the one before, and
    gives the `most` largest shares of each.  It runs the pass once, with its hooks, and keeps no result of that run.
    """

    node: Natural
    output_nr: Natural = 0
    element: Annotated[list[Natural], msgspec.Meta(max_length=64)] = []
    depth: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 100
    most: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 8


class Watch(_Command, frozen=True, kw_only=True):
    """Evaluate these expressions, and no others, after each event from now on; changes arrive as Watched.

    The server sends it to programs that are run again; clients cannot, and get one answer to each of their commands.
    """

    expressions: Annotated[list[Text], msgspec.Meta(max_length=16)]


Looking: TypeAlias = Evaluate | ListLocals | ReadTensor | MeasureTensor | Assign | TraceGradient
Command: TypeAlias = Pause | Resume | Step | SetBreakpoints | Looking
"""The commands that clients may send."""
Order: TypeAlias = Command | Watch
"""The commands that a program may receive."""


class _Answer(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="answer", tag=snake_case
):
    """`id` is the number of the command."""

    id: Natural


class Done(_Answer, frozen=True, kw_only=True):
    """The command was carried out, or, for one to go on or to pause, accepted."""


class Refused(_Answer, frozen=True, kw_only=True):
    """The command was not carried out; `reason` says why, for the user."""

    reason: Name


class BreakpointPlace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The `line` at which a breakpoint was set, None for a breakpoint that is not on a line.

    `file` is the name of the file that the line is in, None for the main one.
    """

    id: Natural
    line: Natural | None
    file: Name | None = None


class UnusableBreakpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A breakpoint that cannot be set, and the reason."""

    id: Natural
    reason: Name


class PendingBreakpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A breakpoint on a name that nothing has so far, or in a file that has not been imported so far.

    `note` says so, and which name may be meant.
    """

    id: Natural
    note: Name


class BreakpointsSet(_Answer, frozen=True, kw_only=True):
    """The breakpoints were set, except those that are `unusable`.

    `places` has those that are on a line, `pending` those on names that are unknown so far.
    """

    places: Many[BreakpointPlace]
    unusable: Many[UnusableBreakpoint] = []
    pending: Many[PendingBreakpoint] = []


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """A value: its type, its Python text, cut where it is long; for a tensor its identity and its Summary too.

    `tensor` is None for a tensor that no event has recorded.
    """

    type: Name
    text: LongText
    tensor: Identity | None
    value: Summary | None


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A variable of a frame."""

    name: Name
    look: Look


class Evaluated(_Answer, frozen=True, kw_only=True):
    """The value of the expression; `output` is what it printed."""

    look: Look
    output: Name


class LocalsListed(_Answer, frozen=True, kw_only=True):
    """The variables of a frame, by name; `omitted` is how many more there are."""

    function: Name
    line: Natural
    variables: Annotated[list[Variable], msgspec.Meta(max_length=ITEMS, extra=counted_by("omitted"))]
    omitted: Natural


class TensorRead(_Answer, frozen=True, kw_only=True):
    """The requested elements in row-major order, and their shape; `whole` is the shape of the tensor."""

    whole: Shape
    shape: Shape
    dtype: Name
    values: Annotated[list[Element], msgspec.Meta(max_length=1 << 22)]


class TensorMeasured(_Answer, frozen=True, kw_only=True):
    """Statistics and a histogram of all elements of a tensor.

    `min`, `max`, `mean`, `std` and `norm` are those of the `count` finite elements, by magnitude for complex ones.
    `counts` are the counts of bins of equal width between the two `ends`; both are empty where there are no bins.
    Units: `strides` and `storage_offset` in elements.
    """

    shape: Shape
    dtype: Name
    strides: Strides
    storage_offset: Integer
    contiguous: bool
    count: Natural
    nan_count: Natural
    inf_count: Natural
    zeros: Natural
    min: Number | None
    max: Number | None
    mean: Number | None
    std: Number | None
    norm: Number | None
    ends: Many[Number]
    counts: Many[Natural]


class GradientTraced(_Answer, frozen=True, kw_only=True):
    """An element of a gradient in the pass `call`, then the elements that contribute most, each to the one before.

    `more` is True where the `path` could go on.
    """

    call: Identity
    path: Many[TracedElement]
    more: bool


class UnusableWatch(msgspec.Struct, frozen=True, kw_only=True):
    """Expression number `watch` cannot be evaluated at all; `reason` says why, for the user."""

    watch: Natural
    reason: Name


class WatchSet(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="answer", tag=snake_case
):
    """The expressions of the Watch with this `id` are watched, except those that are `unusable`."""

    id: Natural
    unusable: Many[UnusableWatch]


Answer: TypeAlias = (
    Done | Refused | BreakpointsSet | Evaluated | LocalsListed | TensorRead | TensorMeasured | GradientTraced | WatchSet
)


class WatchChange(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Expression number `watch` has a new value from the event `seq` on: a `number`, or the `text` of any other value.

    Both are None where the expression has no value, since a variable in it does not exist.
    """

    watch: Natural
    seq: Natural
    number: Number | None
    text: LongText | None


class Watched(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="answer", tag=snake_case
):
    """The changes of watched expressions, in the order of events; `id` is the number of the Watch."""

    id: Natural
    changes: Many[WatchChange]


Reply: TypeAlias = Answer | Watched
"""The answers that a program may send."""

ANSWER_OPENING = b'{"answer":'
"""The beginning of the line of every answer, and of no event."""

encode = msgspec.json.Encoder().encode
"""Encode a command or an answer as a line of JSON, without the newline."""

decode_command = msgspec.json.Decoder(Order).decode
"""Decode a command from its JSON; raises msgspec.ValidationError or msgspec.DecodeError for anything else."""

decode_answer = msgspec.json.Decoder(Reply).decode
"""Decode an answer from its JSON; raises as decode_command does."""
