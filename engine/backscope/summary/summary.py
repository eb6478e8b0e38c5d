"""Summaries of tensors' values in events: captured cheaply at the moment, computed when the event is written."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.protocol.events import Summary
from backscope.runtime.given import Shape, Value
from backscope.summary.json_numbers import element, elements, number
from backscope.tensor.dtype import FOREIGN, dtype
from backscope.tensor.meta import MetaArray
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.strides import shown_strides

Array: TypeAlias = np.ndarray[Any, Any]

ALL_VALUES = 256
FIRST_VALUES = 16
ALL_STATISTICS = 4096

_TINY = 1e-30
"""A sum of squares below which those in float32 are imprecise."""

_SCALE = np.float32(2.0**60)
"""Multiplies numbers whose squares are tiny: to convert them to float64 takes ten times as long."""

FLOAT, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


Known: TypeAlias = "dict[int, tuple[Digest, Array]]"
"""Digests by the id of the array that owns the memory; the array is kept, so that the id is not reused."""


class Digest:
    """A large value at one moment: its geometry, its first values, and its squared norm."""

    __slots__ = ("dtype", "first", "inf_count", "nan_count", "nbytes", "norm", "rowwise", "shape", "strides")

    norm: float | None
    first: Array
    nan_count: int
    inf_count: int

    def __init__(self, value: Array, known: Known | None = None) -> None:
        """`known` has the digests of other arrays at the same moment, by the memory that they fill."""
        self.shape = value.shape
        self.strides = value.strides
        self.nbytes = value.nbytes
        kind = self.dtype = value.dtype
        rowwise = value.flags.c_contiguous
        times = 1
        if rowwise:
            flat = value
        elif 0 in value.strides:  # Repeated elements are read once, and never copied.
            flat = value[tuple([slice(None) if s else slice(0, 1) for s in value.strides])]
            times = value.size // flat.size
        else:
            flat = _as_it_lies(value)
        memory = None
        if known is not None and times == 1 and (rowwise or flat.flags.c_contiguous):
            memory = _filled(value)
            same = None if memory is None else known.get(id(memory))
            if same is not None and same[0].dtype is kind:
                other = same[0]
                self.rowwise = rowwise
                self.first = other.first if rowwise and other.rowwise else value.flat[:FIRST_VALUES]
                self.norm, self.nan_count, self.inf_count = other.norm, other.nan_count, other.inf_count
                return
        flat = flat.reshape(-1)
        self.rowwise = rowwise
        self.first = flat[:FIRST_VALUES].copy() if rowwise else value.flat[:FIRST_VALUES]
        self.nan_count = self.inf_count = 0
        if kind is FLOAT or kind is DOUBLE:
            wide = flat
            squared = float(np.dot(flat, flat))
            if squared < _TINY and kind is FLOAT:
                squared = _tiny_squares(flat)
        else:
            wide = flat if kind.kind in "fc" and kind.itemsize >= 4 else flat.astype(np.float64)
            squared = float((np.dot(wide, wide) if wide.dtype.kind == "f" else np.vdot(wide, wide)).real)
        if not math.isfinite(squared):
            self.nan_count = int(np.isnan(wide).sum())
            self.inf_count = int(np.isinf(wide).sum())
            squared = float(np.vdot(wide.astype(np.complex128 if wide.dtype.kind == "c" else np.float64), wide).real)
            self.nan_count *= times
            self.inf_count *= times
        squared *= times
        self.norm = math.sqrt(squared) if squared >= 0 else squared
        if known is not None and memory is not None:
            known[id(memory)] = self, memory

    @classmethod
    def glance(cls, value: Array) -> Digest:
        """Make a digest from the first elements only: NaN and infinities are counted in those."""
        digest = cls(value.reshape(-1)[:FIRST_VALUES] if value.flags.c_contiguous else value.flat[:FIRST_VALUES])
        digest.shape, digest.strides, digest.nbytes, digest.norm = value.shape, value.strides, value.nbytes, None
        return digest

    @classmethod
    def between(cls, before: Digest, after: Digest) -> Digest | None:
        """Return the difference of two values in their first elements; None where they don't compare."""
        if before.shape != after.shape or before.dtype != after.dtype or after.dtype.kind not in "fcV":
            return None
        digest = cls(after.first - before.first)
        digest.shape, digest.strides, digest.nbytes, digest.norm = after.shape, after.strides, after.nbytes, None
        return digest


def _tiny_squares(flat: Array) -> float:
    """Return the sum of the squares of float32 numbers, which are too small for float32 and may have become 0."""
    scaled = flat * _SCALE
    squared = float(np.dot(scaled, scaled))
    if squared >= _TINY:
        return squared / float(_SCALE) ** 2
    if not (flat.max() or flat.min()):
        return 0.0
    return float(np.vdot(flat.astype(np.float64), flat))


def _filled(value: Array) -> Array | None:
    """Return the array that owns the memory of one without gaps or repetition, None where it has more elements."""
    memory = value.base
    if memory is None:
        return value
    if memory.__class__ is np.ndarray and memory.base is None and memory.nbytes == value.nbytes:
        return memory
    return None


def _as_it_lies(value: Array) -> Array:
    """Return a view with the dims in the order of memory, so that elements are read one after the other."""
    strides = value.strides
    return value.transpose(sorted(range(value.ndim), key=lambda k: -strides[k]))


class Held:
    """An array at one moment: the array itself until it is summarized or about to be changed.

    Then it is a copy or, above 4,096 elements, a digest.
    """

    __slots__ = ("array", "captured", "change", "keeps")

    array: Array | None
    captured: Value
    change: Change | None
    keeps: int
    """Bytes of memory kept alive meanwhile: for a view, all of its base."""

    @property
    def shape(self) -> Shape:
        """The shape of the value."""
        return (self.captured if self.array is None else self.array).shape

    @property
    def nbytes(self) -> int:
        """The bytes of the value itself."""
        return int((self.captured if self.array is None else self.array).nbytes)

    def capture(self, known: Known | None = None) -> Value:
        """Capture the value as it is now, before a change, and drop the array."""
        if self.array is not None:
            self.captured = capture(self.array, known)
            if self.change is not None:
                self.change.work_out(self.array)
                self.change = None
            self.array = None
        return self.captured

    def lose(self) -> None:
        """Drop the array without its numbers: it is about to change and could not be captured."""
        if self.array is not None:
            self.captured = Blank(self.array, self.array.nbytes)
            if self.change is not None:
                self.change.copy = None
                self.change = None
            self.array = None


class Change:
    """The digest of the part that was added to an array above 4,096 elements, from a copy or the first elements."""

    __slots__ = ("after", "before", "copy", "digest")

    def __init__(self, before: Value, after: Value, copy: Array | None, data: Value) -> None:
        self.before = before
        self.after = after
        self.copy = copy
        self.digest: Digest | None = None
        if copy is not None:
            if after.__class__ is Held and after.array is not None:
                after.change = self
            else:
                self.work_out(data)

    def work_out(self, data: Value) -> None:
        """Compare the copy with the array's present values."""
        copy, self.copy = self.copy, None
        if copy is not None and copy.shape == data.shape and copy.dtype == data.dtype:
            self.digest = Digest(data - copy)

    def result(self) -> Digest | None:
        """The digest, None where the two don't compare."""
        before, after = (v.capture() if v.__class__ is Held else v for v in (self.before, self.after))
        if self.digest is None and before.__class__ is Digest and after.__class__ is Digest:
            self.digest = Digest.between(before, after)
        return self.digest


class Blank:
    """The geometry of a tensor without readable numbers: on the device "meta", without memory, or lost."""

    __slots__ = ("dtype", "nbytes", "shape", "strides")

    def __init__(self, value: Array, nbytes: int = 0) -> None:
        self.shape = value.shape
        self.strides = value.strides
        self.dtype = value.dtype
        self.nbytes = nbytes

    def summary(self) -> Summary:
        """Return a summary without values and statistics."""
        return Summary(
            shape=list(self.shape), dtype=dtype.table[self.dtype].name,
            strides=[s // self.dtype.itemsize for s in self.strides], nbytes=self.nbytes, min=None, max=None, mean=None,
            norm=None, nan_count=0, inf_count=0, values=[],
        )  # fmt: skip


class Copy(np.ndarray[Any, Any]):
    """A copy with other strides than its original; `original_strides` are in elements."""

    original_strides: tuple[int, ...] | None = None


class NormOnly(Copy):
    """A copy of which a summary has the norm and the counts of NaN and infinities; many are worked out at once."""

    def digest(self) -> Digest:
        """Return the digest, which has no elements."""
        found = Digest(self.view(np.ndarray))
        found.first = found.first[:0]
        found.strides = tuple([s * self.itemsize for s in strides_of(self)])
        return found


def copied(value: Array) -> Array:
    """A copy of an array that keeps the original's strides: its own have no gaps."""
    copy = value.copy("K")
    # An array that owns its memory has the strides of its copy.
    if (value.base is not None and copy.strides != value.strides) or not copy.size:
        made = copy.view(Copy)
        made.original_strides = shown_strides(value)
        return made
    return copy


def strides_of(value: Array) -> tuple[int, ...]:
    """The strides of an array, or of a copy's original, in elements."""
    original_strides = value.original_strides if isinstance(value, Copy) else None
    return shown_strides(value) if original_strides is None else original_strides


def capture(value: Value, known: Known | None = None) -> Value:
    """Return a raw value safe from later changes: itself, a copy, or a Digest above 4,096 elements."""
    if isinstance(value, Sparse):
        value = value.dense()
    if isinstance(value, Absent):
        value = value.whole
    if not isinstance(value, np.ndarray):
        return value
    if isinstance(value, MetaArray):
        return Blank(value)
    if value.size <= ALL_STATISTICS:
        return copied(value)
    return Digest(value, known)


def captured(values: list[Any]) -> list[Any]:
    """Return Held values as they are now, others unchanged; views of one memory share the work."""
    known: Known = {}
    return [v.capture(known) if v.__class__ is Held else v for v in values]


def summarize(value: Value) -> Summary:
    """The Summary of a captured value."""
    if isinstance(value, MetaArray):
        value = Blank(value)
    if isinstance(value, Blank):
        return value.summary()
    if isinstance(value, Sparse | Absent):
        value = capture(value)
    if isinstance(value, NormOnly):
        value = value.digest()
    if isinstance(value, Digest):
        steps = tuple([s // value.dtype.itemsize for s in value.strides])
        return Summary(
            shape=list(value.shape),
            dtype=dtype.table[value.dtype].name,
            strides=list(steps),
            nbytes=value.nbytes,
            min=None,
            max=None,
            mean=None,
            norm=None if value.norm is None else number(value.norm),
            nan_count=value.nan_count,
            inf_count=value.inf_count,
            values=elements(value.first),
        )
    if not isinstance(value, np.ndarray):
        return _summarize_scalar(value)
    flat = value.ravel()
    kind = dtype.table[value.dtype]
    shown = flat if flat.size <= ALL_VALUES else flat[:FIRST_VALUES]
    wide = flat.astype(np.complex128 if kind.is_complex else np.float64)
    nan_count, inf_count = int(np.isnan(wide).sum()), int(np.isinf(wide).sum())
    low: Any = None
    high: Any = None
    mean = None
    if flat.size and not nan_count and not kind.is_complex:
        low, high, mean = number(wide.min()), number(wide.max()), number(wide.mean())
        if kind not in FOREIGN:
            low, high = element(flat.min()), element(flat.max())
    norm = np.sqrt(np.sum(np.abs(wide) ** 2)) if flat.size else 0.0
    return Summary(
        shape=list(value.shape),
        dtype=kind.name,
        strides=list(strides_of(value)),
        nbytes=value.nbytes,
        min=low,
        max=high,
        mean=mean,
        norm=number(norm),
        nan_count=nan_count,
        inf_count=inf_count,
        values=elements(shown),
    )


def foreign_summary(value: Value) -> Summary:
    """Return the summary of a value that is not the engine's: its geometry where it has one."""
    try:
        shape = [int(n) for n in value.shape]
    except Exception:  # noqa: BLE001 - whatever it may be
        shape = []
    return Summary(
        shape=shape, dtype=type(value).__name__, strides=[0] * len(shape), nbytes=0, min=None, max=None, mean=None,
        norm=None, nan_count=0, inf_count=0, values=[],
    )  # fmt: skip


def _summarize_scalar(value: Value) -> Summary:
    kind = dtype.table[value.dtype]
    shown = element(value)
    real = not isinstance(shown, list)
    size = number(abs(value))
    bad = value != value
    limit = (not bad) and kind.category >= 2 and bool(np.isinf(value))
    extreme: Any = None if bad or not real else shown
    return Summary(
        shape=[],
        dtype=kind.name,
        strides=[],
        nbytes=kind.itemsize,
        min=extreme,
        max=extreme,
        mean=extreme,
        norm=size,
        nan_count=int(bad),
        inf_count=int(limit),
        values=[shown],
    )
