"""Running a node's formula on Tensors, and fitting the gradients to the inputs that they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.evaluation import in_formula, wrapped
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import AccumulateGrad, Node
from backscope.autograd.plan import Plan
from backscope.autograd.saved.saved_tensors import environment
from backscope.autograd.unbroadcast import fold
from backscope.autograd.validation import COMPLEX_FOR_REAL
from backscope.ops.core.declaration import evaluate
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype
from backscope.tensor.tensor import Tensor, of_raw


def as_tensor(gradient: Value) -> Value:
    """Return a gradient as a Tensor."""
    return gradient if gradient is None or isinstance(gradient, Tensor) else of_raw(gradient)


# Any: only composite nodes have run_tensors().
def run_recorded(node: Any, g: Value, needs: tuple[bool, ...] | None = None) -> Values:
    """Run a node's formula on Tensors, recorded where grad mode is on; return the gradients of its inputs as Tensors.

    `needs` are the inputs that need a gradient, None for all that require one.
    """
    op = node.op
    if node.composite:
        return node.run_tensors(node, g)
    if needs is None:
        needs = (True,) * len(op.inputs) if op.listed else tuple([n is not None for n in node.next])
    if not op.listed:
        return op.plan(needs).recorded(node, g)
    values = [g, *environment(node)]
    for k in range(len(op.slots)):
        values[k + 1] = wrapped(values[k + 1])
    in_formula.append(True)
    try:
        gradients = evaluate(op.plan(needs).steps, values, len(op.inputs))
    finally:
        in_formula.pop()
    numbers = node.next_nr
    return [
        None if x is None or n is None else fit(x, n, numbers[i] if numbers else 0, op.name)
        for i, (x, n) in enumerate(zip(gradients, node.next, strict=True))
    ]


_PASSING_COMPLEX = frozenset(["where", "masked_fill_tensor"])
"""Ops with formulas that give real operands complex gradients, which PyTorch then refuses."""


def fit(gradient: Value, node: Node, nr: int, name: str = "") -> Value:
    """Return a gradient in its receiver's shape and dtype: summed over broadcast dims, and cast back."""
    shape, kind = (node.shape[nr], node.dtype[nr]) if node.multi else (node.shape, node.dtype)
    if gradient._data.shape != shape:
        gradient = gradient.sum_to_size(shape)
    if gradient._dtype is not kind:
        if gradient._dtype.is_complex and not kind.is_complex:
            if name in _PASSING_COMPLEX:
                raise RuntimeError(COMPLEX_FOR_REAL)
            gradient = gradient.real
        gradient = gradient.to(kind)
    return gradient


def run_through_tensors(node: Node, g: Value) -> list[Value]:
    """Run a node of mixed dtypes on Tensors, since its formula needs PyTorch's promotion."""
    wrapped = [as_tensor(x) for x in g] if node.multi else of_raw(g)
    before = mode.enabled
    mode.enabled = False
    listener, hub.listener = hub.listener, None
    try:
        return [None if x is None else x._data for x in run_recorded(node, wrapped)]
    finally:
        hub.listener = listener
        mode.enabled = before


THROUGH_TENSORS = Plan(run_through_tensors)


def run_as_kernel(node: Node, g: Value) -> Values:
    """Run a node of low precision in float32 and round at the end, for an op with a gradient of one PyTorch kernel."""
    op = node.op
    needs = (True,) * len(op.inputs) if op.listed else tuple([n is not None for n in node.next])
    values = [_widened(v) for v in (g, *environment(node))]
    found = evaluate(op.plan(needs).steps, values, len(op.inputs))
    made: list[Any] = []
    for x, (n, nr) in zip(found, node.edges(), strict=True):
        if x is None or n is None:
            made.append(None)
            continue
        shape, kind = (n.shape[nr], n.dtype[nr]) if n.multi else (n.shape, n.dtype)
        made.append(cast(fold(np.asarray(x), shape), kind)[()])
    return made


def _widened(value: Value) -> Any:
    """Return the raw value of a Tensor, in float32 where it is of a low precision type."""
    if isinstance(value, (list, tuple)):
        return type(value)([_widened(v) for v in value])
    raw = value._data if isinstance(value, Tensor) else value
    if isinstance(raw, (np.ndarray, np.generic)) and dtype.table[raw.dtype] in LOW_PRECISION:
        return raw.astype(np.float32)
    return raw


AS_KERNEL = Plan(run_as_kernel)


def call_node(node: Node, gradients: tuple[Any, ...]) -> Values:
    """Run a node as `grad_fn(gradient)` does: return the inputs' gradients as Tensors; TypeError for bad arguments."""
    count = len(node.shape) if node.multi else 1
    if len(gradients) != count:
        raise TypeError(f"expected {count} arguments, got {len(gradients)} instead")
    for i, g in enumerate(gradients):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"argument {i} is not a Variable")
    if isinstance(node, AccumulateGrad):
        _call_accumulate_grad(node, gradients[0])
        return ()
    if not node.runs_without_gradient and all(g is None for g in gradients):
        results: tuple[Any, ...] = (None,) * len(node.next)
    else:
        results = tuple(run_recorded(node, list(gradients) if node.multi else gradients[0]))
    return results[0] if len(results) == 1 else results


def _call_accumulate_grad(leaf: AccumulateGrad, gradient: Value) -> None:
    """Add a gradient to `.grad` when a program calls an AccumulateGrad, on the tape where grad mode is on."""
    from backscope.autograd.hooks.user_hooks import run_post_accumulate

    variable = leaf.variable
    if gradient is None or not variable._requires_grad:
        return
    if variable._grad is None:
        variable._grad = gradient.clone() if mode.enabled else gradient.detach()
    elif mode.enabled:
        variable._grad = variable._grad + gradient
    else:
        variable._grad += gradient
    run_post_accumulate(leaf, variable)
