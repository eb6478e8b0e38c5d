"""Recording of ops that change a tensor, and of ops with operands of different shapes or dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.formula import THROUGH_TENSORS
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import next_sequence_nr
from backscope.autograd.views.view_history import rebase
from backscope.ops.core.declaration import Op, primitives
from backscope.ops.core.dispatch import saved_hooks, track
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor, make


# Any: a node, of the class of its op, with slots of its own.
def track_elementwise(
    op: Op, tensors: list[Any], args: tuple[Any, ...], out: Value, replaced: Value = None, *, in_place: bool = False
) -> Any:
    """Put the node of an elementwise op on the tape; where shapes or dtypes differ its gradients are made to fit."""
    node = track(op, tensors, args, (out,), replaced, in_place=in_place)
    if node is None:
        return None
    given = [t for t in tensors if t is not None]
    if any(t._dtype is not out._dtype for t in given):
        node.plan = THROUGH_TENSORS
    elif any(t._data.shape != out._data.shape for t in given):
        node.plan = node.plan.folding
    return node


def preserved(op: Op, target: Tensor, inputs: list[Any]) -> Value:
    """Clone the values that an in-place op is about to overwrite and its node saves; tracked, as PyTorch's clone is."""
    if op.inputs[0] not in op.slots:
        return None
    needs = tuple([isinstance(t, Tensor) and t._requires_grad for t in inputs])
    if not op.plan(needs).keeps[op.slots.index(op.inputs[0])]:
        return None
    copy = make(np.array(target._data)[()], target._dtype)
    if target._requires_grad:
        op = primitives["clone"]
        node = track(op, [target], (target, None), (copy,), in_place=True)
        node.sequence_nr += 1  # The node of the in-place op itself is first.
        if hub.listener is not None:
            hub.listener.op("clone", op, (target, None), (copy,), node)
    return copy


# Any: a node, of the class of its op, with slots of its own.
def record_in_place(
    op: Op,
    target: Tensor,
    tensors: list[Any],
    args: tuple[Any, ...],
    replaced: Value,
    before: int,
    early: Values = None,
    *,
    fit: bool = True,
) -> Any:
    """Put the node of an in-place op on the tape as the new history of `target`.

    `before` is the version counter before the change, `early` the result of packed_before().  With `fit`, gradients are
    folded and cast to the inputs' shapes and dtypes, as for elementwise ops.
    """
    was = target._grad_fn, target._output_nr, target._requires_grad
    if fit:
        node = track_elementwise(op, tensors, args, target, replaced, in_place=True)
    else:
        node = track(op, tensors, args, (target,), replaced, in_place=True)
    if node is None:
        return None
    if op.written is not None:
        node.__class__ = op.written
    if op.underived is not None:
        node.plan, node.saved, node.versions = op.underived, (), None
    if replaced is not None and replaced._grad_fn is not None:
        node.sequence_nr -= 1
    if node.saved:
        stale = [isinstance(e, Tensor) and e is not replaced and e._shared is target._shared for e in node.saved]
        if any(stale):
            versions = node.versions or (0,) * len(stale)
            node.versions = tuple([before if s else v for s, v in zip(stale, versions, strict=True)])
    target._grad_fn, target._output_nr, target._requires_grad = was
    saves = bool(node.saved)
    now = rebase(target, node)
    if saved_hooks and saves:
        from backscope.autograd.saved.saved_hooks import pack

        node.saved = now.saved
        pack(node, (target,), early)
        now.saved = node.saved
    return now


def attempted(*tensors: Value) -> None:
    """Take the sequence number of the node that PyTorch makes before the kernel of an op refuses its tensors."""
    if mode.enabled and any(isinstance(t, Tensor) and t._requires_grad for t in tensors):
        next_sequence_nr()


def packed_before(op: Op, tensors: Values, args: tuple[Any, ...], replaced: Value) -> Values:
    """Run the pack hooks on the inputs that an in-place op saves, before the op changes them."""
    if not saved_hooks:
        return None
    from backscope.autograd.saved.saved_hooks import pack_inputs

    return pack_inputs(op, tensors, args, replaced)


def renew(values: Values) -> None:
    """Update the history of views among the other inputs of an in-place op, before it changes anything."""
    for v in values:
        if isinstance(v, Tensor) and v._view is not None:
            v._view.renew(v)
