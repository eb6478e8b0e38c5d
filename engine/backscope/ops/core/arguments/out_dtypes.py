"""The dtypes that tensors given as `out=` may have, by function, and PyTorch's errors for other dtypes."""

from __future__ import annotations

from collections.abc import Callable

from backscope.ops.core.unsupported import no_kernel
from backscope.runtime.given import Value
from backscope.tensor.dtype import BOOL, C_NAMES, FLOATING, dtype, int32

_Fits = Callable[[dtype, dtype], bool]


def _same(found: dtype, out: dtype) -> bool:
    return found is out


def _castable(found: dtype, out: dtype) -> bool:
    return found.category <= out.category


def _complex(found: dtype, out: dtype) -> bool:
    return out.is_complex


def _floating(found: dtype, out: dtype) -> bool:
    return out.is_floating_point


def _inexact(found: dtype, out: dtype) -> bool:
    return out.category >= FLOATING


def _anything(found: dtype, out: dtype) -> bool:
    return True


CAST = "result type {0} can't be cast to the desired output type {1}"
"""The error text for functions that have none of their own."""
_EXACT = "Expected out tensor to have dtype {c0}, but got {c1} instead"
_SAFELY = "Expected {what} to be safely castable from {0} dtype, but got {what} with dtype {1}"
_WORDS: list[tuple[_Fits, str, str]] = [
    (
        _same,
        _EXACT,
        "gather mm bmm addmm addmv softmax log_softmax tril triu sort topk index_add matmul diag inverse aminmax "
        "scatter argmax argmin index_copy index_reduce baddbmm qr svd slogdet lu_solve scatter_add scatter_reduce "
        "msort renorm take_along_dim norm cross isin linear avg_pool2d avg_pool3d expand_copy diagonal_copy "
        "alias_copy as_strided_copy view_copy permute_copy slice_copy unfold_copy squeeze_copy unsqueeze_copy "
        "transpose_copy t_copy select_copy detach_copy lu_unpack triangular_solve linalg_cross linalg_eigh linalg_qr "
        "linalg_slogdet linalg_cholesky_ex linalg_ldl_factor linalg_ldl_factor_ex linalg_lu_factor "
        "linalg_lu_factor_ex linalg_inv_ex linalg_solve_ex linalg_inv linalg_lu linalg_det linalg_solve "
        "linalg_cholesky linalg_lu_solve linalg_vector_norm linalg_svd linalg_svdvals linalg_eigvalsh "
        "linalg_ldl_solve linalg_matrix_power matrix_power slice_scatter",
    ),
    (
        _same,
        "Found dtype {1} but expected {0}",
        "abs absolute ceil conj_physical frac floor neg negative round sign sgn trunc fix bitwise_not softshrink "
        "hardshrink gelu softplus clamp clip clamp_min clamp_max",
    ),
    (_same, "result dtype {1} does not match input dtype {0}", "dot vdot"),
    (_same, "addmv input tensors must have the same dtype, but got {1}, {0}, and {0}", "mv"),
    (_same, "self and mat2 must have the same dtype, but got {1} and {0}", "addbmm"),
    (_same, "Expected object of scalar type {0} but got scalar type {1} for argument 'out'", "complex polar"),
    (_same, "expected scalar_type {0} but found {1}", "cummax cummin diff logcumsumexp"),
    (_same, "quantile() out tensor must be same dtype as the input tensor", "quantile nanquantile"),
    (_same, "expected scalar type {0} but found {1}", "logsigmoid linalg_solve_triangular"),
    (
        _same,
        "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype.",
        "amax amin",
    ),
    (_same, "Expected out type to be {0} but got {1}", "where"),
    (_same, "nan_to_num: dtype of out: {1} should be same as input: {0}", "nan_to_num"),
    (_same, "index_select(): self and result must have the same scalar type", "index_select"),
    (_same, "masked_select(): self and result must have the same scalar type", "masked_select"),
    (
        _same,
        "take(): self and out expected to have the same dtype, but got self.dtype = {0} and out.dtype = {1}",
        "take",
    ),
    (_same, "multinomial expects Long tensor out, got: {1}", "multinomial"),
    (
        _same,
        "tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with dtype {1}",
        "tensordot",
    ),
    (_same, "linalg.vecdot: Expected out of dtype{0} but found {1}", "linalg_vecdot"),
    (_same, "linalg.norm expected out tensor dtype {0} but got: {1}", "linalg_norm"),
    (_same, "linalg.matrix_norm expected out tensor dtype {0} but got: {1}", "linalg_matrix_norm"),
    (_same, "multi_dot(): expected out tensor to have dtype {c0} but got {c1}", "linalg_multi_dot chain_matmul"),
    (
        _same,
        "the output given to float_power has dtype {1} but the operation's result requires dtype {0}",
        "float_power",
    ),
    (
        _same,
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {c0} and hist {c1}",
        "histc",
    ),
    (_same, "{name} does not support non-boolean outputs.", "signbit isposinf isneginf"),
    (_same, "{name} only supports bool tensor for result, got: {1}", "all any"),
    (_castable, "{name}: " + _SAFELY.format("{0}", "{1}", what="result"), "cholesky cholesky_inverse cholesky_solve"),
    (_castable, "linalg.{name}: " + _SAFELY.format("{0}", "{1}", what="result"), "linalg_cond linalg_pinv"),
    (_castable, "{name}: " + _SAFELY.format("{0}", "{1}", what="result"), "linalg_tensorinv linalg_tensorsolve"),
    (
        _castable,
        "torch.linalg.{name}: " + _SAFELY.format("{0}", "{1}", what="result"),
        "linalg_householder_product linalg_matrix_rank",
    ),
    (
        _castable,
        "torch.linalg.{name}: " + _SAFELY.format("{0}", "{1}", what="eigenvalues"),
        "linalg_eigvals linalg_eig",
    ),
    (_castable, "ldexp can't be cast to the desired output type {1}", "ldexp"),
    (_inexact, "logsumexp(): Expected floating point type for result tensor, but got: {1}", "logsumexp"),
    (_complex, "{name} expects a complex output tensor, but got {1}", "fft_fft fft_ifft fft_rfft fft_ihfft"),
    (_complex, "{name}n expects a complex output tensor, but got {1}", "fft_fft2 fft_ifft2 fft_rfft2 fft_ihfft2"),
    (_complex, "{name} expects a complex output tensor, but got {1}", "fft_fftn fft_ifftn fft_rfftn fft_ihfftn"),
    (
        _floating,
        "{name} expects a floating point output tensor, but got {1}",
        "fft_hfft fft_irfft fft_hfftn fft_irfftn",
    ),
    (_floating, "{name}n expects a floating point output tensor, but got {1}", "fft_hfft2 fft_irfft2"),
    (_same, "heaviside is not yet implemented for tensors with different dtypes.", "heaviside"),
    (
        _same,
        "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{0} and result has dtype "
        "{1}",
        "ormqr",
    ),
    (_same, "nonzero: Expected out tensor to have scalar type {0} but got scalar type{1}", "nonzero"),
    (
        _same,
        "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
        "whether out_int32 flag is True, but we got output tensor's dtype {1} and out_int32 flag is {int32}",
        "searchsorted bucketize",
    ),
    (_anything, "", "lu bernoulli"),
]
_RULES = {name: (fits, text) for fits, text, names in _WORDS for name in names.split()}
_JOINING = "cat concat concatenate stack hstack vstack dstack column_stack row_stack"
_SEVERAL = {
    "max": (_EXACT, _EXACT),
    "min": (_EXACT, _EXACT),
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type {0}"),
    "mode": (
        "expected scalar type '{0}' but got '{1}' for values output",
        "expected scalar type '{0}' but got '{1}' for indices output",
    ),
    "frexp": (
        "torch.frexp() expects mantissa to have dtype {c0} but got {c1}",
        "torch.frexp() expects exponent to have int dtype but got {c1}",
    ),
}
"""Functions with an error text for each of their results."""

_COMPUTING = "sum nansum prod cumsum cumprod mean nanmean"
COMPUTING = frozenset(_COMPUTING.split())
"""Functions that compute in the dtype of `out=` unless they are given another."""
_MAKING = "arange empty eye full linspace logspace ones rand randint randn randperm range zeros"
ROWS = frozenset(["arange", "linspace", "logspace", "range"])
"""Functions that fill an `out` of any shape with the right number of elements."""
MAKING = frozenset(_MAKING.split())
"""Functions that create values in the dtype of `out=` and refuse another `dtype`."""


def computed_in(name: str, out: dtype, requested: dtype | None, given: Value = None) -> dtype | None:
    """Return the dtype that a function computes in to fill `out`: the `requested` one, that of `out`, or None.

    `given` is the input tensor.

    Raises: RuntimeError where a function that creates values gets two different dtypes; NotImplementedError where
    PyTorch has no kernel for the dtype.
    """
    if name in MAKING and requested is not None and requested is not out:
        raise RuntimeError(f"dtype {requested.type_name} does not match dtype of out parameter ({out.type_name})")
    if requested is not None or (name not in MAKING and name not in COMPUTING):
        return requested
    if name == "mean" and (out.category < FLOATING or (given is not None and given._dtype.category < FLOATING)):
        return None
    if name.startswith("nan") and out.category != FLOATING:
        raise no_kernel("nansum_cpu", out)
    return out


def check_dtype(name: str, found: dtype, out: dtype, place: int | None = None) -> None:
    """Raise the error for an `out` of a dtype that the result can't be written to.

    `place` is the position among several results.  Functions of torch.linalg are `linalg_NAME`, those of torch.fft
    `fft_NAME`.
    """
    if found is out:
        return
    kind: type[Exception] = RuntimeError
    fits: _Fits
    if place is not None and name in _SEVERAL:
        fits, text = _same, _SEVERAL[name][place]
    elif name in _JOINING.split():
        fits, text, kind = _castable, "torch.cat(): input types can't be cast to the desired output type {1}", TypeError
    else:
        fits, text = _RULES.get(name, (_castable, CAST))
    if fits(found, out) or (name in ("all", "any") and out.name in ("uint8", "bool")):
        return
    if found.category == BOOL and text is CAST:
        return
    short = name.removeprefix("linalg_").removeprefix("fft_")
    c0, c1 = C_NAMES.get(found.name), C_NAMES.get(out.name)
    raise kind(
        text.format(found.type_name, out.type_name, name=short.removesuffix("2"), c0=c0, c1=c1, int32=found is int32)
    )
