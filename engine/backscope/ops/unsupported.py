"""Which dtypes an elementwise op is not made for, and what PyTorch says when it meets one."""

from __future__ import annotations

from typing import Any

from backscope.dtype import BOOL, COMPLEX, FLOATING, INTEGER, dtype

_WHOLE = frozenset({BOOL, INTEGER})
_BOOLS = frozenset({BOOL})
_COMPLEX = frozenset({COMPLEX})
_NUMBERS = frozenset({FLOATING, COMPLEX})
_NO_KERNEL = "\"{kernel}\" not implemented for '{kind}'"


class _Refusal:
    """An error for categories of dtypes: without a text of its own, that a kernel is not made for the dtype."""

    def __init__(
        self,
        categories: frozenset[int],
        kernel: str,
        text: str = _NO_KERNEL,
        error: type[Exception] = NotImplementedError,
    ) -> None:
        self.categories = categories
        self.kernel = kernel
        self.text = text
        self.error = error

    def check(self, kind: dtype) -> None:
        if kind.category in self.categories:
            raise self.error(self.text.format(kernel=self.kernel, kind=kind.type_name))


def _texts(names: str, categories: frozenset[int], text: str, error: type[Exception] = NotImplementedError) -> Any:
    return {name: [_Refusal(categories, name, text, error)] for name in names.split()}


def _kernels(categories: frozenset[int], **kernels: str) -> Any:
    return {name: [_Refusal(categories, kernel)] for name, kernel in kernels.items()}


_TABLES = [
    _kernels(_BOOLS, abs="abs_cpu", floor="floor_vml_cpu", ceil="ceil_vml_cpu", trunc="trunc_vml_cpu"),
    _kernels(_BOOLS, addcmul="addcmul_cpu_out", pow_tensor="pow"),
    _kernels(_BOOLS | _COMPLEX, round="round_vml_cpu", floor_divide="div_floor_cpu", remainder="remainder_cpu"),
    _kernels(_BOOLS | _COMPLEX, remainder_number="remainder_cpu", fmod="fmod_cpu", fmod_number="fmod_cpu"),
    _kernels(_COMPLEX, erf="erf_vml_cpu", erfc="erfc_vml_cpu", atan2="atan2_cpu", copysign="copysign_cpu"),
    _kernels(_COMPLEX, copysign_number="copysign_cpu", xlogy="xlogy_cpu", nextafter="nextafter_cpu"),
    _kernels(_WHOLE | _COMPLEX, frac="frac_cpu", hypot="hypot_cpu"),
    _kernels(_WHOLE, logaddexp="logaddexp_cpu", lerp="lerp_kernel_tensor", lerp_number="lerp_kernel_scalar"),
    _kernels(_NUMBERS, bitwise_not="bitwise_not_cpu"),
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

for _name in ("sub", "rsub", "rsub_tensor"):
    refusals[_name] = []
for _table in _TABLES:
    for _name, _found in _table.items():
        refusals.setdefault(_name, []).extend(_found)


def refuse(name: str, kind: dtype, values: list[Any]) -> None:
    """Raise where an op is not made for the dtype that it would compute in, or for those of its operands."""
    if name in ("sub", "rsub", "rsub_tensor"):
        _refuse_bools(values)
    elif name in ("lerp", "lerp_number"):
        _refuse_mixture(values)
    for refusal in refusals[name]:
        refusal.check(kind)


def _refuse_bools(values: list[Any]) -> None:
    bools = sum(v.dtype.category == BOOL if hasattr(v, "dtype") else isinstance(v, bool) for v in values)
    if bools == 2:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if bools:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


_C_NAMES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
    "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


def _refuse_mixture(values: list[Any]) -> None:
    first = values[0].dtype
    for name, v in zip(("end", "weight"), values[1:], strict=False):
        if hasattr(v, "dtype") and v.dtype is not first:
            raise RuntimeError(
                f"expected dtype {_C_NAMES[first.name]} for `{name}` but got dtype {_C_NAMES[v.dtype.name]}"
            )


TENSOR_ONLY = frozenset(
    {"atan2", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor", "hypot", "logaddexp",
     "logaddexp2", "nextafter", "gcd", "lcm", "heaviside", "ldexp"}
)  # fmt: skip
"""Ops of two tensors that take no number in place of the second."""
