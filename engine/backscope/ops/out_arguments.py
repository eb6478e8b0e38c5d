"""The `out=` argument: the result of a function in tensors that the caller gives."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backscope.autograd.grad_mode import mode
from backscope.autograd.view import requires_grad
from backscope.ops.namespace import write_out
from backscope.ops.unsupported import C_NAMES
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
    "zeros zeros_like argmax argmin nansum prod sum take"
)
_LINALG = (
    "_powsum cholesky cholesky_ex cond cross det eig eigh eigvals eigvalsh householder_product inv inv_ex ldl_factor "
    "ldl_factor_ex ldl_solve lu lu_factor lu_factor_ex lu_solve matmul matrix_norm matrix_power matrix_rank multi_dot "
    "norm pinv qr slogdet solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve vecdot vector_norm"
)


EXACT = frozenset(
    [
        "gather",
        "mm",
        "bmm",
        "addmm",
        "softmax",
        "tril",
        "triu",
        "sort",
        "topk",
        "index_add",
        "matmul",
        "mv",
        "diag",
        "inverse",
        "aminmax",
        "scatter",
        "argmax",
        "argmin",
        "index_copy",
        "addmv",
        "baddbmm",
        "max",
        "min",
        "qr",
        "svd",
        "eigh",
        "solve",
        "inv",
        "det",
        "slogdet",
        "cholesky",
        "lu",
        "lu_factor",
        "lu_solve",
    ]
)
"""Functions whose result goes only into a tensor of its own dtype."""

OTHER_WORDS = {
    "kthvalue": "output values must be of same type as input",
    "index_select": "index_select(): self and result must have the same scalar type",
    "masked_select": "masked_select(): self and result must have the same scalar type",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {0.type_name} and out.dtype = "
    "{1.type_name}",
    "complex": "Expected object of scalar type {0.type_name} but got scalar type {1.type_name} for argument 'out'",
    "multinomial": "multinomial expects Long tensor out, got: {1.type_name}",
    "dot": "result dtype {1.type_name} does not match input dtype {0.type_name}",
}
"""The same, in the words of functions that have their own."""

APART = frozenset(["kthvalue", "masked_select", "gather", "cat", "concat", "concatenate", "take", "index_select"])
"""Functions whose result shares no memory with what they read."""


def _check_place(name: str, out: Tensor, found: Tensor, sources: Any) -> None:
    """RuntimeError for a tensor that the result of a function can't go into."""
    if out._dtype is not found._dtype:
        if name in EXACT:
            kinds = C_NAMES.get(found._dtype.name), C_NAMES.get(out._dtype.name)
            raise RuntimeError(f"Expected out tensor to have dtype {kinds[0]}, but got {kinds[1]} instead")
        if name in OTHER_WORDS:
            raise RuntimeError(OTHER_WORDS[name].format(found._dtype, out._dtype))
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


def _taking_out(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is None:
            kwargs.pop("out", None)
            return function(*args, **kwargs)
        out = kwargs.pop("out")
        several = isinstance(out, (list, tuple))
        outs = tuple(out) if several else (out,)
        for place in outs:
            if not isinstance(place, Tensor):
                raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(place).__name__}")
        if mode.enabled and any(_tracked(v) for v in (*args, *kwargs.values(), *outs)):
            raise RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            )
        result = function(*args, **kwargs)
        results = tuple(result) if several else (result,)
        sources = (*args, *kwargs.values())
        for place, found in zip(outs, results, strict=True):
            _check_place(name, place, found, sources)
        if not several:
            return write_out(out, result, name)
        written = [write_out(place, f, name) for place, f in zip(outs, results, strict=True)]
        make: Any = type(result)
        return make(*written) if hasattr(make, "_fields") else tuple(written)

    return call


def with_out(functions: Mapping[str, Callable[..., Any]], linalg: bool = False) -> dict[str, Callable[..., Any]]:
    """The functions of a namespace, those of PyTorch's that take `out=` with it."""
    names = set((_LINALG if linalg else _TORCH).split())
    return {
        name: _taking_out(name, f) if name in names and not hasattr(f, "takes_out") else f
        for name, f in functions.items()
    }
