"""Summaries of many captured values at once, as JSON: values of one type and size are summarized together."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeAlias

import msgspec
import numpy as np

from backscope.protocol.event_parts import Summary
from backscope.protocol.template import joint, template
from backscope.runtime.given import Value
from backscope.summary.shortest_decimal import decimals
from backscope.summary.summary import (
    ALL_STATISTICS,
    ALL_VALUES,
    FIRST_VALUES,
    Copy,
    Digest,
    number,
    strides_of,
    summarize,
)
from backscope.tensor.dtype import dtype

Array: TypeAlias = np.ndarray[Any, Any]
Texts: TypeAlias = Generator[Array, Array, list[bytes]]
"""Yields the elements to show, is sent them as doubles of few digits, and returns the texts."""

_encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode

_LAYOUT = "shape", "dtype", "strides", "nbytes"
_LAID_OUT = joint(Summary, *_LAYOUT)
_FINITE = template(Summary, *_LAYOUT, nan_count=0, inf_count=0)
_DIGESTED = template(Summary, *_LAYOUT, min=None, max=None, mean=None)


def texts(values: Iterable[Any]) -> list[bytes]:
    """The JSON of the Summary of each captured value, the same to the byte as encoding summarize()."""
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
    begun: dict[Any, list[tuple[Texts, Array, list[int]]]] = {}
    for (work, kind, _), members in groups.items():
        given = [captured[i] for i in members]
        if work is not None:
            members, given = _apart(given, members, found)
        if work is None:
            for i, value in zip(members, given, strict=True):
                found[i] = _encode(summarize(value))
        elif members:
            making = work(given)
            begun.setdefault(kind, []).append((making, next(making), members))
    for together in begun.values():
        every = decimals(np.concatenate([shown.reshape(-1) for _, shown, _ in together]))
        at = 0
        for making, shown, members in together:
            part = every[at : at + shown.size].reshape(shown.shape)
            at += shown.size
            for i, text in zip(members, _finished(making, part), strict=True):
                found[i] = text
    return found


_WIDEST = np.dtype(np.uint64)
"""The type with numbers that may be too large for readers of JSON."""


def _group(value: Value) -> tuple[Callable[[Any], Texts] | None, Any, int]:
    """Return how a value is summarized (None: by itself), its type, and the size shared by its group."""
    if value.__class__ is np.ndarray or value.__class__ is Copy:
        size = value.size
        if 0 < size <= ALL_STATISTICS and value.dtype.kind != "c" and value.dtype != _WIDEST:
            return _arrays, value.dtype, size
    elif isinstance(value, np.generic):
        if value.dtype.kind not in "cb" and value.dtype != _WIDEST:
            return _scalars, value.dtype, 0
    elif value.__class__ is Digest and value.dtype.kind != "c" and value.dtype != _WIDEST:
        return _digests, value.dtype, 0
    return None, None, 0


def _apart(given: list[Any], members: list[int], found: list[bytes]) -> tuple[list[int], list[Any]]:
    """Return the members with finite elements only; the texts of the others are made one by one."""
    if dtype.table[given[0].dtype].category < 2:
        return members, given
    if given[0].__class__ is Digest:
        finite = [not (v.nan_count or v.inf_count) for v in given]
    else:
        wide = np.array(given) if isinstance(given[0], np.generic) else np.concatenate([v.reshape(-1) for v in given])
        rows: Any = np.isfinite(wide.astype(np.float64)).reshape(len(given), -1)
        finite = rows.all(axis=1).tolist()
    if all(finite):
        return members, given
    for i, value, fine in zip(members, given, finite, strict=True):
        if not fine:
            found[i] = _encode(summarize(value))
    regular = [k for k, fine in enumerate(finite) if fine]
    return [members[k] for k in regular], [given[k] for k in regular]


def _finished(making: Texts, shown: Array) -> list[bytes]:
    try:
        making.send(shown)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError


def _numbers(numbers: Array) -> list[bytes]:
    """The text of each number."""
    return _encode(numbers.tolist())[1:-1].split(b",")


def _scalars(values: list[Any]) -> Texts:
    kind = dtype.table[values[0].dtype]
    flat = np.array(values)
    shown = _numbers((yield flat) if kind.category >= 2 else ((yield flat[:0]), flat)[1])
    norms = _numbers(np.abs(flat.astype(np.float64) if kind.category >= 2 else flat))
    head = _LAID_OUT % (b"", _encode(kind.name), b"", kind.itemsize)
    return [_FINITE % (head, v, v, v, norm, v) for v, norm in zip(shown, norms, strict=True)]


def _arrays(values: list[Array]) -> Texts:
    first = values[0]
    kind = dtype.table[first.dtype]
    count, size = len(values), first.size
    rows = np.concatenate([v.reshape(-1) for v in values]).reshape(count, size)
    wide = rows.astype(np.float64)
    cut = size > ALL_VALUES
    needed = np.column_stack([rows[:, :FIRST_VALUES], rows.min(axis=1), rows.max(axis=1)]) if cut else rows
    if kind.category >= 2:
        needed = yield needed
    else:
        yield needed[:0]
        needed = needed.view(np.uint8) if needed.dtype.kind == "b" else needed
    shown = needed[:, :FIRST_VALUES] if cut else needed
    low = _numbers(needed[:, -2] if cut else needed.min(axis=1))
    high = _numbers(needed[:, -1] if cut else needed.max(axis=1))
    mean = _numbers(wide.mean(axis=1))
    norm = _numbers(np.sqrt((np.abs(wide) ** 2).sum(axis=1)))
    head = _Heads(kind.name).of
    return [
        _FINITE % (head(value), *more) for value, *more in zip(values, low, high, mean, norm, _rows(shown), strict=True)
    ]


def _digests(values: list[Digest]) -> Texts:
    kind = dtype.table[values[0].dtype]
    different = {id(v.first): v.first for v in values}
    first = np.array(list(different.values()))
    if kind.category >= 2:
        first = yield first
    else:
        yield first[:0]
        first = first.view(np.uint8) if first.dtype.kind == "b" else first
    norms = _encode([None if v.norm is None else number(v.norm) for v in values])[1:-1].split(b",")
    head = _Heads(kind.name).of
    rows = dict(zip(different, _rows(first), strict=True))
    return [
        _DIGESTED % (head(v), norm, v.nan_count, v.inf_count, rows[id(v.first)])
        for v, norm in zip(values, norms, strict=True)
    ]


def _rows(numbers: Array) -> list[bytes]:
    """The text of each row of numbers."""
    return _encode(numbers.tolist())[2:-2].split(b"],[")


class _Heads:
    """The text of a value's geometry, for values of one type."""

    def __init__(self, name: str) -> None:
        self.name = _encode(name)
        self.known: dict[Any, bytes] = {}

    def of(self, value: Value) -> bytes:
        """Return the text of an array or a Digest."""
        copy = value.__class__ is Copy
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
