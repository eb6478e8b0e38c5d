"""Batching of samples: tensors are stacked, numbers become a tensor, containers are batched element by element."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from backscope.ops.core.namespace import torch_functions
from backscope.ops.create.creation import as_tensor, from_numpy, tensor
from backscope.runtime.given import Tree, Value, Values
from backscope.tensor.dtype import float64
from backscope.tensor.tensor import Tensor

UNKNOWN = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch: Tree) -> Tree:
    """A batch of samples of one kind; TypeError for kinds that can't be batched."""
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Tree, *, collate_fn_map: dict[Any, Callable[..., Any]] | None = None) -> Tree:
    """A batch by the functions of a map from types, containers element by element."""
    first = batch[0]
    functions = collate_fn_map or {}
    for kind in (type(first), *functions):
        if kind in functions and isinstance(first, kind):
            return functions[kind](batch, collate_fn_map=collate_fn_map)

    def together(samples: Value) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _rebuilt(first, {key: together([d[key] for d in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(together(samples) for samples in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [together(samples) for samples in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else _rebuilt(first, parts)
    raise TypeError(UNKNOWN.format(type(first)))


def _rebuilt(like: Value, parts: Values) -> Any:
    """Parts in a container of the kind of `like`, or the plain one where that can't be made."""
    try:
        if isinstance(like, (MutableMapping, MutableSequence)):
            made: Any = copy.copy(like)
            for key, value in parts.items() if isinstance(parts, dict) else enumerate(parts):
                made[key] = value
            return made
        return type(like)(parts)
    except TypeError:
        return parts


def _of_tensors(batch: Tree, *, collate_fn_map: Tree = None) -> Any:
    return torch_functions["stack"](list(batch), 0)


def _of_arrays(batch: Tree, *, collate_fn_map: Tree = None) -> Any:
    if batch[0].dtype.kind in "USO":
        raise TypeError(UNKNOWN.format(batch[0].dtype))
    return collate([as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def _of_scalars(batch: Tree, *, collate_fn_map: Tree = None) -> Any:
    return as_tensor(np.stack(batch))


def _of_floats(batch: Tree, *, collate_fn_map: Tree = None) -> Any:
    return tensor(batch, dtype=float64)


def _of_integers(batch: Tree, *, collate_fn_map: Tree = None) -> Any:
    return tensor(batch)


def _as_given(batch: Tree, *, collate_fn_map: Tree = None) -> Any:
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: _of_tensors,
    np.ndarray: _of_arrays,
    (np.bool_, np.number, np.object_): _of_scalars,
    float: _of_floats,
    int: _of_integers,
    str: _as_given,
    bytes: _as_given,
}


def default_convert(data: Value) -> Tree:
    """Convert NumPy arrays to tensors, in containers too; anything else is returned unchanged."""
    if isinstance(data, (np.ndarray, np.generic)):
        return data if data.dtype.kind in "USO" else from_numpy(np.asarray(data))
    if isinstance(data, Mapping):
        return _rebuilt(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple):
        parts = [default_convert(d) for d in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuilt(data, [default_convert(d) for d in data])
    return data
