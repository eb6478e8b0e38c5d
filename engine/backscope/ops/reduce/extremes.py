"""Largest and smallest elements: max, min, amax, amin, argmax, sort, topk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.arguments.dims import as_dims, check_length, restore, wrap_dim, wrap_dims
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.core.return_types import return_type
from backscope.ops.core.untracked_functions import measure
from backscope.ops.reduce.tied_order import first_ordered, ordered
from backscope.runtime.given import Dim, Shape, Value
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


def shared_evenly(g: V, self: V, result: V) -> V:
    """The gradient of an extreme of all elements: an equal part for each element that is the extreme."""
    raw = result._data if isinstance(result, Tensor) else result
    if isinstance(raw, Absent):
        mask = (self == result) | (xp.isnan(self) & xp.isnan(result))
    else:
        mask = xp.isnan(self) if raw != raw else self == result
    # Filled in, not multiplied: 0 times an infinite gradient would be NaN.
    return xp.masked_fill_tensor(xp.zeros_like(self), g / xp.count(mask, g, None), mask)


def placed(g: V, indices: V, shape: Shape, dim: int, keepdim: bool) -> V:
    """Place the gradient of elements that were picked along a dim at their indices."""
    if not len(shape):
        return g
    if not keepdim:
        g, indices = xp.unsqueeze(g, dim), xp.unsqueeze(indices, dim)
    return xp.scatter(xp.zeros_of(g, shape), g, dim, indices)


SHARED = r"g \cdot \frac{[\text{self} = \text{result}]}{\textstyle\sum [\text{self} = \text{result}]}"
"""The gradient of elements of which one is the result, split evenly at ties."""
PICKED = r"g \cdot [i = \text{indices}]"
"""The gradient of elements of which one was picked along a dim."""


def _declare(name: str, whole: Any, at: Dim, word: str) -> None:
    """NAME of all elements, along a dim with indices, and aNAME along dims."""

    def forward_all(self: A) -> A:
        return whole(self)

    def forward_dim(self: A, dim: int, keepdim: bool = False) -> A:
        if not self.ndim:
            return self[()], np.int64(0)
        found = whole(self, axis=dim, keepdims=keepdim), at(self, axis=dim, keepdims=keepdim)
        return row_major(found[0]), row_major(found[1])

    def forward_dims(self: A, dim: Dim, keepdim: bool = False) -> A:
        return row_major(whole(self, axis=wrap_dims(dim, self.ndim), keepdims=keepdim))

    def grad_dim(g: V, indices: V, self_shape: V, dim: V, keepdim: V) -> V:
        return placed(g, indices, self_shape, dim, keepdim)

    def grad_dims(g: V, self: V, result: V, self_shape: V, dim: V, keepdim: V) -> V:
        mask = self == restore(result, self_shape, dim, keepdim)
        return restore(g, self_shape, dim, keepdim) * mask / xp.count(mask, g, dim)

    for f, further in ((forward_all, {}), (forward_dim, {"dim": "int"}), (forward_dims, {"dim": "Any"})):
        f.__annotations__ = {"self": "A", **further}
    title = name.capitalize()
    op(
        name=name + "_all",
        grad_fn=title + "Backward1",
        symbol=name,
        latex={"self": SHARED},
        summary={"self": f"sends the incoming {{g}} to the {word} element, split evenly at ties"},
    )(type(name, (), {"forward": forward_all, "grad_self": shared_evenly}))
    op(
        name=name + "_dim",
        grad_fn=title + "Backward0",
        outputs=2,
        differentiable=1,
        returns=("values", "indices"),
        symbol=name,
        latex={"self": PICKED},
        summary={"self": f"sends the incoming gradient to the place of the {word} element along dim {{dim}}"},
    )(type(name, (), {"forward": forward_dim, "grad_self": grad_dim}))
    op(
        name="a" + name,
        symbol="a" + name,
        latex={"self": SHARED},
        summary={"self": f"sends the incoming gradient to the {word} elements, split evenly at ties"},
    )(type(name, (), {"forward": forward_dims, "grad_self": grad_dims}))


_declare("max", np.max, np.argmax, "largest")
_declare("min", np.min, np.argmin, "smallest")


def stable_order(value: A, dim: int, descending: bool) -> A:
    """Return the stable order of elements along a dim, with NaN as the largest."""
    value = wide(value)
    if not descending:
        return np.argsort(value, axis=dim, kind="stable")
    n = value.shape[dim]
    backwards = np.argsort(np.flip(value, dim), axis=dim, kind="stable")
    return n - 1 - np.flip(backwards, dim)


def _in_order(value: A, order: A | None, dim: int) -> A:
    """A value in an order along a dim, and that order, None for a value without dims."""
    if order is None:
        return value[()], np.int64(0)
    return arranged(np.take_along_axis(value, order, axis=dim), [value]), arranged(order, [value])


def _declare_sort(name: str, grad_fn: str, about: str, forward: Callable[..., Any]) -> None:
    def grad_self(g: V, indices: V, self_shape: V, dim: V) -> V:
        return placed(g, indices, self_shape, dim, True)

    op(
        name=name,
        grad_fn=grad_fn,
        outputs=2,
        differentiable=1,
        returns=("values", "indices"),
        symbol="sort",
        latex={"self": r"g\ \text{at the indices}"},
        summary={"self": "sends each entry of the incoming gradient back to where it was along dim {dim}"},
    )(type(name, (), {"__doc__": about, "forward": forward, "grad_self": grad_self}))


def _sorted(self: A, dim: int, descending: bool = False) -> A:
    return _in_order(self, ordered(self, dim, descending=descending) if self.ndim else None, dim)


def _sorted_with_stable(self: A, dim: int, descending: bool = False, stable: bool = False) -> A:
    find = stable_order if stable else ordered
    return _in_order(self, find(self, dim, descending=descending) if self.ndim else None, dim)


_declare_sort("sort", "SortBackward0", "Sorted along a dim, with the indices.", _sorted)
_declare_sort(
    "sort_op",
    "SortBackward1",
    "Sorted along a dim by a call that gives `stable`, with the indices.",
    _sorted_with_stable,
)


@op(
    outputs=2,
    differentiable=1,
    returns=("values", "indices"),
    symbol="top k",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "sends each entry of the incoming gradient to the element that it was picked from"},
)
class topk:
    """The k largest, or smallest, elements along a dim, with their indices."""

    def forward(self: A, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> A:  # noqa: A002
        if not self.ndim:
            return self[()], np.int64(0)
        indices = first_ordered(self, dim % self.ndim, k, descending=largest, ordered=sorted)
        return row_major(np.take_along_axis(self, indices, axis=dim)), row_major(indices)

    def grad_self(g: V, indices: V, self_shape: V, dim: V) -> V:
        return placed(g, indices, self_shape, dim, True)


def _named(name: str) -> Any:
    return return_type(name, "values", "indices")


def _no_elements(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
        "'dim' argument."
    )


def _publish_extreme(name: str, between: str) -> None:
    pair = _named(name)

    def extreme(
        input: Tensor,  # noqa: A002
        dim: Dim = None,
        keepdim: bool = False,
        *,
        out: Value = None,
        other: Value = None,
    ) -> Any:
        if isinstance(dim, Tensor) or other is not None:
            return primitives[between].call(input, dim if other is None else other)
        if dim is None:
            if not input._data.size:
                raise _no_elements(name)
            if input._dtype.is_complex:
                raise NotImplementedError(f"\"{name}_all\" not implemented for '{input._dtype.type_name}'")
            return apply(primitives[name + "_all"], input)
        check_length(name, input, dim)
        if input._dtype.is_complex:
            raise RuntimeError(f"{name}(): does not support complex input")
        return pair(*apply(primitives[name + "_dim"], input, dim, bool(keepdim)))

    def along(input: Tensor, dim: Dim = (), keepdim: bool = False, *, out: Value = None) -> Any:  # noqa: A002
        wrap_dims(dim, input._data.ndim)
        if not input._data.size and not as_dims(dim):
            raise _no_elements("a" + name)
        for d in as_dims(dim) or ():
            if input._data.ndim and not input._data.shape[d]:
                raise IndexError(f"a{name}(): Expected reduction dim {d} to have non-zero size.")
        if input._dtype.is_complex and input._data.size:
            raise NotImplementedError(f"\"{name}_values_cpu\" not implemented for '{input._dtype.type_name}'")
        return apply(primitives["a" + name], input, as_dims(dim) or (), bool(keepdim))

    def forward(self: A, dim: Dim, keepdim: bool) -> A:
        return (np.argmax if name == "max" else np.argmin)(self, axis=dim, keepdims=keepdim)

    found = measure("arg" + name, forward)

    def place(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: A002
        if input._dtype.is_complex or input._dtype.category == 0:
            raise RuntimeError(
                f"arg{name}(): does not support {'complex' if input._dtype.is_complex else 'bool'} input"
            )
        if not input._data.size and dim is None:
            raise IndexError(f"arg{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        if dim is not None:
            check_length(f"arg{name}", input, dim)
        return found(input, dim, keepdim)

    extreme.__doc__ = f"The {name} of all elements, along `dim` (values and indices), or of two tensors."
    along.__doc__ = f"The {name} along dims, its gradient split evenly at ties."
    place.__doc__ = f"The index of the {name} of all elements or along a dim."
    export(name)(extreme)
    export("a" + name)(along)
    export("arg" + name)(place)


_publish_extreme("max", "maximum")
_publish_extreme("min", "minimum")
_SORT, _TOPK = _named("sort"), _named("topk")


@export("sort")
def _sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Any:  # noqa: A002
    """The elements along `dim` in order, with their indices; equal elements stay as they were if `stable`."""
    if input._dtype.is_complex:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    wrap_dim(dim, input._data.ndim)
    if stable is None:
        return _SORT(*apply(primitives["sort"], input, dim, bool(descending)))
    return _SORT(*apply(primitives["sort_op"], input, dim, bool(descending), bool(stable)))


@export()
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Value:  # noqa: A002
    """The indices that sort along `dim`."""
    return _sort(input.detach(), dim, descending, stable).indices


@export("topk")
def _topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # noqa: A002
    """The k largest elements along `dim`, or the smallest, with their indices."""
    d = wrap_dim(dim, input._data.ndim)
    if not 0 <= k <= (input._data.shape[d] if input._data.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return _TOPK(*apply(primitives["topk"], input, k, dim, bool(largest), bool(sorted)))
