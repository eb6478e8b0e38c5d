"""Forward mode through a custom Function: its jvp() gives the tangents of its outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.function.custom_node import CustomNode
from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.transforms.dual_tensor import set_tangent, tangent_of
from backscope.autograd.transforms.transform_tensor import TransformTensor, synchronize
from backscope.func.forward_ad import unpack_dual
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor, make

NO_VIEW = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
NOT_OF_INPUT = "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
NOT_OF_BASE = (
    "A custom Function is returning a view but the jvp is not returning a view of the same base as the given grad "
    "input."
)
NOT_IN_PLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)


def push_tangents(node: CustomNode, args: tuple[Any, ...], raw: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    """Give `outputs` the tangents that jvp() returns; do nothing where no input has one.

    `raw` is what forward() returned.  RuntimeError where count, types, shapes or the sharing of memory don't fit.
    """
    tangents = [_tangent(a) if isinstance(a, Tensor) else None for a in args]
    if not any(t is not None for t in tangents):
        return
    versions = {id(t): t._version for t in tangents if t is not None}
    forward_mode.enabled = False
    try:
        ctx = node.public()
        returned = ctx.apply_jvp(*[_given(node, a, t) for a, t in zip(args, tangents, strict=True)])
    finally:
        forward_mode.enabled = True
    found = returned if isinstance(returned, tuple) else (returned,)
    for i, tangent in enumerate(found):
        if tangent is not None and not isinstance(tangent, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
    if len(found) != len(raw):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(raw)} but got {len(found)})"
        )
    by_input = {id(a): t for a, t in zip(args, tangents, strict=True) if isinstance(a, Tensor)}
    unmarked = {id(t) for t in node.non_differentiable or ()}
    for i, (given, out, tangent) in enumerate(zip(raw, outputs, found, strict=True)):
        if not isinstance(out, Tensor) or id(given) in unmarked or out._dtype.category < 2:
            if tangent is not None:
                raise RuntimeError(
                    f"Function's jvp returned a gradient at position {i}, but  the corresponding forward output is not "
                    "a differentiable Tensor.You should return None at that position instead."
                )
            continue
        if tangent is None:
            raise RuntimeError("Expected both tensor and its forward grad to be floating point or complex")
        if out is given and id(given) in by_input:
            own = by_input[id(given)]
            if tangent is not own or own._version == versions[id(own)]:
                raise RuntimeError(NOT_IN_PLACE)
            continue
        if out._view is not None:
            _check_view(out._view.base, tangent, args, by_input)
        if tangent._data.shape != out._data.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(out._data.shape)} while the given forward gradient is of size "
                f"{list(tangent._data.shape)}."
            )
        if _is_mapped(out):
            _become_dual(out, tangent)
            continue
        set_tangent(out, tangent)
        if hub.listener is not None:
            hub.listener.tangent_computed(out, 0, type(node).function.__name__, tangent)


def _is_mapped(tensor: Value) -> bool:
    level = tensor.level if tensor.__class__ is TransformTensor and tensor.batch_dim is not None else None
    return level is not None and bool(level.is_open)


def _tangent(tensor: Value) -> Any:
    """Return the tangent of a tensor; for a mapped tensor that of the tensor that it wraps."""
    return unpack_dual(tensor).tangent if _is_mapped(tensor) else tangent_of(tensor)


def _become_dual(out: Value, tangent: Value) -> None:
    """Give the tensor that a mapped tensor wraps the tangents of all examples."""
    from backscope.func.batching import batched_dual

    made = batched_dual(out.level, out, tangent)
    out.inner, out.batch_dim = made.inner, made.batch_dim
    synchronize(out)


def _given(node: CustomNode, arg: Any, tangent: Value) -> Any:
    if tangent is not None or not isinstance(arg, Tensor) or not node.materialize or arg._dtype.category < 2:
        return tangent
    return make(np.zeros(arg._data.shape, arg._dtype.np)[()], arg._dtype)


def _check_view(base: Tensor, tangent: Tensor, args: tuple[Any, ...], by_input: dict[int, Any]) -> None:
    """Raise RuntimeError where an output is a view of `base` but its tangent is not the same view of an input's."""
    view = tangent._view
    if view is None:
        raise RuntimeError(NO_VIEW)
    own = by_input.get(id(base))
    if own is not None:
        if view.base is not own and (own._view is None or view.base is not own._view.base):
            raise RuntimeError(NOT_OF_INPUT)
        return
    for a in args:
        if isinstance(a, Tensor) and a._view is not None and a._view.base is base:
            own = by_input[id(a)]
            if own is not None and view.base is not (own if own._view is None else own._view.base):
                raise RuntimeError(NOT_OF_INPUT if own._view is None else NOT_OF_BASE)
