"""Summaries of many captured values at once, as JSON: values of one type and size are worked out together."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeAlias

import msgspec
import numpy as np

from backscope.dtype import dtype
from backscope.shortest import decimals
from backscope.summary import ALL_STATISTICS, ALL_VALUES, FIRST_VALUES, Digest, number, summarize

Array: TypeAlias = np.ndarray[Any, Any]
Texts: TypeAlias = Generator[Array, Array, list[bytes]]
"""Gives the elements that will be shown, gets them as doubles of few digits, returns the texts."""

_encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode


def texts(values: Iterable[Any]) -> list[bytes]:
    """The JSON of the Summary of each captured value, the same to the byte as encoding summarize()."""
    captured = list(values)
    found: list[bytes] = [b""] * len(captured)
    groups: dict[Any, list[int]] = {}
    for i, value in enumerate(captured):
        groups.setdefault(_group(value), []).append(i)
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


def _group(value: Any) -> tuple[Callable[[Any], Texts] | None, Any, int]:
    """How a value is worked out (None: by itself), its type, and the size that those worked out with it have."""
    if value.__class__ is np.ndarray:
        size = value.size
        if 0 < size <= ALL_STATISTICS and value.dtype.kind != "c":
            return _arrays, value.dtype, size
    elif isinstance(value, np.generic):
        if value.dtype.kind not in "cb":
            return _scalars, value.dtype, 0
    elif value.__class__ is Digest and value.dtype.kind != "c":
        return _digests, value.dtype, 0
    return None, None, 0


def _apart(given: list[Any], members: list[int], found: list[bytes]) -> tuple[list[int], list[Any]]:
    """Those whose elements are all finite; the texts of the others are made one by one."""
    if dtype.table[given[0].dtype].category < 2:
        return members, given
    if isinstance(given[0], np.generic):
        wide = np.array(given)
    else:
        wide = np.concatenate([(v.first if v.__class__ is Digest else v).reshape(-1) for v in given])
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
    head = f'{{"shape":[],"dtype":"{kind.name}","strides":[],"nbytes":{kind.itemsize},"min":'.encode()
    return [
        b'%b%b,"max":%b,"mean":%b,"norm":%b,"nan_count":0,"inf_count":0,"values":[%b]}' % (head, v, v, v, norm, v)
        for v, norm in zip(shown, norms, strict=True)
    ]


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
    heads: dict[Any, bytes] = {}
    found = []
    for i, (value, row) in enumerate(zip(values, shown.tolist(), strict=True)):
        place = value.shape, value.strides
        head = heads.get(place)
        if head is None:
            head = heads[place] = _head(value, kind.name)
        found.append(
            b'%b%b,"max":%b,"mean":%b,"norm":%b,"nan_count":0,"inf_count":0,"values":%b}'
            % (head, low[i], high[i], mean[i], norm[i], _encode(row))
        )
    return found


def _digests(values: list[Digest]) -> Texts:
    kind = dtype.table[values[0].dtype]
    first = np.array([v.first for v in values])
    if kind.category >= 2:
        first = yield first
    else:
        yield first[:0]
        first = first.view(np.uint8) if first.dtype.kind == "b" else first
    return [
        b'%bnull,"max":null,"mean":null,"norm":%b,"nan_count":%d,"inf_count":%d,"values":%b}'
        % (
            _head(v, kind.name),
            _encode(None if v.norm is None else number(v.norm)),
            v.nan_count,
            v.inf_count,
            _encode(row),
        )
        for v, row in zip(values, first.tolist(), strict=True)
    ]


def _head(value: Any, name: str) -> bytes:
    """A Summary's text up to its smallest element."""
    size = value.dtype.itemsize
    shape = ",".join(map(str, value.shape))
    strides = ",".join([str(s // size) for s in value.strides])
    return f'{{"shape":[{shape}],"dtype":"{name}","strides":[{strides}],"nbytes":{value.nbytes},"min":'.encode()
