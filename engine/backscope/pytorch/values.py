"""What an event has of a tensor's value: a copy, a digest above 4,096 elements, a norm, or its geometry alone.

Never `tensor.numpy()` of a tensor of the program: it makes its storage unresizable for good.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, TypeAlias

import ml_dtypes
import numpy as np
import torch

from backscope.pytorch.context import Context
from backscope.summary.summary import ALL_STATISTICS, FIRST_VALUES, Blank, Copy, Digest, NormOnly
from backscope.tensor.dtype import dtype as engine_dtype

Detail: TypeAlias = Literal["all", "norms", "none"]
DETAILS: tuple[Detail, ...] = ("all", "norms", "none")

_BITS = {torch.bfloat16: (torch.int16, ml_dtypes.bfloat16)}
for _name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
    if hasattr(torch, _name) and hasattr(ml_dtypes, _name):
        _BITS[getattr(torch, _name)] = (torch.int8, getattr(ml_dtypes, _name))


class Geometry:
    """The shape, strides and type of a tensor, as a Blank is made of."""

    __slots__ = ("dtype", "nbytes", "shape", "strides")

    def __init__(self, t: torch.Tensor) -> None:
        self.shape = tuple(t.shape)
        self.dtype = _numpy_dtype(t.dtype)
        size = t.element_size()
        self.strides = tuple([s * size for s in t.stride()]) if t.layout is torch.strided else (0,) * len(self.shape)
        self.nbytes = t.numel() * size


class Later:
    """A value on a device, whose numbers are fetched together with others when the events are written.

    `bits` has the bytes of its elements, or of its first ones and then of norm and counts for a large one.
    """

    __slots__ = ("bits", "geometry", "large", "nbytes", "rowwise")

    def __init__(self, geometry: Geometry, bits: torch.Tensor, *, large: bool, rowwise: bool) -> None:
        self.geometry = geometry
        self.bits = bits
        self.large = large
        self.rowwise = rowwise
        self.nbytes = geometry.nbytes


class Values:
    """Captures values in as much detail as the recording has."""

    def __init__(self, context: Context, detail: Detail) -> None:
        self.context = context
        self.detail = detail
        self.batch: int | None = None
        """How many gradients the pass under way computes at once: its tensors are wrappers of those of all of them."""

    # Any: a captured value, as narration takes it.
    def of(self, t: object) -> Any:
        """Return the value of a tensor as it is now, None for what is none."""
        if not isinstance(t, torch.Tensor):
            return None
        if self.batch is not None and "Batched" in str(torch._C._dispatch_keys(t)):
            with self.context.quiet:
                t = torch._remove_batch_dim(t, 1, self.batch, 0)
        with torch._C.DisableTorchFunction():
            found = _here(t, self.detail)
        if found is not None:
            return found
        with self.context.quiet:
            return capture(t, self.detail)


# Any: a captured value, as narration takes it.
def capture(t: torch.Tensor, detail: Detail = "all") -> Any:
    """Return a tensor's value as it is now, in a detail; called where nothing is recorded."""
    geometry = Geometry(t)
    if detail == "none" or not _is_readable(t):
        return Blank(geometry, geometry.nbytes)  # type: ignore[arg-type] # It has what a Blank reads of an array.
    try:
        t = t.detach()
        if t.layout is not torch.strided:
            t = t.to_dense()
        if t.device.type == "cpu":
            if t.numel() and not t.is_conj() and not t.untyped_storage().nbytes() and not t._is_zerotensor():
                return blank(t)  # PyTorch itself would read from nowhere.
            found = _here(t.clone().resolve_conj().resolve_neg(), detail)
            return blank(t) if found is None else found
        if detail == "norms":
            return _digested(t, geometry, first=0)
        if t.numel() > ALL_STATISTICS:
            return _digested(t, geometry, first=FIRST_VALUES)
        return Later(geometry, _bytes(t.contiguous()), large=False, rowwise=True)
    except (RuntimeError, NotImplementedError, TypeError, KeyError):  # Without memory of its own, or of a strange type.
        return Blank(geometry, geometry.nbytes)  # type: ignore[arg-type]


# Any: an array of numpy's, or one number.
def array_of(t: torch.Tensor) -> Any:
    """Return a copy of all elements of a tensor; called where nothing is recorded.

    Raises: RuntimeError, NotImplementedError, TypeError or KeyError for one without elements that numpy could have.
    """
    if not _is_readable(t):
        raise TypeError("Its elements are not in its memory.")
    t = t.detach()
    if t.layout is not torch.strided:
        t = t.to_dense()
    t = t.cpu().resolve_conj().resolve_neg()
    geometry = Geometry(t)
    array = _lying(t, geometry)
    if array is None:
        raise TypeError("Its elements are not in memory.")
    return _copied(array, geometry)


def blank(t: torch.Tensor) -> Blank:
    """Return the geometry of a tensor in place of its value."""
    geometry = Geometry(t)
    return Blank(geometry, geometry.nbytes)  # type: ignore[arg-type]


# Any: numpy's types.
@cache
def _numpy_dtype(kind: torch.dtype) -> np.dtype[Any]:
    if kind in _BITS:
        known: np.dtype[Any] = np.dtype(_BITS[kind][1])
        return known
    try:
        found = np.dtype(str(kind).removeprefix("torch."))
    except TypeError:  # Of a quantized tensor, whose elements are shown as bytes are.
        return np.dtype(np.uint8)
    return found if found in engine_dtype.table else np.dtype(np.uint8)


def _is_readable(t: torch.Tensor) -> bool:
    kind = type(t)
    if kind is not torch.Tensor and kind is not torch.nn.Parameter:
        own = kind.__torch_dispatch__
        if own is not torch.Tensor.__torch_dispatch__ and own is not torch._C._disabled_torch_dispatch_impl:
            return False
    return t.device.type != "meta" and not t.is_quantized


class _Memory:
    """What numpy reads to see memory as an array."""

    __slots__ = ("__array_interface__",)


# Any: a captured value, as narration takes it.
def _here(t: torch.Tensor, detail: Detail) -> Any:
    """Return the value of a tensor of the processor's memory, read where it lies: no op of PyTorch runs for it.

    Returns None for any other, such as a wrapper, one whose elements are computed when read, and one without memory.
    """
    if detail == "none" or not t.is_cpu or t.layout is not torch.strided or not _is_readable(t):
        return None
    geometry = Geometry(t)
    array = _lying(t, geometry)
    if array is None:
        return None
    if array.size > ALL_STATISTICS:
        digest = Digest(array)
        if detail == "norms":
            digest.first = digest.first[:0]
        return digest
    return _copied(array, geometry) if detail == "all" else _to_be_measured(array, geometry)


# Any: an array of numpy's.
def _lying(t: torch.Tensor, geometry: Geometry) -> Any:
    """Return the memory of a tensor as an array, to be copied at once; None for one without memory to be read."""
    kind = geometry.dtype
    if kind.itemsize != t.element_size() or t.is_conj() or t.is_neg():
        return None
    if not geometry.nbytes:
        return np.empty(geometry.shape, kind)
    try:
        place = t.data_ptr()
        if not place or (t.storage_offset() and not t.untyped_storage().nbytes()):
            return None
    except (RuntimeError, NotImplementedError):  # Without memory of its own.
        return None
    memory = _Memory()
    memory.__array_interface__ = {  # type: ignore[attr-defined]
        "data": (place, True), "shape": geometry.shape, "strides": geometry.strides, "version": 3,
        "typestr": f"<u{kind.itemsize}" if kind.kind == "V" else kind.str,
    }  # fmt: skip
    array = np.asarray(memory)
    return array.view(kind) if kind.kind == "V" else array


# Any: an array of numpy's.
def memory(t: torch.Tensor) -> Any:
    """Return the memory of a tensor as an array, to be looked at once; None for one without memory to be read."""
    with torch._C.DisableTorchFunction():
        return _lying(t, Geometry(t)) if t.layout is torch.strided and t.device.type == "cpu" else None


# Any: an array of numpy's, or one number.
def _copied(array: Any, geometry: Geometry) -> Any:
    """Return a copy with the strides of the tensor."""
    if not geometry.shape:
        return array[()]
    made = array.copy(order="K")
    if made.strides == geometry.strides or not made.size:
        return made
    return _with_strides(made, tuple([s // made.itemsize for s in geometry.strides]))


def _to_be_measured(array: Any, geometry: Geometry) -> NormOnly:
    """Return a copy whose norm is worked out with those of others, in a quarter of the time that each takes alone."""
    made: NormOnly = array.reshape(-1).copy().reshape(geometry.shape).view(NormOnly)
    made.original_strides = tuple([s // made.itemsize for s in geometry.strides])
    return made


def _with_strides(array: Any, strides: tuple[int, ...]) -> Any:
    """Return an array that says to have these strides, in elements."""
    made = np.ascontiguousarray(array).view(Copy)
    made.original_strides = strides
    return made


def _bytes(t: torch.Tensor) -> torch.Tensor:
    return t.reshape(-1).clone().view(torch.uint8)


def _digested(t: torch.Tensor, geometry: Geometry, *, first: int) -> Any:
    """Return a large value: computed where it lives; only first elements, a norm and two counts leave the device."""
    whole = t
    if 0 in t.stride() and t.numel():
        t = t[tuple([slice(None) if s else slice(0, 1) for s in t.stride()])]
    times = whole.numel() // max(t.numel(), 1)
    if t.is_floating_point() or t.is_complex():
        kind = torch.complex128 if t.is_complex() else torch.float64
        norm = torch.linalg.vector_norm(t, dtype=kind)
        wide = t if t.element_size() > 1 else t.to(torch.float32)
        counts = torch.stack([norm, wide.isnan().sum().double(), wide.isinf().sum().double()])
    else:
        norm = torch.linalg.vector_norm(t.double())
        counts = torch.stack([norm, torch.zeros_like(norm), torch.zeros_like(norm)])
    counts = counts * torch.tensor([times**0.5, times, times], dtype=torch.float64).to(counts.device, non_blocking=True)
    rowwise = whole.is_contiguous()
    shown = whole.reshape(-1)[:first] if rowwise else whole[tuple([slice(0, first)] * whole.ndim)].flatten()[:first]
    bits = torch.cat([_bytes(counts), _bytes(shown.contiguous())])
    return Later(geometry, bits, large=True, rowwise=rowwise)


# Any: a captured value, as narration takes it, and bytes.
def fetched(later: Later, bits: Any) -> Any:
    """Return a value whose bytes are here."""
    geometry = later.geometry
    if not later.large:
        made = bits.view(geometry.dtype).reshape(geometry.shape)
        if not geometry.shape:
            return made[()]
        return _with_strides(made, tuple([s // geometry.dtype.itemsize for s in geometry.strides]))
    counts = bits[:24].view(np.float64)
    digest = Digest.__new__(Digest)
    digest.shape, digest.strides, digest.nbytes = geometry.shape, geometry.strides, geometry.nbytes
    digest.dtype, digest.rowwise = geometry.dtype, later.rowwise
    digest.first = np.frombuffer(bits[24:].tobytes(), geometry.dtype)
    digest.norm = float(counts[0])
    digest.nan_count, digest.inf_count = int(counts[1]), int(counts[2])
    return digest


def fetch(values: list[Any]) -> None:
    """Fetch the numbers of those values that are on devices, by one transfer from each device."""
    waiting: dict[torch.device, list[int]] = {}
    for i, value in enumerate(values):
        if value.__class__ is Later:
            waiting.setdefault(value.bits.device, []).append(i)
    for places in waiting.values():
        bits = torch.cat([values[i].bits for i in places]).cpu().numpy()
        at = 0
        for i in places:
            size = values[i].bits.numel()
            values[i] = fetched(values[i], bits[at : at + size].copy())
            at += size
