"""Summaries of many captured values at once, as JSON: values of one type and size are summarized together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any, TypeAlias

import msgspec
import numpy as np

from backscope.protocol.event_parts import Summary
from backscope.protocol.template import joint, template
from backscope.runtime.given import Value
from backscope.summary.json_numbers import number
from backscope.summary.number_text import number_texts, row_texts
from backscope.summary.summary import (
    ALL_STATISTICS,
    ALL_VALUES,
    FIRST_VALUES,
    Copy,
    Digest,
    NormOnly,
    strides_of,
    summarize,
)
from backscope.tensor.dtype import dtype

Array: TypeAlias = np.ndarray[Any, Any]
Texts: TypeAlias = Callable[[Any, list[int], list[bytes]], list[int]]
"""Puts the texts of values at their places in a list; returns the places of those that are not finite, left out."""

_encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode

_LAYOUT = "shape", "dtype", "strides", "nbytes"
_LAID_OUT = joint(Summary, *_LAYOUT)
_FINITE = template(Summary, *_LAYOUT, nan_count=0, inf_count=0)
_DIGESTED = template(Summary, *_LAYOUT, min=None, max=None, mean=None)

_WIDEST = np.dtype(np.uint64)
"""The type with numbers that may be too large for readers of JSON."""


def texts(values: Iterable[Any]) -> list[bytes]:
    """The JSON of the Summary of each captured value, the same numbers as in summarize()."""
    captured = list(values)
    found: list[bytes] = [b""] * len(captured)
    groups: dict[Any, list[int]] = {}
    for i, value in enumerate(captured):
        group = _SCALAR.get(value.__class__) or _group(value)
        members = groups.get(group)
        if members is None:
            groups[group] = [i]
        else:
            members.append(i)
    for (work, _, _), members in groups.items():
        left = members if work is None else work([captured[i] for i in members], members, found)
        for i in left:
            found[i] = _encode(summarize(captured[i]))
    return found


def _group(value: Value) -> tuple[Texts | None, Any, int]:
    """Return how a value is summarized (None: by itself), its type, and the size shared by its group."""
    if value.__class__ is np.ndarray or value.__class__ is Copy:
        size = value.size
        if 0 < size <= ALL_STATISTICS and value.dtype.kind != "c" and value.dtype != _WIDEST:
            return _arrays, value.dtype, size
    elif isinstance(value, np.generic):
        if value.dtype.kind not in "cb" and value.dtype != _WIDEST:
            return _scalars, value.dtype, 0
    elif value.__class__ is NormOnly:
        if value.size and value.dtype.kind != "c" and value.dtype != _WIDEST:
            return _norms, value.dtype, value.size
    elif value.__class__ is Digest and value.dtype.kind != "c" and value.dtype != _WIDEST:
        return _digests, value.dtype, 0
    return None, None, 0


def _scalars(values: list[Any], places: list[int], found: list[bytes]) -> list[int]:
    kind = dtype.table[values[0].dtype]
    flat = np.array(values)
    left: list[int] = []
    if kind.category >= 2:
        wide = flat.astype(np.float64)
        fine = np.isfinite(wide)
        if not fine.all():
            left = [places[k] for k in np.flatnonzero(~fine).tolist()]
            places = [places[k] for k in np.flatnonzero(fine).tolist()]
            flat, wide = flat[fine], wide[fine]
        sizes = np.abs(wide)
    else:
        sizes = np.abs(flat)
    head = _LAID_OUT % (b"", _encode(kind.name), b"", kind.itemsize)
    if places:
        for i, v, norm in zip(places, number_texts(flat), number_texts(sizes), strict=True):
            found[i] = _FINITE % (head, v, v, v, norm, v)
    return left


def _arrays(values: list[Array], places: list[int], found: list[bytes]) -> list[int]:
    first = values[0]
    kind = dtype.table[first.dtype]
    size = first.size
    rows = np.concatenate([v.reshape(-1) for v in values]).reshape(-1, size)
    wide = rows.astype(np.float64)
    left: list[int] = []
    if kind.category >= 2:
        fine = np.isfinite(wide)
        if not fine.all():
            whole = fine.all(axis=1)
            left = [places[k] for k in np.flatnonzero(~whole).tolist()]
            regular = np.flatnonzero(whole).tolist()
            if not regular:
                return left
            values, places = [values[k] for k in regular], [places[k] for k in regular]
            rows, wide = rows[regular], wide[regular]
    low, high = number_texts(rows.min(axis=1)), number_texts(rows.max(axis=1))
    mean = number_texts(wide.mean(axis=1))
    norm = number_texts(np.sqrt(np.multiply(wide, wide).sum(axis=1)))
    shown = row_texts(rows if size <= ALL_VALUES else rows[:, :FIRST_VALUES])
    head = _Heads(kind.name).of
    for i, value, *more in zip(places, values, low, high, mean, norm, shown, strict=True):
        found[i] = _FINITE % (head(value), *more)
    return left


def _digests(values: list[Digest], places: list[int], found: list[bytes]) -> list[int]:
    kind = dtype.table[values[0].dtype]
    left: list[int] = []
    if kind.category >= 2:
        left = [i for i, v in zip(places, values, strict=True) if v.nan_count or v.inf_count]
        if left:
            pairs = [(i, v) for i, v in zip(places, values, strict=True) if not (v.nan_count or v.inf_count)]
            places, values = [i for i, _ in pairs], [v for _, v in pairs]
            if not values:
                return left
    different = {id(v.first): v.first for v in values}
    rows = dict(zip(different, row_texts(np.array(list(different.values()))), strict=True))
    norms = _encode([None if v.norm is None else number(v.norm) for v in values])[1:-1].split(b",")
    head = _Heads(kind.name).of
    for i, v, norm in zip(places, values, norms, strict=True):
        found[i] = _DIGESTED % (head(v), norm, v.nan_count, v.inf_count, rows[id(v.first)])
    return left


def _norms(values: list[NormOnly], places: list[int], found: list[bytes]) -> list[int]:
    first = values[0]
    rows = np.concatenate([v.view(np.ndarray).reshape(-1) for v in values]).reshape(-1, first.size)
    wide = rows.astype(np.float64)
    norms = np.sqrt(np.multiply(wide, wide).sum(axis=1))
    head = _Heads(dtype.table[first.dtype].name).of
    left: list[int] = []
    for i, value, norm in zip(places, values, norms.tolist(), strict=True):
        if isfinite(norm):
            found[i] = _DIGESTED % (head(value), _encode(norm), 0, 0, b"")
        else:
            left.append(i)
    return left


class _Heads:
    """The text of a value's geometry, for values of one type."""

    def __init__(self, name: str) -> None:
        self.name = _encode(name)
        self.known: dict[Any, bytes] = {}

    def of(self, value: Value) -> bytes:
        """Return the text of an array or a Digest."""
        copy = isinstance(value, Copy)
        place = value.shape, strides_of(value) if copy else value.strides, copy
        head = self.known.get(place)
        if head is None:
            shape = ",".join(map(str, value.shape))
            size = value.dtype.itemsize
            steps = strides_of(value) if copy or 0 in value.shape else [s // size for s in value.strides]
            strides = ",".join(map(str, steps))
            head = self.known[place] = _LAID_OUT % (shape.encode(), self.name, strides.encode(), value.nbytes)
        return head


_SCALAR: dict[Any, Any] = {kind: (_scalars, np.dtype(kind), 0) for kind in (np.float32, np.float64)}
"""How the most common scalars are summarized; see _group()."""
