"""One row of samples for each op: how to call it on any torch namespace, and the inputs to differentiate by."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """A call of the op that is declared as `op`; `inputs` are the arrays that its gradients are checked for.

    `kinds` are further dtypes in which the call makes sense; `differentiable` is False where nothing is tracked.
    `twice` is False where PyTorch has no second derivative.
    """

    op: str
    call: Callable[..., Any]
    inputs: tuple[np.ndarray[Any, Any], ...]
    kinds: tuple[str, ...] = ("float32", "float16", "bfloat16")
    differentiable: bool = True
    twice: bool = True

    def complex_inputs(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The inputs with an imaginary part, of the size of theirs and away from 0, the same on every occasion."""
        found = []
        for number, array in enumerate(map(np.asarray, self.inputs)):
            if array.dtype.kind == "f":
                draw = np.random.default_rng(100 + number)
                signs = draw.choice([-1.0, 1.0], array.shape)
                array = array + 1j * signs * draw.uniform(0.15, 0.6, array.shape)
            found.append(np.array(array))
        return tuple(found)


def values(*shape: int, low: float = 0.3, high: float = 0.9, seed: int = 0) -> np.ndarray[Any, Any]:
    """Distinct numbers between two bounds in no order, away from the integers and from each other."""
    count = int(np.prod(shape))
    spread = np.linspace(low, high, count) if count > 1 else np.array([(low + high) / 2])
    return np.random.default_rng(seed).permutation(spread).reshape(shape)


SMALL = values(2, 3)
OTHER = values(2, 3, low=0.35, high=0.95, seed=1)
ROW = values(3, low=0.32, high=0.88, seed=2)
SIGNED = values(2, 3, low=-1.7, high=1.6, seed=3)
LARGE = values(2, 3, low=1.23, high=2.69, seed=4)
MATRIX = values(3, 2, low=-0.8, high=0.9, seed=5)
BATCH = values(2, 3, 2, low=-0.9, high=0.8, seed=6)
BATCH2 = values(2, 2, 3, low=-0.7, high=0.8, seed=7)
NUMBER = values(low=0.4, high=0.6)
COMPLEX = SIGNED + 1j * OTHER
COMPLEX2 = LARGE + 1j * SMALL
REAL = ("float32", "float16", "bfloat16")
WIDE = ("float32",)


def gradient_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A call that gives the gradient of `function(t, x, ...)` with respect to x, for the incoming gradient g."""

    def call(t: Any, g: Any, x: Any, *rest: Any) -> Any:
        return t.autograd.grad(function(t, x, *rest), x, g, create_graph=True)[0]

    return call


def in_place(change: Callable[..., Any]) -> Callable[..., Any]:
    """A call that changes a copy of its first input."""

    def call(t: Any, x: Any, *rest: Any) -> Any:
        changed = x * 1
        change(t, changed, *rest)
        return changed

    return call


def quietly(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call that warns once of being deprecated."""

    def silent(t: Any, *inputs: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(t, *inputs)

    return silent


def primal(t: Any, a: Any) -> Any:
    """The primal of a tensor inside a dual level."""
    with t.autograd.forward_ad.dual_level():
        return t.autograd.forward_ad.unpack_dual(a).primal


def integers(t: Any, *numbers: Any) -> Any:
    """An int64 index."""
    return t.tensor(list(numbers), dtype=t.int64)


def mask(t: Any) -> Any:
    """A mask of two rows and three columns."""
    return t.tensor([[True, False, True], [False, True, True]])


def columns(t: Any) -> Any:
    """An index of rank 2 along dim 1."""
    return t.tensor([[2, 0], [1, 1]])


def distinct_columns(t: Any) -> Any:
    """The same without a column twice."""
    return t.tensor([[2, 0], [1, 2]])


def unary(op: str, x: np.ndarray[Any, Any], name: str | None = None, **options: Any) -> Sample:
    """A function of `torch` of one tensor."""
    return Sample(op, lambda t, a: getattr(t, name or op)(a), (x,), **options)


def binary(op: str, x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], **options: Any) -> Sample:
    """A function of `torch` of two tensors."""
    return Sample(op, lambda t, a, b: getattr(t, op)(a, b), (x, y), **options)


def compared(op: str, **options: Any) -> Sample:
    """A comparison, which nothing can be differentiated by."""
    return Sample(op, lambda t, a, b: getattr(t, op)(a, b), (SMALL, OTHER), differentiable=False, **options)


def of_bools(op: str, *, two: bool = True) -> Sample:
    """A logical op on comparisons."""
    if two:
        return Sample(op, lambda t, a, b: getattr(t, op)(a > 0.5, b > 0.6), (SMALL, OTHER), differentiable=False)
    return Sample(op, lambda t, a: getattr(t, op)(a > 0.5), (SMALL,), differentiable=False)


ARITHMETIC = [
    Sample("add", lambda t, a, b: t.add(a, b, alpha=2), (SMALL, ROW)),
    Sample("sub", lambda t, a, b: a - b, (SMALL, ROW)),
    Sample("rsub", lambda t, a: 2 - a, (SMALL,)),
    Sample("rsub_tensor", lambda t, a, b: t.rsub(a, b, alpha=2), (SMALL, OTHER)),
    Sample("mul", lambda t, a, b: a * b, (SMALL, ROW)),
    Sample("mul_scalar", gradient_of(lambda t, x: t.lerp(x, x.detach(), 0.3)), (OTHER, SIGNED)),
    Sample("div_scalar", gradient_of(lambda t, x: x.mean(0)), (ROW, SIGNED)),
    Sample("mul", lambda t, a: a * 3.5, (SIGNED,)),
    Sample("mul", lambda t, a, b: a * b, (SIGNED, NUMBER)),
    Sample("div", lambda t, a, b: a / b, (SMALL, ROW)),
    Sample("div", lambda t, a: a / 3, (SIGNED,)),
    Sample("div_unrounded", lambda t, a, b: t.div(a, b, rounding_mode=None), (LARGE, SMALL)),
    Sample("div_mode", lambda t, a, b: t.div(a, b, rounding_mode="floor"), (LARGE, SMALL)),
    Sample("neg", lambda t, a: -a, (SIGNED,)),
    binary("remainder", LARGE, SMALL),
    Sample("remainder_number", lambda t, a: a % 0.7, (LARGE,)),
    Sample("remainder_of_number", lambda t, a: 12.5 % a, (SMALL,), differentiable=False),
    binary("fmod", LARGE, SMALL),
    Sample("fmod_number", lambda t, a: t.fmod(a, 0.7), (LARGE,)),
    Sample("floor_divide", lambda t, a, b: a // b, (LARGE, SMALL), differentiable=False),
    Sample("addcmul", lambda t, a, b, c: t.addcmul(a, b, c, value=0.5), (SMALL, OTHER, ROW)),
    Sample("addcdiv", lambda t, a, b, c: t.addcdiv(a, b, c, value=0.5), (SMALL, OTHER, ROW)),
    Sample("lerp", lambda t, a, b, w: t.lerp(a, b, w), (SMALL, OTHER, ROW)),
    Sample("lerp_number", lambda t, a, b: t.lerp(a, b, 0.3), (SMALL, OTHER)),
    Sample("pow_scalar", lambda t, a: a**2.5, (LARGE,)),
    Sample("pow_scalar", lambda t, a: a**2, (SIGNED,)),
    Sample("pow_tensor", lambda t, a, b: a**b, (LARGE, ROW)),
    Sample("pow_base", lambda t, a: 1.7**a, (SIGNED,)),
    unary("sqrt", LARGE),
    unary("rsqrt", LARGE),
    unary("reciprocal", LARGE),
]

ELEMENTWISE = [
    unary("exp", SIGNED),
    unary("expm1", SIGNED),
    unary("exp2", SIGNED),
    unary("erf", SIGNED),
    unary("erfc", SIGNED),
    unary("log", LARGE),
    unary("log2", LARGE),
    unary("log10", LARGE),
    unary("log1p", LARGE),
    binary("logaddexp", SIGNED, ROW),
    binary("xlogy", SMALL, LARGE),
    Sample("xlogy_number", lambda t, a: t.xlogy(a, 2.5), (SIGNED,)),
    Sample("xlogy_of_number", lambda t, a: t.xlogy(2.5, a), (LARGE,)),
    unary("sin", SIGNED),
    unary("cos", SIGNED),
    unary("tan", SMALL),
    unary("asin", SMALL),
    unary("acos", SMALL),
    unary("atan", SIGNED),
    unary("sinh", SIGNED),
    unary("cosh", SIGNED),
    unary("tanh", SIGNED),
    Sample("tanh_backward", gradient_of(lambda t, x: t.tanh(x)), (OTHER, SIGNED)),
    unary("asinh", SIGNED),
    unary("acosh", LARGE),
    unary("atanh", SMALL),
    binary("atan2", SIGNED, ROW),
    binary("hypot", SIGNED, ROW),
    unary("abs", SIGNED),
    unary("sign", SIGNED),
    unary("sgn", SIGNED),
    unary("angle", SIGNED),
    unary("floor", LARGE),
    unary("ceil", LARGE),
    unary("trunc", LARGE),
    unary("round", LARGE),
    unary("frac", LARGE),
    unary("nan_to_num", SIGNED),
    binary("maximum", SMALL, ROW),
    binary("minimum", SMALL, ROW),
    binary("fmax", SMALL, ROW),
    binary("fmin", SMALL, ROW),
    Sample("clamp", lambda t, a: a.clamp(-0.5, 0.75), (SIGNED,)),
    Sample("clamp_tensors", lambda t, a, lo, hi: t.clamp(a, lo, hi), (SIGNED, ROW - 0.5, ROW)),
    Sample("clamp_tensors", lambda t, a, lo: t.clamp(a, lo), (SIGNED, ROW - 0.5)),
    Sample("clamp_min", lambda t, a: a.clamp_min(0.1), (SIGNED,)),
    Sample("clamp_min_tensor", lambda t, a, b: a.clamp_min(b), (SIGNED, ROW)),
    Sample("clamp_max", lambda t, a: a.clamp_max(0.1), (SIGNED,)),
    Sample("clamp_max_tensor", lambda t, a, b: a.clamp_max(b), (SIGNED, ROW)),
    Sample("where", lambda t, a, b: t.where(mask(t), a, b), (SMALL, ROW)),
    unary("relu", SIGNED),
    Sample("threshold_backward", gradient_of(lambda t, x: t.relu(x)), (OTHER, SIGNED)),
    Sample("threshold", lambda t, a: t.nn.functional.threshold(a, 0.2, -1.0), (SIGNED,)),
    unary("sigmoid", SIGNED),
    Sample("sigmoid_backward", gradient_of(lambda t, x: t.sigmoid(x)), (OTHER, SIGNED)),
    Sample("clone", lambda t, a: a.clone(), (SIGNED,)),
    Sample("to_copy", lambda t, a: a.to(t.complex128), (SIGNED,), kinds=WIDE),
    Sample("copy", in_place(lambda t, x, y: x.copy_(y)), (SIGNED, ROW)),
    Sample("zero", in_place(lambda t, x: x.zero_()), (SIGNED,)),
    Sample("fill", in_place(lambda t, x: x.fill_(2.5)), (SIGNED,)),
    Sample("fill_tensor", in_place(lambda t, x, v: x.fill_(v)), (SIGNED, NUMBER)),
]

LOGIC = [
    *[compared(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")],
    *[of_bools(name) for name in ("logical_and", "logical_or", "logical_xor")],
    *[of_bools(name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")],
    of_bools("logical_not", two=False),
    of_bools("bitwise_not", two=False),
    *[unary(name, SIGNED, differentiable=False) for name in ("isnan", "isinf", "isfinite")],
]

COMPLEX_NUMBERS = [
    unary("conj_physical", COMPLEX, kinds=()),
    Sample("conj", lambda t, a: a.conj(), (COMPLEX,), kinds=()),
    Sample("neg_view", lambda t, a: t._neg_view(a), (SIGNED,), kinds=()),
    Sample("mul", lambda t, a, b: a * b, (COMPLEX, COMPLEX2), kinds=()),
    Sample("div", lambda t, a, b: a / b, (COMPLEX, COMPLEX2), kinds=()),
    Sample("abs", lambda t, a: a.abs(), (COMPLEX,), kinds=()),
    Sample("sgn", lambda t, a: a.sgn(), (COMPLEX,), kinds=()),
    Sample("angle", lambda t, a: a.angle(), (COMPLEX,), kinds=()),
    Sample("view_as_real", lambda t, a: t.view_as_real(a), (COMPLEX,), kinds=()),
    Sample("view_as_complex", lambda t, a: t.view_as_complex(a), (values(3, 2, low=-1.0, seed=8),), kinds=WIDE),
    Sample("complex", lambda t, a, b: t.complex(a, b), (SMALL, OTHER), kinds=WIDE),
    Sample("polar", lambda t, a, b: t.polar(a, b), (SMALL, OTHER), kinds=WIDE),
    Sample("mm", lambda t, a, b: a @ b, (COMPLEX, MATRIX + 0.5j * MATRIX[::-1]), kinds=()),
    Sample("vdot", lambda t, a, b: t.vdot(a, b), (COMPLEX[0], COMPLEX2[0]), kinds=()),
    Sample("tanh", lambda t, a: a.tanh(), (COMPLEX,), kinds=()),
    Sample("prod_all", lambda t, a: a.prod(), (COMPLEX,), kinds=()),
]

REDUCTIONS = [
    Sample("sum_all", lambda t, a: a.sum(), (SIGNED,)),
    Sample("sum", lambda t, a: a.sum(-1), (SIGNED,)),
    Sample("sum", lambda t, a: a.sum((0, 2), keepdim=True), (BATCH,)),
    Sample("mean_all", lambda t, a: a.mean(), (SIGNED,)),
    Sample("mean_dim", lambda t, a: a.mean(0), (SIGNED,)),
    Sample("prod_all", lambda t, a: a.prod(), (SIGNED,)),
    Sample("prod_dim", lambda t, a: a.prod(1), (SIGNED,)),
    Sample("prod_dim", lambda t, a: a.prod(1), (SIGNED * (np.arange(6).reshape(2, 3) != 1),)),
    Sample("cumsum", lambda t, a: a.cumsum(1), (SIGNED,)),
    Sample("cumprod", lambda t, a: a.cumprod(1), (SIGNED,)),
    Sample("max_all", lambda t, a: a.max(), (SIGNED,)),
    Sample("max_dim", lambda t, a: a.max(1).values, (SIGNED,)),
    Sample("amax", lambda t, a: a.amax((0,)), (SIGNED,)),
    Sample("min_all", lambda t, a: a.min(), (SIGNED,)),
    Sample("min_dim", lambda t, a: a.min(1, keepdim=True)[0], (SIGNED,)),
    Sample("amin", lambda t, a: a.amin(1, keepdim=True), (SIGNED,)),
    Sample("median_all", lambda t, a: a.median(), (SIGNED,)),
    Sample("median_dim", lambda t, a: a.median(1).values, (SIGNED,)),
    Sample("sort_op", lambda t, a: a.sort(dim=1, descending=True, stable=True).values, (SIGNED,)),
    Sample("sort", lambda t, a: a.sort(1, descending=True).values, (SIGNED,)),
    Sample("topk", lambda t, a: a.topk(2).values, (SIGNED,)),
    Sample("linalg_vector_norm", lambda t, a: a.norm(), (SIGNED,)),
    Sample("linalg_vector_norm", lambda t, a: a.norm(3, dim=1), (SIGNED,)),
    Sample("linalg_vector_norm", lambda t, a: t.linalg.vector_norm(a, float("inf"), dim=0), (SIGNED,)),
    Sample("var", lambda t, a: a.var(1), (SIGNED,)),
    Sample("std", lambda t, a: a.std(), (SIGNED,)),
    Sample("var_mean", lambda t, a: t.var_mean(a, 1)[0], (SIGNED,)),
    Sample("std_mean", lambda t, a: t.std_mean(a, 1)[0], (SIGNED,)),
    Sample("softmax", lambda t, a: a.softmax(-1), (SIGNED,)),
    Sample("softmax_backward", gradient_of(lambda t, x: x.softmax(1)), (OTHER, SIGNED)),
    Sample("log_softmax", lambda t, a: a.log_softmax(-1), (SIGNED,)),
    Sample("log_softmax_backward", gradient_of(lambda t, x: x.log_softmax(1)), (OTHER, SIGNED)),
    Sample("logsumexp", lambda t, a: a.logsumexp(1), (SIGNED,)),
]

VIEWS = [
    Sample("view", lambda t, a: a.view(3, 2), (SIGNED,)),
    Sample("unsafe_view", lambda t, a: a.t().reshape(6), (SIGNED,)),
    Sample("alias", lambda t, a: a[...], (SIGNED,)),
    Sample("fw_primal", primal, (SIGNED,)),
    Sample("permute", lambda t, a: a.permute(2, 0, 1), (BATCH,)),
    Sample("transpose", lambda t, a: a.transpose(0, -1), (BATCH,)),
    Sample("t", lambda t, a: a.t(), (SIGNED,)),
    Sample("expand", lambda t, a: a.expand(2, 3), (ROW,)),
    Sample("squeeze", lambda t, a: a.squeeze(), (SIGNED[:, None],)),
    Sample("squeeze_dim", lambda t, a: a.squeeze(1), (SIGNED[:, None],)),
    Sample("squeeze_dims", lambda t, a: a.squeeze((0, 1)), (ROW[None, None],)),
    Sample("unsqueeze", lambda t, a: a.unsqueeze(-1), (SIGNED,)),
    Sample("as_strided", lambda t, a: a.as_strided((2, 2), (1, 2), 1), (SIGNED,)),
    Sample("select", lambda t, a: a[1], (SIGNED,)),
    Sample("select_backward", gradient_of(lambda t, x: x.select(1, 0)), (ROW[:2], SIGNED)),
    Sample("slice", lambda t, a: a[:, 1:], (SIGNED,)),
    Sample("slice_backward", gradient_of(lambda t, x: x[:, ::2]), (SMALL[:, :2], SIGNED)),
    Sample("diagonal", lambda t, a: a.diagonal(1), (SIGNED,)),
    Sample("diagonal_backward", gradient_of(lambda t, x: x.diagonal()), (ROW[:2], SIGNED)),
    Sample("diagonal_copy", lambda t, a: t.diag(a, 1), (SIGNED,)),
    Sample("unfold", lambda t, a: a.unfold(1, 2, 1), (SIGNED,)),
    Sample("unfold_backward", gradient_of(lambda t, x: x.unfold(1, 2, 1)), (BATCH2[:, :, :2], SIGNED)),
    Sample("diag_embed", lambda t, a: t.diag(a), (ROW,)),
    Sample("tril", lambda t, a: a.tril(), (SIGNED,)),
    Sample("triu", lambda t, a: a.triu(1), (SIGNED,)),
    Sample("trace", lambda t, a: a.trace(), (SIGNED,)),
    Sample("cat", lambda t, a, b: t.cat([a, b], 1), (SMALL, SIGNED[:, :2])),
    Sample("stack", lambda t, a, b: t.stack([a, b], -1), (SMALL, SIGNED)),
    Sample("unbind", lambda t, a: a.unbind(1)[1], (SIGNED,)),
    Sample("split", lambda t, a: a.split(2, 1)[1], (SIGNED,)),
    Sample("split_with_sizes", lambda t, a: a.split([1, 2], 1)[1], (SIGNED,)),
    Sample("flip", lambda t, a: a.flip(0, 1), (SIGNED,)),
    Sample("roll", lambda t, a: a.roll(1, 1), (SIGNED,)),
    Sample("repeat", lambda t, a: a.repeat(2, 1, 2), (SIGNED,)),
]

INDICES = [
    Sample("index", lambda t, a: a[integers(t, 1, 0, 1)], (SIGNED,)),
    Sample("index", lambda t, a: a[mask(t)], (SIGNED,)),
    Sample("index", lambda t, a: a[:, integers(t, 2, 0)], (SIGNED,)),
    Sample("index_accumulate", gradient_of(lambda t, x: x[integers(t, 1, 1)]), (SMALL, SIGNED)),
    Sample("index_put", lambda t, a, b: a.index_put((integers(t, 1, 0),), b), (SIGNED, ROW)),
    Sample("index_select", lambda t, a: a.index_select(1, integers(t, 2, 0, 2)), (SIGNED,)),
    Sample("index_add", lambda t, a, b: a.index_add(1, integers(t, 2, 2), b, alpha=2), (SIGNED, SMALL[:, :2])),
    Sample("index_copy", lambda t, a, b: a.index_copy(1, integers(t, 2, 0), b), (SIGNED, SMALL[:, :2])),
    Sample("index_fill", lambda t, a: a.index_fill(1, integers(t, 2, 0), 1.5), (SIGNED,)),
    Sample("index_fill_tensor", lambda t, a, v: a.index_fill(1, integers(t, 2, 0), v), (SIGNED, NUMBER)),
    Sample("gather", lambda t, a: a.gather(1, columns(t)), (SIGNED,)),
    Sample("scatter_add", lambda t, a, b: a.scatter_add(1, columns(t), b), (SIGNED, SMALL[:, :2])),
    Sample("scatter", lambda t, a, b: a.scatter(1, distinct_columns(t), b), (SIGNED, SMALL[:, :2])),
    Sample("scatter", gradient_of(lambda t, x: x.max(1).values), (ROW[:2], SIGNED)),
    Sample("scatter_value", lambda t, a: a.scatter(1, columns(t), 1.5), (SIGNED,)),
    Sample("take", lambda t, a: a.take(integers(t, 5, 0, 0)), (SIGNED,)),
    Sample("masked_fill", lambda t, a: a.masked_fill(mask(t), 1.5), (SIGNED,)),
    Sample("masked_fill_tensor", lambda t, a, v: a.masked_fill(mask(t), v), (SIGNED, NUMBER)),
    Sample("masked_select", lambda t, a: a.masked_select(mask(t)), (SIGNED,)),
]  # fmt: skip

SAMPLES = [
    *ARITHMETIC, *ELEMENTWISE, *LOGIC, *COMPLEX_NUMBERS, *REDUCTIONS, *VIEWS, *INDICES,
]  # fmt: skip

WITHOUT_CALL = {
    "cross_map_lrn2d",
    "cross_map_lrn2d_backward",
    "add_scalar",
    "copy_in_layout",
    "embedding_bag_backward",
    "embedding_bag_per_sample_weights_backward",
    "embedding_sparse_backward",
    "pdist_backward",
    "read_at",
    "sparse_coo_tensor",
    "to_dense",
    "to_sparse",
    "to_sparse_dim",
    "coalesce",
    "sparse_values",
    "values_at",
    "sparse_mask",
    "sparse_addmm",
    "sparse_sum",
    "sparse_softmax",
    "sparse_softmax_gradient",
    "sparse_log_softmax",
    "sparse_log_softmax_gradient",
    "sub_scalar",
    "to_meta",
}
"""Ops that no call ends with, steps inside of formulas among them, or whose results are no arrays."""
