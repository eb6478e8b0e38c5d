"""The parts that events are made of: what is told of values, tensors, nodes, updates and errors."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

NonFinite: TypeAlias = Literal["NaN", "Infinity", "-Infinity"]
Number: TypeAlias = int | float | NonFinite
Element: TypeAlias = Number | list[Number]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a tensor held at one moment.

    `values` are in row-major order: all of them up to 256 elements, the first 16 of a larger tensor.  `min`, `max` and
    `mean` are None for complex and empty tensors, for tensors with a NaN, and above 4,096 elements, where they are
    computed on demand; `norm` is the 2-norm over all elements.  Units: `strides` in elements, `nbytes` in bytes.
    """

    shape: list[int]
    dtype: str
    strides: list[int]
    nbytes: int
    min: Number | None
    max: Number | None
    mean: Number | None
    norm: Number | None
    nan_count: int
    inf_count: int
    values: list[Element]


class TensorInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor as it was when the program got it; `base` is the tensor that it is a view of."""

    tensor: int
    storage: int
    version: int
    requires_grad: bool
    is_leaf: bool
    base: int | None
    value: Summary


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of an op: a tensor by its identity, anything else as its Python text."""

    name: str
    tensor: int | None
    text: str | None


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of `next_functions`: where the gradient of one input goes."""

    node: int
    output_nr: int


class SavedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor kept for a node's backward formula, e.g. slot `_saved_self`; `is_output` for the op's own result."""

    slot: str
    tensor: int | None
    storage: int
    version: int
    nbytes: int
    is_output: bool


class NodeInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the tape; `sequence_nr` orders the backward pass, highest first."""

    node: int
    name: str
    sequence_nr: int
    next_functions: list[Edge | None]
    saved: list[SavedTensor]
    attributes: dict[str, str]


class NamedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor by the name that it has inside of something."""

    name: str
    tensor: int


class ParameterGroup(msgspec.Struct, frozen=True, kw_only=True):
    """What some of an optimizer's parameters share, as it was in this step.

    `options` are those that are neither None nor False, as Python text.
    """

    lr: Number | None
    options: dict[str, str]


class ParameterUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """What one optimizer step did to one parameter.

    `name` is its path or variable, `group` counts the optimizer's groups from 0, `change` is `after` minus `before`:
    None for what is too large to be compared at every step.  `grad` is its `.grad` after the step, and `state` what
    the optimizer remembers of it, e.g. "momentum_buffer" or "exp_avg": tensors, and the Python text of what is none.
    """

    tensor: int
    name: str | None
    group: int
    before: Summary
    grad: Summary | None
    after: Summary
    change: Summary | None
    state: dict[str, Summary | str]


class TracebackLine(msgspec.Struct, frozen=True, kw_only=True):
    """One frame of the user's code in a traceback, outermost first."""

    line: int
    function: str
    text: str


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fact that a diagnosis rests on: what it says, where it is, and its number where it is about one.

    `value` is what `text` ends with as a number, e.g. the norm of the gradient that `node` sent.
    """

    text: str
    line: int | None = None
    node: int | None = None
    tensor: int | None = None
    value: Number | None = None


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why something is as it is, computed from the tape: the cause, the lines and identities involved, what to do.

    `wrong_fix` is what is often advised instead and what is wrong with it; `evidence` are the facts in their order.
    """

    cause: str
    fix: str
    lines: list[int]
    nodes: list[int]
    tensors: list[int]
    wrong_fix: str | None = None
    evidence: list[Evidence] = []
