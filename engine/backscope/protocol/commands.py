"""What can be asked of a program that runs under the debugger, and what it answers: the other half of the protocol.

A command is a struct whose tag is the field `command`; an answer has the `id` of its command and the tag `answer`.
Unknown commands, unknown fields and wrong types are refused.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeAlias

import msgspec

from backscope.protocol.answer_parts import Arrival as Arrival, Share as Share, TracedElement as TracedElement
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
    Positive,
    Shape,
    Strides,
    counted_by,
)

Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class _Breakpoint(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="on",
    tag=lambda name: _snake(name.removesuffix("Breakpoint")),
):
    """`id` is the client's own number for it.

    It stops only where `condition`, an expression in the frame that stops, is true, and from its hit number `hits` on.
    """

    id: Natural
    condition: Text | None = None
    hits: Positive = 1


class LineBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops before a line runs; a line without a statement stands for the next one that has one."""

    line: Positive


class OpBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after an op of this `name` ran, e.g. "exp", or before a node of this name runs, e.g. "ExpBackward0"."""

    name: Text


class NodeBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops before or after one `node` runs in a backward pass; where it fails, then."""

    node: Natural
    when: Literal["before", "after"] = "before"


class TensorBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops at what happens to a `tensor`, which is an identity or the name of a variable.

    "created": the tensor comes to be, or the variable is bound to another one; "changed": its memory is changed in
    place; "gradient": a gradient for it, as its last change in place left it, is complete; "accumulated": its `.grad`
    was updated; "released": it is gone, which stops at the next line.
    """

    tensor: Natural | Text
    when: Literal["created", "changed", "gradient", "accumulated", "released"]


class NonFiniteBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops where a NaN or an infinity comes of finite numbers, in an op, in a node's gradients, or in memory."""


class GradientNormBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after a node or a leaf got a gradient whose 2-norm is over `above` or under `below`."""

    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        if self.above is None and self.below is None:
            raise ValueError("`above` or `below` is needed")


class FreedBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after a node freed what it saved; with a `name` only those of that name."""

    name: Text | None = None


class HookBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after a hook ran; with a `name` only those of that name."""

    name: Text | None = None


class ExceptionBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops where an exception leaves a function or is caught, with its frame still there; with a `type` only those."""

    type: Text | None = None


Breakpoint: TypeAlias = (
    LineBreakpoint
    | OpBreakpoint
    | NodeBreakpoint
    | TensorBreakpoint
    | NonFiniteBreakpoint
    | GradientNormBreakpoint
    | FreedBreakpoint
    | HookBreakpoint
    | ExceptionBreakpoint
)


class _Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="command", tag=_snake):
    """`id` comes back in the answer."""

    id: Natural


class Pause(_Command, frozen=True, kw_only=True):
    """Stop a running program at its next line, node or moment."""


class Resume(_Command, frozen=True, kw_only=True):
    """Go on to the next breakpoint or the end."""


class Step(_Command, frozen=True, kw_only=True):
    """Go on, and stop again: after the next "moment" that is told, at the next "line" of this function or its caller.

    Or at the next line anywhere ("into"), at the next line outside of this function ("out"), before the next "node" of
    a backward pass or where the pass fails, where the next "backward" pass starts, once the event `seq` is told
    ("seq"), or never ("end").  With `at_end`, a program that ends before `seq` is told stops there, with its variables
    still to be seen.
    """

    to: Literal["moment", "line", "into", "out", "node", "backward", "seq", "end"]
    seq: Natural | None = None
    at_end: bool = False

    def __post_init__(self) -> None:
        if (self.to == "seq") is (self.seq is None):
            raise ValueError('`seq` goes with "to": "seq", and only with it')
        if self.at_end and self.to != "seq":
            raise ValueError('`at_end` goes with "to": "seq"')


class SetBreakpoints(_Command, frozen=True, kw_only=True):
    """Have these breakpoints and no others; one whose definition stays the same keeps its count of hits.

    One that cannot be set does not keep the others from being set: the answer says which and why.
    """

    breakpoints: Annotated[list[Breakpoint], msgspec.Meta(max_length=1000)]


class Evaluate(_Command, frozen=True, kw_only=True):
    """The value of an expression in a frame of the paused program, 0 for the innermost; leaves no trace in the log."""

    expression: Text
    frame: Natural = 0


class ListLocals(_Command, frozen=True, kw_only=True):
    """The variables of a frame of the paused program, 0 for the innermost."""

    frame: Natural = 0


class ReadTensor(_Command, frozen=True, kw_only=True):
    """The elements of a tensor, or of its `.grad`: of each dim those from `begin` up to `end`, all where these end."""

    tensor: Natural
    of: Literal["data", "grad"] = "data"
    begin: Annotated[list[Natural], msgspec.Meta(max_length=64)] = []
    end: Annotated[list[Natural], msgspec.Meta(max_length=64)] = []


class MeasureTensor(_Command, frozen=True, kw_only=True):
    """Statistics and a histogram of all elements of a tensor, or of its `.grad`, and how it lies in its memory."""

    tensor: Natural
    of: Literal["data", "grad"] = "data"


class Assign(_Command, frozen=True, kw_only=True):
    """Change a variable, an attribute or elements: `target = expression` in a frame; told as value_changed."""

    target: Text
    expression: Text
    frame: Natural = 0


class TraceGradient(_Command, frozen=True, kw_only=True):
    """Where an `element` of the gradient comes from that arrives at output `output_nr` of a `node`.

    Asked where the pass that brings it is about to run: right after its backward_started.  For a leaf the node is its
    AccumulateGrad.  Followed are, up to `depth` steps, the elements that give most to the one before; of each `most`
    shares are told.  The pass is rehearsed for it, with its hooks, and nothing of it is kept.
    """

    node: Natural
    output_nr: Natural = 0
    element: Annotated[list[Natural], msgspec.Meta(max_length=64)] = []
    depth: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 100
    most: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 8


class Watch(_Command, frozen=True, kw_only=True):
    """Evaluate these expressions, and no others, after each moment from now on; changes come as Watched.

    For programs that are run again: of a run that people follow, each answer is the only one to its command.
    """

    expressions: Annotated[list[Text], msgspec.Meta(max_length=16)]


Looking: TypeAlias = Evaluate | ListLocals | ReadTensor | MeasureTensor | Assign | TraceGradient
Command: TypeAlias = Pause | Resume | Step | SetBreakpoints | Looking
"""What people may ask."""
Order: TypeAlias = Command | Watch
"""What a program may be asked."""


class _Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="answer", tag=_snake):
    """`id` is that of the command."""

    id: Natural


class Done(_Answer, frozen=True, kw_only=True):
    """The command is carried out; one to go on, or to pause, is under way."""


class Refused(_Answer, frozen=True, kw_only=True):
    """The command is not carried out, for a reason in plain words."""

    reason: Name


class BreakpointPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a breakpoint came to be: its `line` where it has one, None for others."""

    id: Natural
    line: Natural | None


class UnusableBreakpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A breakpoint that cannot be set, and why."""

    id: Natural
    reason: Name


class BreakpointsSet(_Answer, frozen=True, kw_only=True):
    """The breakpoints are in force, but for those that are `unusable`; `places` has those that are on a line."""

    places: Many[BreakpointPlace]
    unusable: Many[UnusableBreakpoint] = []


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What something is: its type, its Python text, cut where it is long; of a tensor its identity and its Summary.

    `tensor` is None for one that the recording has not met.
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
    """The elements that were asked for, in row-major order, and their shape; `whole` is that of the tensor."""

    whole: Shape
    shape: Shape
    dtype: Name
    values: Annotated[list[Element], msgspec.Meta(max_length=1 << 22)]


class TensorMeasured(_Answer, frozen=True, kw_only=True):
    """All elements of a tensor in few numbers.

    `min`, `max`, `mean`, `std` and `norm` are of the finite elements, `count` of them; of complex ones by magnitude.
    `counts` are those of bins of equal width between the two `ends`; both are empty where there are no such bins.
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
    """An element of a gradient of the pass `call` and, one after the other, that which gives most to the one before.

    `more` where the `path` could go on.
    """

    call: Identity
    path: Many[TracedElement]
    more: bool


class UnusableWatch(msgspec.Struct, frozen=True, kw_only=True):
    """Expression number `watch` is none, for a reason in plain words."""

    watch: Natural
    reason: Name


class WatchSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="answer", tag=_snake):
    """The expressions of the Watch with this `id` are watched but for those that are `unusable`."""

    id: Natural
    unusable: Many[UnusableWatch]


Answer: TypeAlias = (
    Done | Refused | BreakpointsSet | Evaluated | LocalsListed | TensorRead | TensorMeasured | GradientTraced | WatchSet
)


class WatchChange(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Expression number `watch` has another value from the event `seq` on: a `number`, or the `text` of anything else.

    Both are None where it has none yet, or none any more: what it names is not there.
    """

    watch: Natural
    seq: Natural
    number: Number | None
    text: LongText | None


class Watched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="answer", tag=_snake):
    """What watched expressions came to be, in the order of events; `id` is that of the Watch."""

    id: Natural
    changes: Many[WatchChange]


Reply: TypeAlias = Answer | Watched
"""What a program may answer."""

ANSWER_OPENING = b'{"answer":'
"""How the line of every answer begins, and that of no event."""

encode = msgspec.json.Encoder().encode
"""A command or an answer as a line of JSON, without the newline."""

decode_command = msgspec.json.Decoder(Order).decode
"""A command from its JSON; raises msgspec.ValidationError or msgspec.DecodeError for anything else."""

decode_answer = msgspec.json.Decoder(Reply).decode
"""An answer from its JSON; raises as decode_command does."""
