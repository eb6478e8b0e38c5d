"""torch.autocast on the CPU: the ops that compute in a lower precision, and those that compute in float32."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from backscope.autograd.modes import autocast
from backscope.ops.core.declaration import primitives
from backscope.ops.core.namespace import functional, linalg, torch_functions
from backscope.runtime.given import Dtype, Value, Values
from backscope.runtime.process import process_wide
from backscope.tensor.dtype import float32, float64
from backscope.tensor.tensor import Tensor

_LOWER = (
    "addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d "
    "conv_transpose3d linear matmul mkldnn_rnn_layer mm prelu scaled_dot_product_attention vecdot"
)
"""Ops that compute in the lower precision: products, where it is safe and faster."""
_SINGLE = (
    "adaptive_avg_pool3d adaptive_max_pool3d adaptive_max_pool3d_with_indices avg_pool3d binary_cross_entropy "
    "binary_cross_entropy_with_logits cdist cholesky cholesky_ex cholesky_inverse cholesky_solve cond "
    "cosine_embedding_loss cross_entropy ctc_loss eig eigh eigvals eigvalsh fft fft2 fftn fractional_max_pool2d "
    "fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices geqrf grid_sample "
    "grid_sampler grid_sampler_2d grid_sampler_3d hfft hinge_embedding_loss householder_product huber_loss ifft ifft2 "
    "ifftn ihfft inv inv_ex inverse irfft irfft2 irfftn kl_div l1_loss lstsq lu lu_solve "
    "margin_ranking_loss matrix_rank max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d "
    "mse_loss multi_margin_loss multilabel_margin_loss nanquantile nll_loss orgqr ormqr pinverse poisson_nll_loss "
    "polar prod qr quantile rfft rfft2 rfftn smooth_l1_loss soft_margin_loss solve stft svd svdvals tensorinv "
    "tensorsolve trace triangular_solve triplet_margin_loss view_as_complex pad"
)
"""Ops that compute in single precision, where a lower one is too inexact."""
_WIDEST = "cat concat concatenate index_copy stack"
"""Ops that compute in the widest type among their tensors."""
_AS_THEY_ARE = "addbmm_ addmm_ baddbmm_ index_copy_"
"""Ops that compute in the types of their arguments, in all their steps."""
_POLICIES = {n: names for names in (_LOWER, _SINGLE, _WIDEST, _AS_THEY_ARE) for n in names.split()}
_PAD_MODES = frozenset({"reflect", "replicate"})

_armed: list[bool] = process_wide([])
_inside: list[bool] = process_wide([])
_made: dict[Any, Callable[..., Any]] = {}
"""The casting form of each function that has one."""


def _castable(value: Value) -> bool:
    return isinstance(value, Tensor) and value._dtype.is_floating_point and value._dtype is not float64


def _cast(value: Value, kind: Dtype) -> Any:
    if isinstance(value, (list, tuple)):
        parts = [_cast(v, kind) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if not _castable(value) or value._dtype is kind:
        return value
    return autocast.cached(value, kind, lambda: value.to(kind))


def _tensors(values: Values) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def _kind(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The dtype that a call computes in; None for that of its arguments."""
    policy = _POLICIES[name]
    if policy is _AS_THEY_ARE or kwargs.get("out") is not None:
        return None
    if name == "pad" and not _PAD_MODES & {*args[2:3], kwargs.get("mode")}:
        return None
    if policy is _LOWER:
        return autocast.get_autocast_dtype("cpu")
    if policy is _WIDEST:
        wide = [t for t in _tensors((*args, *kwargs.values())) if _castable(t)]
        return float32 if any(t._dtype is float32 for t in wide) else None
    return float32


def _casting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that autocast casts its arguments, but not those of the ops that it calls itself."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _inside or not autocast.is_autocast_enabled("cpu"):
            return function(*args, **kwargs)
        kind = _kind(name, args, kwargs)
        if kind is not None:
            args = tuple([_cast(a, kind) for a in args])
            kwargs = {key: _cast(a, kind) for key, a in kwargs.items()}
        _inside.append(True)
        try:
            return function(*args, **kwargs)
        finally:
            _inside.pop()

    call.casting = True  # type: ignore[attr-defined]
    return call


def _holders() -> Iterator[dict[str, Any]]:
    """Yield the namespaces that refer to functions: the tables of public names and the engine's modules."""
    yield from (torch_functions, functional, linalg)
    for name, module in [*sys.modules.items()]:
        if name.startswith("backscope.") and module is not None:
            yield vars(module)


def _find() -> dict[int, Callable[..., Any]]:
    """Return the casting functions by the id of the functions that they replace."""
    found: dict[int, Callable[..., Any]] = {}
    spaces = [sys.modules[f"backscope.torch{s}"] for s in ("", ".nn.functional", ".linalg", ".fft")]
    for space in (torch_functions, functional, linalg, *map(vars, spaces), vars(Tensor)):
        for name, function in space.items():
            while name in _POLICIES and isinstance(function, FunctionType) and not hasattr(function, "casting"):
                if function not in _made:
                    _made[function] = _casting(name, function)
                found[id(function)] = _made[function]
                # The engine's own calls use the function without the check of arguments around it.
                function = getattr(function, "__wrapped__", None)
    return found


def arm() -> None:
    """Wrap the functions that autocast affects, in every namespace that refers to them.

    This happens when a program first uses autocast; before that, calls pay nothing for it.
    """
    if _armed:
        return
    _armed.append(True)
    found = _find()
    for holder in _holders():
        for name, value in holder.items():
            if id(value) in found:
                holder[name] = found[id(value)]
            elif hasattr(value, "overridable") and isinstance(value, FunctionType):
                _put_inside(value, found)
    for name, value in [*vars(Tensor).items()]:
        if id(value) in found:
            setattr(Tensor, name, found[id(value)])
    layer = primitives["mkldnn_rnn_layer"]
    if not hasattr(layer.apply, "casting"):
        layer.apply = _casting("mkldnn_rnn_layer", layer.apply)


def _put_inside(overridable: FunctionType, found: dict[int, Callable[..., Any]]) -> None:
    """Replace the function inside a wrapper for __torch_function__ by its casting form."""
    cells = overridable.__closure__ or ()
    for cell in cells:
        if id(cell.cell_contents) in found:
            cell.cell_contents = found[id(cell.cell_contents)]
