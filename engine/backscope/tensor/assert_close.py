"""torch.testing.assert_close: compares values within tolerances and reports their differences as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from backscope.ops.create.creation import as_tensor
from backscope.runtime.given import Device, MemoryFormat, Option, Shape, Value
from backscope.tensor import dtype as types
from backscope.tensor.dtype import dtype, promote_types
from backscope.tensor.tensor import Tensor

TOLERANCES = {
    "float16": (0.001, 1e-5), "bfloat16": (0.016, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip


class _Comparison:
    """One call of assert_close: its options, and the place in nested containers that is compared now."""

    def __init__(self, options: dict[str, Any], msg: Any) -> None:
        self.options = options
        self.msg = msg
        self.place: list[Any] = []

    def fail(self, text: str, error: type[Exception] = AssertionError) -> NoReturn:
        if self.place:
            text += f"\n\nThe failure occurred for item {''.join(str([i]) for i in self.place)}"
        if callable(self.msg):
            text = self.msg(text)
        raise error(text if self.msg is None or callable(self.msg) else self.msg)

    def compare(self, actual: Value, expected: Value) -> None:
        both = (actual, expected)
        if all(isinstance(v, Sequence) and not isinstance(v, str) for v in both):
            if len(actual) != len(expected):
                self.fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
            for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
                self._inside(i, a, e)
        elif all(isinstance(v, Mapping) for v in both):
            self._mappings(actual, expected)
        elif any(v is None for v in both):
            if actual is not expected:
                self.fail(f"None mismatch: {actual} is not {expected}")
        elif all(isinstance(v, (bool, np.bool_)) for v in both):
            if bool(actual) is not bool(expected):
                self.place.clear()  # PyTorch does not name the item here.
                self.fail(f"Booleans mismatch: {actual} is not {expected}")
        elif all(isinstance(v, (int, float, complex, np.number)) for v in both):
            self._numbers(*(v.item() if isinstance(v, np.generic) else v for v in both))
        else:
            self._tensors(actual, expected)

    def _inside(self, key: Any, actual: Value, expected: Value) -> None:
        self.place.append(key)
        self.compare(actual, expected)
        self.place.pop()

    def _mappings(self, actual: Value, expected: Value) -> None:
        missing, additional = set(expected) - set(actual), set(actual) - set(expected)
        if missing or additional:
            self.fail(
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(additional)}"
            )
        for key in actual:
            self._inside(key, actual[key], expected[key])

    def _numbers(self, actual: Value, expected: Value) -> None:
        kinds = {int: types.int64, float: types.float64, complex: types.complex128}
        if self.options["check_dtype"] and type(actual) is not type(expected):
            self.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.")
        rtol, atol = self._tolerances(kinds[type(actual)], kinds[type(expected)])
        difference = abs(actual - expected)
        if actual == expected or (self.options["equal_nan"] and actual != actual and expected != expected):
            return
        if np.isfinite(difference) and difference <= atol + rtol * abs(expected):
            return
        self._unlike(actual, expected, rtol, atol)

    def _unlike(self, actual: Value, expected: Value, rtol: float, atol: float) -> NoReturn:
        difference = abs(actual - expected)
        relative = float("inf") if expected == 0 else difference / abs(expected)
        extra = f"Expected {expected} but got {actual}."
        self.fail(_report("Scalars", extra, (difference, None, atol), (relative, None, rtol)))

    def _tensors(self, actual: Value, expected: Value) -> None:
        if not self.options["allow_subclasses"] and type(actual) is not type(expected):
            self.fail(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", TypeError
            )
        a, e = _as_tensor(actual), _as_tensor(expected)
        if a is None or e is None:
            self.fail(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", TypeError
            )
        rtol, atol = self._tolerances(a._dtype, e._dtype)
        self._attributes(a, e)
        common = promote_types(a._dtype, e._dtype)
        x, y = (types.cast(np.asarray(t.detach()._data), common) for t in (a, e))
        if common.name == "bfloat16":
            x, y = x.astype(np.float32), y.astype(np.float32)
        matches = np.asarray(np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=self.options["equal_nan"]))
        if common.category < types.FLOATING and rtol == atol == 0:
            matches = np.asarray(x == y)
        if not matches.all() and not x.ndim:
            self._unlike(x.item(), y.item(), rtol, atol)
        if not matches.all():
            self.fail(_tensor_report(x, y, matches, rtol, atol))

    def _attributes(self, a: Tensor, e: Tensor) -> None:
        options = self.options
        for name, wanted, left, right in (
            ("shape", True, a.shape, e.shape),
            ("layout", options["check_layout"], a.layout, e.layout),  # type: ignore[attr-defined]
            ("stride()", options["check_stride"], a.stride(), e.stride()),  # type: ignore[attr-defined]
            ("device", options["check_device"], a.device, e.device),
            ("dtype", options["check_dtype"], a.dtype, e.dtype),
        ):
            if wanted and left != right:
                self.fail(f"The values for attribute '{name}' do not match: {left} != {right}.")

    def _tolerances(self, *kinds: dtype) -> tuple[float, float]:
        rtol, atol = self.options["rtol"], self.options["atol"]
        if (rtol is None) != (atol is None):
            missing = "rtol" if rtol is None else "atol"
            self.fail(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.", ValueError)
        if rtol is not None:
            return rtol, atol
        found = [TOLERANCES.get(kind.name, (0.0, 0.0)) for kind in kinds]
        return max(f[0] for f in found), max(f[1] for f in found)


def _as_tensor(value: Value) -> Any:
    if isinstance(value, Tensor):
        return value
    try:
        return as_tensor(value)
    except (TypeError, ValueError, RuntimeError):
        return None


def _tensor_report(x: Value, y: Value, matches: Any, rtol: float, atol: float) -> str:
    count = int(matches.size - matches.sum())
    if x.dtype.kind in "iub":
        x, y = x.astype(np.int64), y.astype(np.int64)
    absolute = np.where(matches, 0, np.abs(x - y))
    with np.errstate(all="ignore"):
        relative = np.where(matches, 0, absolute / np.abs(y)).astype(np.float32 if x.dtype.kind in "iub" else None)
    extra = f"Mismatched elements: {count} / {matches.size} ({count / matches.size:.1%})"
    return _report("Tensor-likes", extra, (*_greatest(absolute), atol), (*_greatest(relative), rtol))


def _greatest(differences: Any) -> tuple[Any, tuple[int, ...]]:
    place = int(np.argmax(differences))
    index = tuple(int(i) for i in np.unravel_index(place, differences.shape)) if differences.ndim else ()
    return differences.reshape(-1)[place].item(), index


def _report(what: str, extra: str, absolute: tuple[Any, Any, float], relative: tuple[Any, Any, float]) -> str:
    equality = absolute[2] == 0 and relative[2] == 0
    lines = [f"{what} are not {'equal' if equality else 'close'}!", "", extra]
    for name, (difference, index, tolerance) in (("absolute", absolute), ("relative", relative)):
        if index is None:
            line = f"{name.title()} difference: {difference}"
        else:
            line = f"Greatest {name} difference: {difference} at index {index}"
        lines.append(line if equality else f"{line} (up to {tolerance} allowed)")
    return "\n".join(lines)


def assert_close(
    actual: Value,
    expected: Value,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError, with where and how much, unless both are equal within the tolerances of their dtypes."""
    options = {
        "allow_subclasses": allow_subclasses, "rtol": rtol, "atol": atol, "equal_nan": equal_nan,
        "check_device": check_device, "check_dtype": check_dtype, "check_layout": check_layout,
        "check_stride": check_stride,
    }  # fmt: skip
    _Comparison(options, msg).compare(actual, expected)


def assert_allclose(actual: Value, expected: Value, rtol: Value = None, atol: Value = None, **options: Option) -> None:
    """Compare as assert_close does, without checking dtype and device; deprecated in PyTorch."""
    from backscope.runtime.warning import warn

    warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
    )
    assert_close(actual, expected, rtol=rtol, atol=atol, check_device=True, check_dtype=False, **options)


def make_tensor(
    *shape: Shape,
    dtype: dtype,
    device: Device = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: MemoryFormat = None,
) -> Value:
    """Return random numbers: by default in [-9, 9) for floating point, [-9, 10) or [0, 10) for integers."""
    from backscope.ops.core.namespace import torch_functions as f

    size = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (list, tuple)) else shape
    if dtype.category == types.BOOL:
        out = f["randint"](0, 2, size, dtype=dtype)
    elif dtype.category == types.INTEGER:
        least = int(low) if low is not None else (-9 if dtype.is_signed else 0)
        out = f["randint"](least, 10 if high is None else int(high), size, dtype=dtype)
    else:
        out = f["empty"](size, dtype=dtype)
        real = f["view_as_real"](out) if dtype.is_complex else out
        real.uniform_(-9 if low is None else low, 9 if high is None else high)
    if exclude_zero:
        out[out == 0] = 1
    if noncontiguous and out.numel() > 1:
        out = f["repeat_interleave"](out, 2, dim=-1)[..., ::2]
    return out.to(device).requires_grad_(requires_grad) if dtype.category > 1 else out.to(device)
