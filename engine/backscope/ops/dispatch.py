"""How an op runs: raw values in, a Tensor out, and a node on the tape where something is tracked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from backscope import meta
from backscope.autograd.grad_mode import mode
from backscope.autograd.level import used
from backscope.autograd.node import SavedNumber, gradient_edge, next_sequence_nr, save_result
from backscope.autograd.saved import SavedList, versions_of
from backscope.dtype import LOW_PRECISION, dtype
from backscope.listening import hub
from backscope.ops.declaration import Op
from backscope.process import process_wide
from backscope.subclass import spread, subclassed
from backscope.tensor import Tensor
from backscope.version_counter import InferenceVersion

_new: Callable[[type], Any] = object.__new__
table = dtype.table


def wrap(data: Any, like: dtype) -> Any:
    """An untracked tensor around the raw result of an op, whose dtype is probably `like`."""
    t = _new(Tensor)
    t._data = data
    d = data.dtype
    t._dtype = like if d is like.np else table[d]
    t._requires_grad = False
    t._grad_fn = t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
    return t


def apply(op: Any, *args: Any) -> Any:
    """Run `op` on complete positional arguments, Tensors among them; returns its output or a tuple of outputs."""
    if used:
        from backscope.autograd.lifting import lift

        lifted = lift(op, args, partial(apply, op))
        if lifted is not None:
            return lifted
    raws = list(args)
    tensors: Any
    if op.listed:
        (p,) = op.positions
        tensors = raws[p]
        for t in tensors:
            if t._view is not None:
                t._view.renew(t)
        raws[p] = [t._data for t in tensors]
    else:
        tensors = []
        for p in op.positions:
            t = raws[p]
            if isinstance(t, Tensor):
                if t._view is not None:
                    t._view.renew(t)
                raws[p] = t._array() if op.view else t._data
                tensors.append(t)
            else:
                tensors.append(None)
    for p in op.kept_positions:
        raws[p] = raw_kept(raws[p])
    data = op.forward(*raws)
    if meta.used:
        data = meta.spread(tensors, data)
    first: Any = next((t for t in tensors if t is not None), None)
    like = first._dtype if first is not None else table[data.dtype]
    outputs = (wrap(data, like),) if op.outputs == 1 else tuple([None if d is None else wrap(d, like) for d in data])
    if op.view:
        from backscope.autograd.view import attach_view

        attach_view(op, first, outputs, args)
    node = None
    if mode.enabled and op.tracked:
        for t in tensors:
            if t is not None and t._requires_grad:
                if t._shared.__class__ is not InferenceVersion or not only_inference(tensors):
                    node = track(op, tensors, args, outputs)
                break
    if subclassed:
        for out in outputs:
            if out is not None:
                spread(tensors, out)
    if hub.listener is not None:
        told = outputs if op.outputs == 1 else tuple([o for o in outputs if o is not None])
        hub.listener.op(op.name, op, args, told, node, view=op.view)
    return outputs[0] if op.outputs == 1 else outputs


def only_inference(values: Any) -> bool:
    """True where all operands are inference tensors: what is made of them is no concern of autograd's."""
    return all(v is None or (isinstance(v, Tensor) and v.is_inference()) for v in values)


def raw_kept(value: Any) -> Any:
    """A tensor that gradients never flow to, or a tuple of such, as raw values."""
    if isinstance(value, Tensor):
        return value._data
    if value.__class__ is tuple:
        return tuple([x._data if isinstance(x, Tensor) else x for x in value])
    return value


def track(op: Op, tensors: Any, args: Any, outputs: Any, replaced: Any = None, *, in_place: bool = False) -> Any:
    """Put the node of an op that just ran on the tape and mark its differentiable outputs.

    `replaced` is a copy of the first input from before an in-place op, to be saved in its stead.  None where all
    outputs are of types that can't carry a gradient.  After an op that is `in_place` the caller packs what was saved.
    """
    count = op.differentiable if op.differentiable is not None else len(outputs)
    given = outputs[0] if outputs[0] is not None else next(o for o in outputs if o is not None)
    if given._dtype.category < 2:
        return None
    node = _new(op.node)
    node.sequence_nr = next_sequence_nr()
    edges = [(None, 0) if t is None else gradient_edge(t) for t in tensors]
    node.next = tuple([e[0] for e in edges])
    numbers = None
    for n in node.next:
        if n is not None and n.multi:
            numbers = tuple([e[1] for e in edges])
            break
    node.next_nr = numbers
    alone = op.listed or len(op.inputs) == 1  # A single input is saved even where no gradient goes to it.
    needs = (True,) * len(op.inputs) if alone else tuple([n is not None for n in node.next])
    plan = op.plan(needs)
    node.run = plan.run
    node.deliver = None
    for t in (*tensors, given):
        if t is not None and t._dtype.is_complex:
            node.run = plan.run_complex
            break
    if given._dtype in LOW_PRECISION:
        from backscope.autograd.formula import run_through_tensors

        node.run = run_through_tensors
    node.grad = node.mark = node.hooks = node.token = None
    if op.multi:
        node.shape = [None if o is None else o._data.shape for o in outputs[:count]]
        node.dtype = [None if o is None else o._dtype for o in outputs[:count]]
    else:
        node.shape = outputs[0]._data.shape
        node.dtype = outputs[0]._dtype
    node.attrs = attributes(op, tensors, args) if op.attrs else ()
    _save(node, op, plan.keeps, args, outputs, replaced)
    multi = op.multi
    for i in range(count):
        out = outputs[i]
        if out is None:
            continue
        out._grad_fn = node
        out._requires_grad = True
        out._output_nr = i if multi else None
    if saved_hooks and not in_place:
        from backscope.autograd.saved_hooks import pack

        pack(node, outputs)
    return node


def _save(node: Any, op: Op, keeps: tuple[bool, ...], args: Any, outputs: Any, replaced: Any) -> None:
    node.versions = None
    if not keeps:
        node.saved = ()
        return
    saved: list[Any] = []
    stale = False
    for k, kept in enumerate(keeps):
        entry: Any = None
        if kept:
            result = op.result_slots[k]
            if result is not None:
                entry = save_result(outputs[result], result)
            else:
                position = op.slot_positions[k]
                entry = args[position]
                if replaced is not None and position == 0:
                    entry = replaced
                elif entry is None:
                    from backscope.autograd.formula import run_through_tensors

                    node.run = run_through_tensors  # The straight-line code takes every kept slot for a value.
                elif entry.__class__ is tuple:
                    entry = SavedList(entry)
                elif not isinstance(entry, Tensor):
                    entry = SavedNumber(entry)
            if entry is not None and entry._shared is not None:
                stale = True
        saved.append(entry)
    if True not in keeps:
        node.saved = ()
        return
    node.saved = tuple(saved)
    if stale:
        node.versions = versions_of(node.saved)


saved_hooks: list[Any] = process_wide([])
"""The active saved_tensors_hooks, innermost last: the thread that they are active in, and the two hooks."""


def attributes(op: Op, tensors: Any, args: Any) -> tuple[Any, ...]:
    """The values of an op's attributes for its formulas: arguments by name, shapes and dtypes of inputs."""
    values: list[Any] = []
    for name in op.attrs:
        if name in op.parameters:
            values.append(args[op.parameters.index(name)])
            continue
        stem, _, what = name.rpartition("_")
        if op.listed:
            values.append([t._data.shape if what == "shape" else t._dtype for t in tensors])
        else:
            t = tensors[op.inputs.index(stem)]
            values.append(None if t is None else _described(t, what))
    return tuple(values)


def _described(tensor: Tensor, what: str) -> Any:
    """The shape, the strides in elements, or the dtype of an input."""
    data = tensor._data
    if what == "strides":
        return tuple([s // data.itemsize for s in data.strides])
    if what == "offset":
        return tensor.storage_offset()
    return data.shape if what == "shape" else tensor._dtype


def to_array(value: Any) -> np.ndarray[Any, Any]:
    """A raw value as an array."""
    return value if isinstance(value, np.ndarray) else np.asarray(value)
