"""Values of tensors on the device "meta": arrays of which only shape, strides and dtype count.

A MetaArray spreads through numpy: what is computed from one is one again.  Its elements are zeros that are never read;
from a million elements on they are not computed with either.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from backscope.runtime.given import Array, Dtype, Option, Shape, Value, Values
from backscope.runtime.process import process_wide

_LARGE = 1 << 20


class MetaArray(np.ndarray[Any, Any]):
    """An array without a content that counts; writing to it does nothing."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Values, **kwargs: Option) -> Array:
        out = kwargs.pop("out", None)
        if out is not None:
            return out[0] if len(out) == 1 else out
        if max(getattr(x, "size", 1) for x in inputs) >= _LARGE:
            if method == "__call__":
                return _shaped(ufunc, inputs, kwargs)
            if method == "reduce":
                return _reduced(inputs[0], kwargs)
        return _wrapped(getattr(ufunc, method)(*_plain(inputs), **kwargs))

    # Any: a function of numpy returns an array, or a shape or number of one.
    def __array_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: Values, kwargs: Mapping[str, Any]
    ) -> Any:
        if func is np.copyto:
            return None
        if func in _REDUCTIONS and args and getattr(args[0], "size", 1) >= _LARGE:
            return _reduced(args[0], {"axis": args[1] if len(args) > 1 else None, **kwargs})
        return _wrapped(func(*_plain(args), **_plain(kwargs)))

    def __getitem__(self, key: Value) -> Array:
        return meta_array(np.ndarray.__getitem__(self, _plain(key)))

    def __setitem__(self, key: Value, value: Value) -> None:
        return None

    def copy(self, order: Option = "C") -> Array:
        """An array in the order of a copy; a large one itself, as there is nothing to keep apart."""
        return self if self.size >= _LARGE else self.view(np.ndarray).copy(order).view(MetaArray)

    def item(self, *args: Value) -> NoReturn:
        """Raise PyTorch's error: a meta tensor has no elements."""
        raise no_item()


def _plain(value: Value) -> Any:
    if isinstance(value, MetaArray):
        return value.view(np.ndarray)
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(v) for v in value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value


def _wrapped(value: Value) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return meta_array(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_wrapped(v) for v in value)
    return value


def _shaped(ufunc: np.ufunc, inputs: Values, kwargs: Any) -> Any:
    """The result of a ufunc by shapes and dtypes alone."""
    kinds = [x.dtype if hasattr(x, "dtype") else type(x) for x in inputs]
    kind = kwargs.get("dtype") or ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout))[-1]
    shapes = [np.shape(x) for x in inputs]
    shape = _product(*shapes) if ufunc is np.matmul else np.broadcast_shapes(*shapes)
    return empty(shape, kind)


_REDUCTIONS = (np.sum, np.prod, np.mean, np.max, np.min, np.amax, np.amin, np.any, np.all)


def _reduced(array: Array, options: dict[str, Any]) -> Any:
    """The result of a reduction by shape and dtype alone."""
    axis = options.get("axis")
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    dropped = {a % array.ndim for a in axes}
    if options.get("keepdims") in (True, 1):
        shape = [1 if i in dropped else n for i, n in enumerate(array.shape)]
    else:
        shape = [n for i, n in enumerate(array.shape) if i not in dropped]
    return empty(shape, options.get("dtype") or array.dtype)


def _product(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    rows, columns = a[-2:-1], b[-1:] if len(b) > 1 else ()
    return (*np.broadcast_shapes(a[:-2], b[:-2]), *rows, *columns)


def empty(shape: Shape, kind: Dtype) -> MetaArray:
    """A MetaArray of a shape; a large one takes up no memory."""
    shape = tuple(shape)
    if functools.reduce(operator.mul, shape, 1) < _LARGE:
        return np.zeros(shape, kind).view(MetaArray)
    return np.broadcast_to(np.zeros((), kind), shape).view(MetaArray)


def meta_array(value: Value) -> MetaArray:
    """A raw value without its content, strides kept."""
    return value if isinstance(value, MetaArray) else np.asarray(value).view(MetaArray)


def no_item() -> RuntimeError:
    """PyTorch's error for reading an element."""
    return RuntimeError("Tensor.item() cannot be called on meta tensors")


def no_data() -> NotImplementedError:
    """PyTorch's error for copying the content."""
    return NotImplementedError("Cannot copy out of meta tensor; no data!")


def refuse_meta(name: str, tensor: Value) -> None:
    """PyTorch's error for an op that needs the content."""
    if isinstance(tensor._data, MetaArray):
        raise NotImplementedError(
            f"aten::{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta "
            "kernel registered. You may have run into this message while using an operator with PT2 compilation APIs "
            "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake "
            "impl. Please see the following for next steps:  "
            "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
        )


used: list[bool] = process_wide([])
"""True once there was a meta tensor: from then on ops check their arguments for meta tensors."""


def spread(tensors: Values, data: Value, what: Callable[[], str] | None = None) -> Array:
    """The result of an op on these tensors: without content where one of them has none.

    Raises:
        RuntimeError: one is on another device than the first; tensors of no dims on the CPU go with any.
    """
    devices = []
    for t in tensors:
        if t is None:
            continue
        if isinstance(t._data, MetaArray):
            devices.append("meta")
        elif t._data.ndim:
            devices.append("cpu")
    if "meta" not in devices:
        return data
    if "cpu" in devices:
        other = "cpu" if devices[0] == "meta" else "meta"
        raise RuntimeError(f"Tensor on device {other} is not on the expected device {devices[0]}!")
    return _wrapped(data)
