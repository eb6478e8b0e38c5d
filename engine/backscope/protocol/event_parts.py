"""The structs that events contain: values, tensors, nodes, updates of parameters, and errors."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from backscope.protocol.field_types import (
    DEEPEST,
    KEEP_ENDS,
    KEEP_LAST,
    Identity,
    LongText,
    Many,
    Name,
    Natural,
    Number,
    Positive,
    Shape,
    Size,
    Strides,
    Table,
    Values,
    counted_by,
)


class Summary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of a tensor at one moment.

    `values` are in row-major order: all of them up to 256 elements, the first 16 of a larger tensor.  `min`, `max` and
    `mean` are None for complex and empty tensors, for tensors with a NaN, and above 4,096 elements, where they are
    computed on demand; `norm` is the 2-norm over all elements.  Units: `strides` in elements, `nbytes` in bytes.
    """

    shape: Shape
    dtype: Name
    strides: Strides
    nbytes: Size
    min: Number | None
    max: Number | None
    mean: Number | None
    norm: Number | None
    nan_count: Natural
    inf_count: Natural
    values: Values


class TensorInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tensor when it was created; `base` is the tensor that it is a view of."""

    tensor: Identity
    storage: Identity
    version: Natural
    requires_grad: bool
    is_leaf: bool
    base: Identity | None
    value: Summary


class Argument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One argument of an op: a tensor by its identity, anything else as its Python text."""

    name: Name
    tensor: Identity | None
    text: LongText | None


class Edge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of `next_functions`: the node that the gradient of one input goes to."""

    node: Identity
    output_nr: Natural


class SavedTensor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tensor kept for a node's backward formula, e.g. in slot `_saved_self`; `is_output` marks a result of the op."""

    slot: Name
    tensor: Identity | None
    storage: Identity
    version: Natural
    nbytes: Size
    is_output: bool


class NodeInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A node of the tape; `sequence_nr` orders the backward pass, highest first."""

    node: Identity
    name: Name
    sequence_nr: int
    next_functions: Many[Edge | None]
    saved: Many[SavedTensor]
    attributes: Table[Name]


class NamedTensor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tensor and its name inside a module."""

    name: Name
    tensor: Identity


class ParameterGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that a group of an optimizer's parameters had in this step.

    `options` are those that are neither None nor False, as Python text.
    """

    lr: Number | None
    options: Table[Name]


class ParameterUpdate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The update of one parameter by one optimizer step.

    `name` is its path or variable, `group` counts the optimizer's groups from 0, and `change` is `after` minus
    `before`, None for a tensor that is too large to compare at every step.  `grad` is its `.grad` after the step, and
    `state` the optimizer's state for it, e.g. "momentum_buffer" or "exp_avg": tensors, anything else as Python text.
    """

    tensor: Identity
    name: Name | None
    group: Natural
    before: Summary
    grad: Summary | None
    after: Summary
    change: Summary | None
    state: Table[Summary | Name]


class TracebackLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One frame of the user's code in a traceback, outermost first; `file` is as in events."""

    line: Natural
    function: Name
    text: LongText
    file: Positive | msgspec.UnsetType = msgspec.UNSET


Traceback: TypeAlias = Annotated[
    list[TracebackLine], msgspec.Meta(max_length=DEEPEST, extra=KEEP_ENDS | counted_by("frames_left_out"))
]
"""The frames of a traceback; of a deep one the outermost frame and the innermost ones."""
Stack: TypeAlias = Annotated[
    list[TracebackLine], msgspec.Meta(max_length=DEEPEST, extra=KEEP_LAST | counted_by("frames_left_out"))
]
"""The frames of a call stack; of a deep one the innermost."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One fact that supports a diagnosis: a sentence, and the line, node, tensor and number that it is about.

    `value` is the number at the end of `text`, e.g. the norm of the gradient that `node` sent.  `file` is as in events.
    """

    text: LongText
    line: Natural | None = None
    node: Identity | None = None
    tensor: Identity | None = None
    value: Number | None = None
    file: Positive | None = None


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The answer to a question "why?": the cause, the fix, and the lines and identities that are involved.

    `wrong_fix` is common advice that does not help, and why not; `evidence` are the facts in their order.  `files` has
    the file of each line, 0 for the main one; it is empty where all lines are of that.
    """

    cause: LongText
    fix: LongText
    lines: Many[Natural]
    nodes: Many[Identity]
    tensors: Many[Identity]
    wrong_fix: LongText | None = None
    evidence: Many[Evidence] = []
    files: Many[Natural] = []
