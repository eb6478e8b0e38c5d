"""How a tensor prints: the text of repr(tensor) as PyTorch writes it, from the values in a numpy array."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backscope.runtime.given import Option, Value
from backscope.runtime.process import process_wide
from backscope.tensor.dtype import FOREIGN, dtype

Array = NDArray[Any]
Cell = Callable[[Any], str]

# Beyond these the numbers of a tensor are printed with exponents.
_LARGE, _SMALL, _RATIO = 1e8, 1e-4, 1000.0


@dataclass(frozen=True)
class PrintOptions:
    """The options of torch.set_printoptions: digits, elements before a summary and at its edges, columns, exponents."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES: Final = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()
process_wide(sys.modules[__name__], "_options")


def get_printoptions() -> dict[str, Any]:
    """The options in force, as keyword arguments of `set_printoptions`."""
    return dict(vars(_options))


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print: a profile ("default", "short", "full") first, then single options.

    An option left out keeps its value, except `sci_mode`, which every call sets: None lets the numbers decide.
    """
    global _options
    base = _options if profile is None else _PROFILES.get(profile, _options)
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = replace(base, **changes, sci_mode=sci_mode)


@contextmanager
def printoptions(**options: Option) -> Iterator[None]:
    """Print options for the duration of a block; the same keywords as `set_printoptions`."""
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


def format_tensor(
    array: Array | np.generic,
    *,
    prefix: str = "tensor(",
    suffixes: Sequence[str] = (),
    default_dtype: str = "float32",
) -> str:
    """The text of repr for a tensor of these values, from the prefix to the closing bracket.

    `suffixes` are what follows the size and dtype, such as "requires_grad=True"; `default_dtype` is the name of
    torch.get_default_dtype(), which is not shown.
    """
    values = np.asarray(array)
    name = values.dtype.name
    notes = []
    if values.size == 0:
        body = "[]"
        if values.ndim != 1:
            notes.append(f"size={values.shape}")
        if name != default_dtype:
            notes.append(f"dtype=torch.{name}")
    else:
        if not _options.edgeitems:
            notes.append(f"size={values.shape}")
        default_complex = "complex128" if default_dtype == "float64" else "complex64"
        if name not in (default_dtype, default_complex, "int64", "bool"):
            notes.append(f"dtype=torch.{name}")
        body = format_values(values, len(prefix))
    return with_suffixes(prefix + body, [*notes, *suffixes], len(prefix))


def format_values(array: Array, indent: int) -> str:
    """The nested brackets alone, for values that start `indent` columns into their line."""
    if array.dtype.itemsize <= 2 and array.dtype.kind not in "iub":
        array = array.astype(np.float32)
    cell, width = _cells(array)
    return _nested(array, indent, cell, width)


def format_scalar(value: Value, spec: str = "") -> str:
    """Return format(tensor, spec) of a 0-d tensor: its Python number in that format."""
    values = np.asarray(value)
    if dtype.table[values.dtype] in FOREIGN:
        values = values.astype(np.float32)
    return format(values.item(), spec)


def with_suffixes(text: str, suffixes: list[str], indent: int, column: int | None = None) -> str:
    """Append ", suffix" for each, on a line of its own where it would pass the line width, and the closing bracket.

    `column` is where the last line ends, by default as PyTorch counts it below the numbers of a tensor.
    """
    if column is None:
        column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def _summarized(array: Array) -> bool:
    return array.size > _options.threshold


def _edges(array: Array) -> Array:
    """The values that a summary shows, which alone decide its column width."""
    edge = _options.edgeitems
    if not edge and array.ndim:
        return array.reshape(-1)[:0]
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            array = array.take([*range(edge), *range(length - edge, length)], axis=axis)
    return array


def _cells(array: Array) -> tuple[Cell, int]:
    """The function that prints one value of this array, and the columns that it takes."""
    shown = _edges(array) if _summarized(array) else array
    if array.dtype.kind == "c":
        real, real_width = _float_cells(shown.real)
        imaginary, imaginary_width = _float_cells(shown.imag)

        def both(value: complex) -> str:
            second = imaginary(value.imag).lstrip()
            return real(value.real) + ("" if second[0] in "+-" else "+") + second + "j"

        return both, real_width + imaginary_width + 1
    if array.dtype.kind == "f":
        return _float_cells(shown)
    width = max([1, *(len(str(value)) for value in shown.reshape(-1).tolist())])
    return lambda value: str(value).rjust(width), width


def _float_cells(array: Array) -> tuple[Cell, int]:
    precision = _options.precision
    # Zeros, infinities and NaN neither choose the notation nor widen the column.
    nonzero = array[np.isfinite(array) & (array != 0)].astype(np.float64)
    whole, exponents, width = True, False, 1
    if nonzero.size:
        magnitudes = np.abs(nonzero)
        least, most = magnitudes.min(), magnitudes.max()
        whole = bool(np.all(nonzero == np.ceil(nonzero)))
        with np.errstate(over="ignore"):
            uneven = bool(most / least > _RATIO or most > _LARGE or least < _SMALL)
        exponents = uneven if _options.sci_mode is None else _options.sci_mode
        spec = f".{precision}e" if exponents else ".0f" if whole else f".{precision}f"
        width = max(len(format(value, spec)) for value in nonzero.tolist()) + (whole and not exponents)

    def scientific(value: float) -> str:
        return format(value, f".{precision}e").rjust(width)

    def integral(value: float) -> str:
        return (format(value, ".0f") + ("." if math.isfinite(value) else "")).rjust(width)

    def decimal(value: float) -> str:
        return format(value, f".{precision}f").rjust(width)

    return scientific if exponents else integral if whole else decimal, width


def _nested(array: Array, indent: int, cell: Cell, width: int) -> str:
    if array.ndim == 0:
        return cell(array.item())
    summarized = _summarized(array)

    def rows(part: Array, depth: int) -> str:
        edge = _options.edgeitems
        length = len(part)
        cut = summarized and length > 2 * edge
        if part.ndim == 1:
            values = part.tolist()
            if summarized and not edge:
                return _lines(["..."], depth, width)
            if cut:
                front, back = map(cell, values[:edge]), map(cell, values[-edge:])
                return _lines([*front, " ...", *back], depth, width)
            return _lines([cell(value) for value in values], depth, width)
        if cut:
            inner = [rows(x, depth + 1) for x in part[:edge]] + ["..."]
            inner += [rows(x, depth + 1) for x in part[length - edge :]]
        else:
            inner = [rows(x, depth + 1) for x in part]
        return "[" + ("," + "\n" * (part.ndim - 1) + " " * (depth + 1)).join(inner) + "]"

    return rows(array, indent)


def _lines(cells: list[str], indent: int, width: int) -> str:
    """One innermost row, broken into lines of as many cells as the line width holds."""
    a_line = max(1, math.floor((_options.linewidth - indent) / (width + 2)))
    lines = [", ".join(cells[start : start + a_line]) for start in range(0, len(cells), a_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
