"""The dtypes that PyTorch has no kernel for, by op, and its errors for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.tensor.dtype import (
    BOOL,
    C_NAMES,
    COMPLEX,
    FLOATING,
    INTEGER,
    LOW_PRECISION,
    bool_,
    dtype,
    float32,
    float64,
    int64,
    uint8,
)

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

_KINDS = dtype.by_name.values()
_BOOLS = frozenset({bool_})
_INTEGERS = frozenset(k for k in _KINDS if k.category == INTEGER)
_WHOLE = _BOOLS | _INTEGERS
_COMPLEX = frozenset(k for k in _KINDS if k.category == COMPLEX)
_NUMBERS = frozenset(k for k in _KINDS if k.category >= FLOATING)
_NOT_FLOATING = _WHOLE | _COMPLEX
_SMALL_INTEGERS = _INTEGERS - {int64}
_NO_KERNEL = "\"{kernel}\" not implemented for '{kind}'"


def no_kernel(kernel: str, kind: dtype) -> NotImplementedError:
    """Return the error for a dtype that a kernel does not support."""
    return NotImplementedError(_NO_KERNEL.format(kernel=kernel, kind=kind.type_name))


class _Refusal:
    """An error for some dtypes; without a text of its own, the one for a dtype that a kernel does not support."""

    def __init__(
        self,
        kinds: frozenset[dtype],
        kernel: str,
        text: str = _NO_KERNEL,
        error: type[Exception] = NotImplementedError,
    ) -> None:
        self.kinds = kinds
        self.kernel = kernel
        self.text = text
        self.error = error

    def check(self, kind: dtype) -> None:
        if kind in self.kinds:
            raise self.error(self.text.format(kernel=self.kernel, kind=kind.type_name))


def _texts(names: str, kinds: frozenset[dtype], text: str, error: type[Exception] = NotImplementedError) -> Any:
    return {name: [_Refusal(kinds, name, text, error)] for name in names.split()}


def _kernels(kinds: frozenset[dtype], **kernels: str) -> Any:
    return {name: [_Refusal(kinds, kernel)] for name, kernel in kernels.items()}


def _named(kinds: frozenset[dtype], names: str, ending: str = "_cpu") -> Any:
    """Return kernels named after their ops with an ending."""
    return {name: [_Refusal(kinds, name + ending)] for name in names.split()}


def _special(kinds: frozenset[dtype], names: str) -> Any:
    """Return kernels of torch.special named after their ops."""
    return {f"special_{name}": [_Refusal(kinds, f"{name}_cpu")] for name in names.split()}


REAL_GRADIENTS = {
    "amax": "amax",
    "amin": "amin",
    "binary_cross_entropy_with_logits": "binary_cross_entropy_with_logits",
    "cummax": "cummax",
    "cummin": "cummin",
    "embedding": "embedding",
    "geqrf": "geqrf",
    "index_reduce": "index_reduce",
    "log_softmax": "_log_softmax",
    "median_all": "median",
    "nan_to_num": "nan_to_num",
    "nanmedian_all": "nanmedian",
    "native_dropout": "native_dropout",
    "native_dropout_backward": "native_dropout_backward",
    "normal_around": "normal",
    "normal_both": "normal",
    "pack_padded_sequence": "_pack_padded_sequence",
    "reshape_alias_copy": "_reshape_alias_copy",
    "scatter_reduce": "scatter_reduce",
    "select_copy": "select_copy",
    "select_scatter": "select_scatter",
    "silu": "silu",
    "slice_copy": "slice_copy",
    "slice_scatter": "slice_scatter",
    "soft_margin_loss": "soft_margin_loss",
    "softmax": "_softmax",
    "trilinear": "_trilinear",
}
"""Ops that compute with complex numbers but have gradients for real ones only, with PyTorch's names of them."""


def refuse_complex_gradients(name: str) -> None:
    """Raise RuntimeError for a node that an op of this name does not have where its result is complex."""
    if name in REAL_GRADIENTS:
        raise RuntimeError(
            f"{REAL_GRADIENTS[name]} does not support automatic differentiation for outputs with complex dtype."
        )


_TABLES = [
    _kernels(_BOOLS, abs="abs_cpu", floor="floor_vml_cpu", ceil="ceil_vml_cpu", trunc="trunc_vml_cpu"),
    _kernels(_BOOLS, addcmul="addcmul_cpu_out", pow_tensor="pow"),
    _kernels(_BOOLS | _COMPLEX, round="round_vml_cpu", floor_divide="div_floor_cpu", remainder="remainder_cpu"),
    _kernels(_BOOLS | _COMPLEX, remainder_number="remainder_cpu", fmod="fmod_cpu", fmod_number="fmod_cpu"),
    _kernels(_BOOLS | _COMPLEX, remainder_of_number="remainder_cpu"),
    _kernels(_COMPLEX, erf="erf_vml_cpu", erfc="erfc_vml_cpu", atan2="atan2_cpu", copysign="copysign_cpu"),
    _kernels(_COMPLEX, copysign_number="copysign_cpu", xlogy="xlogy_cpu", nextafter="nextafter_cpu"),
    _kernels(_COMPLEX, xlogy_number="xlogy_cpu", xlogy_of_number="xlogy_cpu"),
    _kernels(_WHOLE | _COMPLEX, frac="frac_cpu", hypot="hypot_cpu"),
    _kernels(_WHOLE, logaddexp="logaddexp_cpu", lerp="lerp_kernel_tensor", lerp_number="lerp_kernel_scalar"),
    _named(_NUMBERS, "bitwise_not bitwise_and bitwise_or bitwise_xor gcd lcm"),
    _kernels(_NUMBERS | _BOOLS, bitwise_left_shift="lshift_cpu", bitwise_right_shift="rshift_cpu"),
    _named(_WHOLE, "nextafter"),
    _named(_NOT_FLOATING, "logaddexp2 igamma igammac"),
    _named(_COMPLEX, "logit mode aminmax"),
    _named(_COMPLEX, "digamma", ""),
    _named(_COMPLEX, "i0 erfinv lgamma", "_vml_cpu"),
    _kernels(_COMPLEX, special_i0e="i0e_cpu", special_i1="i1_cpu", special_i1e="i1e_cpu", special_entr="entr_cpu"),
    _kernels(_COMPLEX, special_xlog1py="xlog1py_cpu", special_xlog1py_number="xlog1py_cpu"),
    _kernels(_COMPLEX, special_xlog1py_of_number="xlog1py_cpu"),
    _kernels(_COMPLEX | LOW_PRECISION, special_zeta="zeta_cpu", special_zeta_number="zeta_cpu"),
    _kernels(_COMPLEX | LOW_PRECISION, special_zeta_of_number="zeta_cpu", special_ndtri="ndtri_cpu"),
    _special(_COMPLEX | LOW_PRECISION, "bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1"),
    _special(_COMPLEX | LOW_PRECISION, "modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 airy_ai"),
    _special(_COMPLEX | LOW_PRECISION, "scaled_modified_bessel_k1 spherical_bessel_j0 hermite_polynomial_h"),
    _special(_COMPLEX | LOW_PRECISION, "hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p"),
    *[
        _special(_COMPLEX | LOW_PRECISION, f"chebyshev_polynomial_{kind} shifted_chebyshev_polynomial_{kind}")
        for kind in "tuvw"
    ],
    _kernels(_NOT_FLOATING, round_decimals="round_cpu", mse_loss="mse_cpu", smooth_l1_loss="smooth_l1_cpu"),
    _kernels(_NOT_FLOATING, huber_loss="huber_cpu", binary_cross_entropy_with_logits="log_sigmoid_cpu"),
    _kernels(_NOT_FLOATING, grid_sampler_2d="grid_sampler_2d_cpu_kernel_impl", grid_sampler_3d="grid_sampler3d_cpu"),
    _named(_NOT_FLOATING, "max_unpool2d max_unpool3d", ""),
    _named(_BOOLS, "trace reflection_pad1d reflection_pad2d reflection_pad3d", ""),
    _named(_BOOLS, "replication_pad1d replication_pad2d replication_pad3d", ""),
    _kernels(_INTEGERS, im2col="im2col_out_cpu"),
    _kernels(_WHOLE, logcumsumexp="logcumsumexp_out_cpu"),
    _named(_COMPLEX | _BOOLS, "kthvalue"),
    _kernels(_BOOLS, linalg_cross="cross"),
    _kernels(_COMPLEX, unique="unique", unique2="unique", unique_consecutive="unique", unique_dim="unique_dim"),
    _kernels(_COMPLEX, bernoulli="bernoulli_tensor_cpu_self_", poisson="poisson_cpu", standard_gamma="gamma_cpu"),
    _kernels(_COMPLEX, segment_reduce="_segment_reduce_cpu", standard_gamma_grad="_standard_gamma_grad_cpu"),
    _kernels(_COMPLEX, special_erfcx="erfcx_cpu", special_log_ndtr="log_ndtr_cpu"),
    _kernels(_COMPLEX, native_batch_norm_legit="batch_norm", native_batch_norm_legit_no_stats="batch_norm"),
    _kernels(_COMPLEX, batch_norm_with_update="batch_norm"),
    _kernels(_NOT_FLOATING, weight_norm_interface="weight_norm_kernel"),
    *[_kernels(_COMPLEX, **{f"fractional_max_pool{d}d": f"fractional_max_pool{d}d_out_frame"}) for d in (2, 3)],
    *[
        _kernels(_NOT_FLOATING - {uint8}, **{f"upsample_{name}2d_aa": "compute_index_ranges_weights"})
        for name in ("bilinear", "bicubic", "lanczos")
    ],
    _texts("euclidean_dist", _COMPLEX, "clamp is not supported for complex types"),
    _kernels(LOW_PRECISION, ctc_loss="ctc_loss_cpu", multilabel_margin_loss="multilabel_margin_loss_forward_out_frame"),
    _kernels(_NOT_FLOATING | LOW_PRECISION, multi_margin_loss="multi_margin_loss_cpu_kernel"),
    _kernels(_SMALL_INTEGERS, avg_pool2d="avg_pool2d", avg_pool3d="avg_pool3d_out_frame"),
    _kernels(_COMPLEX, native_batch_norm="batch_norm", native_group_norm="GroupNormKernelImpl"),
    _kernels(_NOT_FLOATING, native_layer_norm="LayerNormKernelImpl"),
    *[
        _kernels(_NOT_FLOATING - {uint8}, **{f"upsample_{name}{d}d": kernel})
        for name in ("nearest", "nearest_exact")
        for d, kernel in (
            (1, "compute_indices_weights_nearest"),
            (2, "upsample_nearest2d_channels_last"),
            (3, "compute_indices_weights_nearest"),
        )
    ],
    _kernels(_NOT_FLOATING, upsample_linear1d="compute_indices_weights_linear"),
    _kernels(_NOT_FLOATING, upsample_trilinear3d="compute_indices_weights_linear"),
    _kernels(_NOT_FLOATING - {uint8}, upsample_bilinear2d="upsample_bilinear2d_channels_last"),
    _kernels(_NOT_FLOATING - {uint8}, upsample_bicubic2d="compute_indices_weights_cubic"),
    _texts("heaviside", _COMPLEX, "heaviside is not yet implemented for complex tensors.", RuntimeError),
    _texts("isposinf isneginf", _COMPLEX, "{kernel} does not support complex inputs.", RuntimeError),
    _texts("clamp clamp_min clamp_max clamp_tensors", _COMPLEX, "clamp is not supported for complex types"),
    _named(_BOOLS, "clamp clamp_min clamp_max", "_scalar_cpu"),
    _kernels(_COMPLEX, clamp_min_tensor="maximum_cpu", clamp_max_tensor="minimum_cpu"),
    _texts("frexp", _NOT_FLOATING, "torch.frexp() only supports floating-point dtypes", RuntimeError),
    _texts("topk", _BOOLS, "topk does not support bool dtypes on CPU", RuntimeError),
    _texts("topk", _COMPLEX, " topk does not support complex dtypes on CPU", RuntimeError),
    _texts("floor ceil trunc", _COMPLEX, "{kernel} is not supported for complex inputs"),
    _texts("maximum minimum fmax fmin", _COMPLEX, "{kernel} not implemented for complex tensors.", RuntimeError),
    _texts("deg2rad rad2deg", _COMPLEX, "{kernel} is not supported for complex tensors.", RuntimeError),
    _texts("signbit", _COMPLEX, "{kernel} is not implemented for complex tensors."),
    _texts(
        "sign",
        _COMPLEX,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
    ),
]
refusals: dict[str, list[_Refusal]] = {}
"""The errors of an op by its name."""

for _name in ("sub", "rsub", "rsub_tensor", "addcdiv"):
    refusals[_name] = []
for _table in _TABLES:
    for _name, _found in _table.items():
        refusals.setdefault(_name, []).extend(_found)


def refuse(name: str, kind: dtype, values: list[Any]) -> None:
    """Raise where an op is not made for the dtype that it would compute in, or for those of its operands."""
    if name in ("sub", "rsub", "rsub_tensor"):
        _refuse_bools(values)
    elif name == "addcdiv":
        _refuse_whole_division(values)
    elif name in ("lerp", "lerp_number"):
        _refuse_mixture(values)
    elif name == "heaviside":
        _refuse_unlike(values)
    for refusal in refusals[name]:
        refusal.check(kind)


_ALWAYS = frozenset({"kthvalue", "logcumsumexp", "topk", "unique", "unique2"})
"""Ops that refuse a dtype even for tensors without elements."""


def refusing(op: Op) -> Callable[..., Any]:
    """Return the forward function of an op that is not elementwise, which first checks for unsupported dtypes."""
    found = refusals.get(op.name)
    if found is None or not op.positions:
        return op.forward
    first, forward, always = op.positions[0], op.forward, op.name in _ALWAYS

    def checked(*raws: Any) -> Any:
        given = raws[first]
        if given.size or always:
            kind = dtype.table[given.dtype]
            for refusal in found:
                refusal.check(kind)
        return forward(*raws)

    return checked


def refuses_plain(op: Op) -> bool:
    """Return True when an op has no kernel for float32 or float64."""
    return any(kind in refusal.kinds for kind in (float32, float64) for refusal in refusals.get(op.name, ()))


BOOLS_SUBTRACTED = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)


def _refuse_bools(values: list[Any]) -> None:
    bools = sum(v.dtype.category == BOOL if hasattr(v, "dtype") else isinstance(v, bool) for v in values)
    if bools == 2:
        raise RuntimeError(BOOLS_SUBTRACTED)
    if bools:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def _refuse_unlike(values: list[Any]) -> None:
    if any(v.dtype.is_complex for v in values):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if values[0].dtype is not values[1].dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


def _refuse_whole_division(values: list[Any]) -> None:
    if all(v.dtype.category < FLOATING for v in values[1:]):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes."
        )


def _refuse_mixture(values: list[Any]) -> None:
    first = values[0].dtype
    for name, v in zip(("end", "weight"), values[1:], strict=False):
        if hasattr(v, "dtype") and v.dtype is not first:
            raise RuntimeError(
                f"expected dtype {C_NAMES[first.name]} for `{name}` but got dtype {C_NAMES[v.dtype.name]}"
            )


TENSOR_ONLY = frozenset(
    {"atan2", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor", "hypot", "logaddexp",
     "logaddexp2", "nextafter", "gcd", "lcm", "heaviside", "ldexp"}
)  # fmt: skip
"""Ops of two tensors that take no number in place of the second."""
