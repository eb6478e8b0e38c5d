"""How an op runs: raw values in, a Tensor out, and a node on the tape where something is tracked (see calling.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backscope.autograd.node import maker
from backscope.ops.core.declaration import Op
from backscope.runtime.given import Shape, Value, Values
from backscope.runtime.process import process_wide
from backscope.tensor.dtype import dtype
from backscope.tensor.sparse_values import NotImplementedForSparse, Sparse
from backscope.tensor.tensor import Tensor

_tensor = maker(Tensor)
table = dtype.table


def wrap(data: Value, like: dtype) -> Value:
    """Return an untracked tensor around the raw result of an op; `like` is the dtype that it most likely has."""
    t = _tensor()
    t._data = data
    d = data.dtype
    t._dtype = like if d is like.np else table[d]
    t._requires_grad = False
    t._grad_fn = t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
    return t


def apply(op: Op, *args: Value) -> Values:
    """Run `op` on complete positional arguments, Tensors among them; returns its output or a tuple of outputs."""
    return op.apply(*args)


def only_inference(values: Values) -> bool:
    """Return True where all operands are inference tensors: their results are not tracked."""
    return all(
        v is None or (v.is_inference() if isinstance(v, Tensor) else v.__class__ is tuple and only_inference(v))
        for v in values
    )


def raw_kept(value: Value) -> Values:
    """Return the raw value of a tensor without a gradient, or of each in a tuple."""
    if isinstance(value, Tensor):
        return value._data
    if value.__class__ is tuple:
        return tuple([x._data if isinstance(x, Tensor) else x for x in value])
    return value


# Any: a node, of the class of its op, with slots of its own.
def track(
    op: Op, tensors: Values, args: tuple[Any, ...], outputs: Values, replaced: Value = None, *, in_place: bool = False
) -> Any:
    """Put the node of an op that just ran on the tape and mark its differentiable outputs.

    `replaced` is a copy of the first input from before an in-place op, to be saved in its stead.  None where all
    outputs are of types that can't carry a gradient.  After an op that is `in_place` the caller packs what was saved.
    """
    return op.record(tensors, args, outputs, replaced, in_place)


saved_hooks: list[Any] = process_wide([])
"""The active saved_tensors_hooks, innermost last: the thread that they are active in, and the two hooks."""


def attributes(op: Op, tensors: Values, args: Sequence[Any]) -> tuple[Any, ...]:
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
            values.append(None if t is None else described(t, what))
    return tuple(values)


def described(tensor: Tensor, what: str) -> Shape:
    """The shape, the strides in elements, or the dtype of an input."""
    data = tensor._data
    if what == "strides":
        strides, size = data.strides, data.itemsize
        if len(strides) == 2:
            return strides[0] // size, strides[1] // size
        return tuple([s // size for s in strides])
    if what == "offset":
        return tensor.storage_offset()
    return data.shape if what == "shape" else tensor._dtype


def to_array(value: Value) -> np.ndarray[Any, Any]:
    """Return a raw value as an array; NotImplementedError for a sparse one, which has no views."""
    if value.__class__ is Sparse:
        raise NotImplementedForSparse
    return value if isinstance(value, np.ndarray) else np.asarray(value)
