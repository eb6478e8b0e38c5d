"""The kinds of breakpoints, one struct each, and the tagged union of them; the tag is the field `on`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from backscope.protocol.field_types import Natural, Positive, snake_case

Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
"""A name, an expression or the like that a user typed."""


class _Breakpoint(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="on",
    tag=lambda name: snake_case(name.removesuffix("Breakpoint")),
):
    """`id` is a number that the client chooses.

    The program stops where `condition`, an expression in the frame that stops, is true, and from hit number `hits` on.
    """

    id: Natural
    condition: Text | None = None
    hits: Positive = 1


class LineBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops before a line runs; for a line without a statement, before the next line that has one.

    It is a line of the main file or of another `file` of the program, by its name as in source_added; one that the
    program has not imported so far stops once it has.
    """

    line: Positive
    file: Text | None = None


class OpBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after an op of this `name` ran, e.g. "exp", or before a node of this name runs, e.g. "ExpBackward0".

    It is also the path of a module, e.g. "model.fc1", and then stops where that is called.
    """

    name: Text


class NodeBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops before or after one `node` runs in a backward pass, and where it raises an error."""

    node: Natural
    when: Literal["before", "after"] = "before"


class TensorBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops when something happens to a `tensor`, which is an identity or the name of a variable.

    "created": the tensor is created, or the variable is bound to another one; "changed": its memory is changed in
    place; "gradient": its gradient, counted from its last change in place, is complete; "accumulated": its `.grad` was
    updated; "released": its last reference was dropped, where the program stops at the next line.
    """

    tensor: Natural | Text
    when: Literal["created", "changed", "gradient", "accumulated", "released"]


class NonFiniteBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops where finite numbers give a NaN or an infinity: in an op, in a node's gradients, or in place in memory."""


class GradientNormBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after a node or a leaf got a gradient whose 2-norm is over `above` or under `below`."""

    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        if self.above is None and self.below is None:
            raise ValueError("`above` or `below` is needed")


class FreedBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after a node freed its saved tensors; with a `name`, only for nodes of that name."""

    name: Text | None = None


class HookBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops after a hook ran; with a `name`, only for hooks of that name."""

    name: Text | None = None


class ExceptionBreakpoint(_Breakpoint, frozen=True, kw_only=True):
    """Stops where an exception leaves a function or is caught, while its frame exists; with a `type`, only for that."""

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
"""Every kind of breakpoint."""
