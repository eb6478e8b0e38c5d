"""Copies of views: for each view op an op `NAME_copy` with a result in memory of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.views.view_history import requires_grad
from backscope.ops.core.arguments.dims import infer, sizes, wrap_dim
from backscope.ops.core.broadcasting import _expand
from backscope.ops.core.declaration import A, Op, op, primitives
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export, internal
from backscope.ops.index.slicing import END, _select, _unfold
from backscope.ops.pointwise.complex_views import _view_as_complex, _view_as_real
from backscope.ops.shape.diagonals import _diagonal
from backscope.ops.shape.dim_order import _permute, _t, _transpose
from backscope.ops.shape.splitting import _split, _split_with_sizes, _unbind
from backscope.ops.shape.squeezing import _squeeze, _unsqueeze
from backscope.ops.shape.striding import _as_strided
from backscope.ops.shape.view_ops import _view
from backscope.runtime.given import Dtype, Shape, Value
from backscope.tensor import dtype as types
from backscope.tensor.tensor import Tensor


def _copying(view: Op) -> Callable[..., Any]:
    look = view.forward
    if view.outputs == 1:

        def forward(*args: Any) -> Any:
            return look(*args).copy()[()]
    else:

        def forward(*args: Any) -> Any:
            return [part.copy()[()] for part in look(*args)]

    forward.__signature__ = inspect.signature(look)  # type: ignore[attr-defined]
    return forward


def _declare(name: str) -> None:
    """Declare the form of a view op that copies what the view would show."""
    view, made = primitives[name], f"{name}_copy"
    body = {"forward": _copying(view), **{f"grad_{k}": f for k, f in view.formulas.items()}}
    options = {"symbol": view.symbol, "latex": view.latex, "summary": view.summary, "grad_fn": f"{view.grad_fn}_copy"}
    primitives[made] = Op(made, type(made, (), body), {**options, "outputs": view.outputs})


for _name in (
    "alias",
    "as_strided",
    "expand",
    "permute",
    "reshape_alias",
    "select",
    "slice",
    "split",
    "split_with_sizes",
    "squeeze",
    "squeeze_dim",
    "squeeze_dims",
    "t",
    "transpose",
    "unbind",
    "unfold",
    "unsqueeze",
    "view",
    "view_as_real",
):
    _declare(_name)


def _publish(view: Callable[..., Any], name: str, **kind: str) -> None:
    made = partial(view, **kind)
    made.__doc__ = f"What {name} shows, in memory of its own."
    made.__name__ = made.__qualname__ = f"{name}_copy"  # type: ignore[attr-defined]
    export(f"{name}_copy", method=False)(made)


for _name, _function in {
    "as_strided": _as_strided,
    "diagonal": _diagonal,
    "expand": _expand,
    "permute": _permute,
    "select": _select,
    "squeeze": _squeeze,
    "t": _t,
    "transpose": _transpose,
    "unbind": _unbind,
    "unfold": _unfold,
    "unsqueeze": _unsqueeze,
    "view_as_real": _view_as_real,
}.items():
    _publish(_function, _name, copied="_copy")
_publish(_split, "split", kind="{}_copy")
_publish(_split_with_sizes, "split_with_sizes", kind="{}_copy")


@export(method=False)
def alias_copy(input: Tensor) -> Value:  # noqa: A002
    """A copy in row-major memory."""
    return apply(primitives["alias_copy"], input)


@op(underivable=True, symbol="copy")
class detach_copy:
    """A copy in row-major memory that PyTorch has no derivative of."""

    def forward(self: A) -> A:
        return to_array(self).copy()[()]


@export("detach_copy", method=False)
def _detach_copy(input: Tensor) -> Any:  # noqa: A002
    """A copy in row-major memory."""
    return apply(primitives["detach_copy"], input)


@export(method=False)
def view_copy(input: Tensor, size: Shape = None, *, dtype: Dtype = None) -> Value:  # noqa: A002
    """A copy in another shape; a dtype in its place reads the bytes."""
    kind = size if dtype is None else dtype
    if isinstance(kind, types.dtype):
        return _view(input, kind).clone()
    return apply(primitives["view_copy"], input, infer(sizes((size,)), input._data.size))


@export(method=False)
def _reshape_alias_copy(input: Tensor, size: Shape, stride: Shape) -> Any:  # noqa: A002
    """A copy in another shape."""
    return apply(primitives["reshape_alias_copy"], input, tuple(size))


@internal
def slice(  # noqa: A001
    input: Tensor,  # noqa: A002
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Value:
    """A view of a range of a dim."""
    return sliced(input, dim, start, end, step)


@export(method=False)
def slice_copy(
    input: Tensor,  # noqa: A002
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Value:
    """A copy of a range of a dim."""
    return sliced(input, dim, start, end, step, copied="_copy")


def sliced(
    input: Tensor,  # noqa: A002
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
    *,
    copied: str = "",
) -> Value:
    """Return a range of a dim, with bounds that may be out of range; RuntimeError for a step that is not positive."""
    if not input._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    wrap_dim(dim, input._data.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return apply(primitives["slice" + copied], input, dim, start or 0, END if end is None else end, step)


@export(method=False)
def view_as_complex_copy(input: Tensor) -> Value:  # noqa: A002
    """Pairs of real numbers as complex ones, in memory of its own; PyTorch has no derivative of it."""
    if mode.enabled and requires_grad(input):
        raise RuntimeError(
            "view_as_complex_copy does not support automatic differentiation for outputs with complex dtype."
        )
    return _view_as_complex(input).clone()
