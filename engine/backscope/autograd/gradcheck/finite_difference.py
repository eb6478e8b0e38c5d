"""Derivatives of a function by finite differences, in the form that gradcheck compares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Value, Values
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.tensor import Tensor

Function = Callable[..., Any]


class GradcheckError(RuntimeError):
    """The gradients of a function are not those of finite differences."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


def as_tuple(value: Value) -> tuple[Any, ...]:
    """Return one value or several as a tuple."""
    return value if isinstance(value, tuple) else tuple(value) if isinstance(value, list) else (value,)


def is_differentiable_type(value: Value) -> bool:
    """Return True for a tensor of floating point or complex numbers."""
    return isinstance(value, Tensor) and value._dtype.category >= 2


def tracked(values: Values) -> Iterator[Tensor]:
    """Yield the tensors among nested values that require grad."""
    if isinstance(values, Tensor):
        if values.requires_grad:
            yield values
    elif isinstance(values, Iterable) and not isinstance(values, str):
        for value in values:
            yield from tracked(value)


def numerical_jacobians(
    func: Function, given: tuple[Any, ...], outputs: tuple[Any, ...], eps: float, *, forward: bool = False
) -> list[tuple[Any, ...]]:
    """Compute each tracked input's Jacobian with each differentiable output, a row for each element of the input."""
    if not forward and any(isinstance(o, Tensor) and o._dtype.is_complex for o in outputs):
        raise ValueError(
            "Expected output to be non-complex. get_numerical_jacobian no longer supports functions that return "
            "complex outputs."
        )
    return [
        numerical_jacobian(func, i, given, outputs, eps, forward=forward)
        for i, x in enumerate(given)
        if isinstance(x, Tensor) and x.requires_grad
    ]


def numerical_jacobian(
    func: Function, position: int, given: tuple[Any, ...], outputs: tuple[Any, ...], eps: float, *, forward: bool
) -> tuple[Any, ...]:
    """Compute the Jacobians of all differentiable outputs by one input, by changing its elements one by one."""
    x = given[position]
    kept = [k for k, o in enumerate(outputs) if is_differentiable_type(o)]
    options: dict[str, Any] = {"dtype": x.dtype} if x.dtype.is_complex else {}
    jacobians = tuple([outputs[k].new_zeros((x._data.size, outputs[k]._data.size), **options) for k in kept])
    for row, at, entry in _entries(x):
        columns = _derivatives(func, given, entry, eps, eps, complex_=x._dtype.is_complex, forward=forward, at=at)
        for jacobian, k in zip(jacobians, kept, strict=True):
            jacobian[row] = columns[k]
    return jacobians


def is_sparse(value: Value) -> bool:
    """Return True for a sparse tensor."""
    return isinstance(value, Tensor) and value._data.__class__ is Sparse


def filled_up(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values with sparse tensors made to hold all elements, so that each element can be changed."""
    return tuple([_filled(x) if is_sparse(x) else x for x in values])


def _filled(x: Value) -> Any:
    dims = x.sparse_dim()
    dense = x.detach().to_dense()
    indices = torch["ones"](dense.shape[:dims]).nonzero().t()
    values = dense.reshape((-1, *dense.shape[dims:])).clone()
    return torch["sparse_coo_tensor"](indices, values, x.shape).coalesce().requires_grad_(x.requires_grad)


def _entries(x: Value) -> Iterator[tuple[int, tuple[int, ...], Any]]:
    """Yield the elements of an input that are changed: row of the Jacobian, position, and the memory as a tensor.

    For a sparse tensor they are the elements that it holds.
    """
    if not is_sparse(x):
        values = x.data
        for row, at in enumerate(product(*[range(n) for n in x.shape])):
            yield row, at, values[at]
        return
    held = x.detach()._values()
    steps = [math.prod(x.shape[d + 1 :]) for d in range(len(x.shape))]
    for i, place in enumerate(x.detach()._indices().t().tolist()):
        for at in product(*[range(n) for n in held.shape[1:]]):
            whole = (*place, *at)
            yield sum(n * step for n, step in zip(whole, steps, strict=True)), at, held[(i, *at)]


def directional_derivatives(
    func: Function, position: int, given: tuple[Any, ...], u: Value, eps: float, *, forward: bool
) -> list[Any]:
    """Compute the derivatives of all outputs along the vector `u` of one input; along two for a complex input."""
    x = given[position]
    shape = x.shape

    def scaled(w: Value) -> Any:
        whole = eps * w.reshape(shape)
        return whole[tuple(x.detach()._indices())] if is_sparse(x) else whole

    values = x.detach()._values() if is_sparse(x) else x.data
    step = tuple([scaled(w) for w in u]) if isinstance(u, tuple) else scaled(u)
    return _derivatives(func, given, values, step, eps, complex_=values._dtype.is_complex, forward=forward, at=None)


def _derivatives(
    func: Function,
    given: tuple[Any, ...],
    entry: Value,
    step: Value,
    eps: float,
    *,
    complex_: bool,
    forward: bool,
    at: Value,
) -> list[Any]:
    """Compute the derivatives of all outputs when `entry`, a part of an input's memory, changes by `step`.

    With respect to a complex entry the derivative by its real part, and that by its imaginary part times the
    imaginary unit.
    """
    if not complex_:
        return _difference(func, given, entry, step, eps, at)
    first, second = step if isinstance(step, tuple) else (step, step)
    by_real = _difference(func, given, entry, first, eps, at)
    by_imaginary = _difference(func, given, entry, second * 1j, eps, at)
    return [a + b * 1j for a, b in zip(by_real, by_imaginary, strict=True)]


def _difference(func: Function, given: tuple[Any, ...], entry: Value, step: Value, eps: float, at: Value) -> list[Any]:
    def values() -> list[Any]:
        return [o.clone() for o in as_tuple(func(*given))]

    before = entry.clone()
    entry.copy_(before - step)
    low = values()
    entry.copy_(before + step)
    high = values()
    entry.copy_(before)
    for a, b in zip(low, high, strict=True):
        _check_alike(a, b, eps, at)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(low, high, strict=True)]


def _check_alike(a: Value, b: Value, eps: float, at: Value) -> None:
    """Raise AssertionError where a small change of an input changes the shape or dtype of an output."""
    where = "" if at is None else f"on index {at} "
    for what, one, other in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        if one != other:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, "
                f"but got: {what}s {one} and {other}."
            )
