"""The `out=` argument: the result of a function in tensors that the caller gives."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backscope.autograd.grad_mode import mode
from backscope.autograd.view import requires_grad
from backscope.ops.argument_types import type_name
from backscope.ops.namespace import write_out
from backscope.ops.out_dtypes import computed_in
from backscope.ops.return_types import out_type
from backscope.ops.signatures import check
from backscope.ops.writing import PARTLY_SHARED, check_written
from backscope.tensor import Tensor

_TORCH = (
    "abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax angle any arange "
    "arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh baddbmm bernoulli bitwise_and "
    "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm bucketize cat ceil chain_matmul "
    "cholesky cholesky_inverse cholesky_solve clamp clip column_stack complex concat concatenate conj_physical "
    "copysign cos cosh cross cummax cummin cumprod cumsum deg2rad diag diff digamma div divide dot dstack empty "
    "empty_like empty_permuted empty_strided eq erf erfc erfinv exp exp2 expm1 eye fix float_power floor floor_divide "
    "fmax fmin fmod frac frexp from_file full gather gcd ge geqrf ger greater greater_equal gt hamming_window "
    "heaviside histc histogram histogramdd hspmm hstack hypot i0 igamma igammac index_select inner inverse isneginf "
    "isposinf kron kthvalue lcm ldexp le lerp less less_equal lgamma linspace log log10 log1p log2 logaddexp "
    "logaddexp2 logcumsumexp logical_and logical_not logical_or logical_xor logit logspace logsumexp lt lu_solve "
    "lu_unpack masked_select matmul matrix_power max maximum mean min minimum mm mode msort mul multinomial multiply "
    "mv mvlgamma nan_to_num nanmean nanquantile narrow_copy ne neg negative nextafter nonzero norm normal not_equal "
    "ones ones_like orgqr ormqr outer polar polygamma pow quantile rad2deg rand rand_like randint randn randn_like "
    "randperm range reciprocal remainder renorm round row_stack rsqrt searchsorted sgn sigmoid sign signbit sin sinc "
    "sinh slogdet softmax sort sparse_compressed_tensor sqrt square sspaddmm stack std std_mean sub subtract svd "
    "take_along_dim tan tanh topk triangular_solve tril triu true_divide trunc var var_mean vdot vstack where xlogy "
    "zeros zeros_like argmax argmin nansum prod sum take clamp_max clamp_min isin index_copy index_add index_reduce "
    "scatter scatter_add scatter_reduce log_softmax qr slice_scatter expand_copy diagonal_copy alias_copy "
    "as_strided_copy view_copy permute_copy slice_copy unfold_copy squeeze_copy unsqueeze_copy transpose_copy t_copy "
    "select_copy detach_copy median nanmedian inverse multinomial tensordot"
)
_LINALG = (
    "_powsum cholesky cholesky_ex cond cross det eig eigh eigvals eigvalsh householder_product inv inv_ex ldl_factor "
    "ldl_factor_ex ldl_solve lu lu_factor lu_factor_ex lu_solve matmul matrix_norm matrix_power matrix_rank multi_dot "
    "norm pinv qr slogdet solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve vecdot vector_norm"
)


_FFT = "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft hfft2 hfftn ihfft ihfft2 ihfftn"
_SPECIAL = "ndtr polygamma xlog1py zeta"
_FUNCTIONAL = "linear avg_pool2d avg_pool3d softshrink hardshrink gelu softplus logsigmoid"
_NAMES = {"torch": _TORCH, "linalg": _LINALG, "fft": _FFT, "special": _SPECIAL, "nn": _FUNCTIONAL}
_PREFIXED = frozenset({"linalg", "fft", "special"})

APART = frozenset(["kthvalue", "masked_select", "gather", "cat", "concat", "concatenate", "take", "index_select"])
"""Functions whose result shares no memory with what they read."""


def _check_place(name: str, out: Tensor, sources: Any) -> None:
    """RuntimeError for a tensor that the result of a function can't go into."""
    check_written(out)
    if name in APART and any(np.may_share_memory(out._data, s._data) for s in _tensors(sources)):
        raise RuntimeError(PARTLY_SHARED)


def _tensors(values: Any) -> Any:
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from _tensors(v)


def _tracked(value: Any) -> bool:
    if isinstance(value, Tensor):
        return requires_grad(value)
    return isinstance(value, (list, tuple)) and any(_tracked(v) for v in value)


def _check_outs(space: str, name: str, outs: Any, args: Any, kwargs: Any) -> None:
    """TypeError for what is no tensor, as PyTorch raises it."""
    for place in outs:
        if not isinstance(place, Tensor):
            check(space, name, args, kwargs)
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(place)}")


def _taking_out(space: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    title = f"{space}_{name}" if space in _PREFIXED else name

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is None:
            kwargs.pop("out", None)
            return function(*args, **kwargs)
        check(space, name, args, kwargs)
        out = kwargs["out"]
        several = isinstance(out, (list, tuple))
        outs = tuple(out) if several else (out,)
        _check_outs(space, name, outs, args, kwargs)
        del kwargs["out"]
        if mode.enabled and any(_tracked(v) for v in (*args, *kwargs.values(), *outs)):
            raise RuntimeError(
                f"{title}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            )
        sources = (*args, *kwargs.values())
        if not several:
            kind = computed_in(name, out._dtype, kwargs.get("dtype"))
            if kind is not None:
                kwargs["dtype"] = kind
        result = function(*args, **kwargs)
        for place in outs:
            _check_place(name, place, sources)
        if not several:
            return write_out(out, result, title)
        if len(outs) != len(result):
            raise TypeError(f"expected tuple of {len(result)} elements but got {len(outs)}")
        written = [write_out(o, f, title, place) for place, (o, f) in enumerate(zip(outs, result, strict=True))]
        made: Any = type(result)
        return out_type(made)(*written) if hasattr(made, "_fields") else tuple(written)

    call.takes_out = True  # type: ignore[attr-defined]
    return call


def with_out(functions: Mapping[str, Callable[..., Any]], space: str = "torch") -> dict[str, Callable[..., Any]]:
    """The functions of a namespace, those of PyTorch's that take `out=` with it."""
    names = set(_NAMES[space].split())
    return {
        name: _taking_out(space, name, f) if name in names and not hasattr(f, "takes_out") else f
        for name, f in functions.items()
    }
