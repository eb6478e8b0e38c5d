"""Compares two runs' events: which are missing or elsewhere, and which fields differ."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, NamedTuple

Event = dict[str, Any]

RELATIVE = {"float64": 1e-7, "complex128": 1e-7, "float16": 2e-3, "bfloat16": 2e-2}
"""How far numbers may be apart relative to the largest of their tensor, by its type."""
USUALLY = 2e-4
"""The same for other types: PyTorch adds in another order, and steps of a training carry that on."""
LEAST_SIZE = 0.01
"""The size that a tensor is taken to have at least: what is left where numbers cancel out are roundings."""

WINDOW = 200
"""Events that are aligned at once."""


class Difference(NamedTuple):
    """A fact that differs: its name, such as "op_applied.inputs", and what both sides say."""

    fact: str
    text: str


def differences(ours: list[Event], theirs: list[Event]) -> list[Difference]:
    """Return what differs between the events of the engine and of PyTorch."""
    return list(_compared(ours, theirs))


def _compared(ours: list[Event], theirs: list[Event]) -> Iterator[Difference]:
    a, b = [_key(e) for e in ours], [_key(e) for e in theirs]
    only_ours: defaultdict[Any, deque[Event]] = defaultdict(deque)
    only_theirs = []
    for same, i, j, k, m in _blocks(a, b):
        if same:
            for mine, yours in zip(ours[i:j], theirs[k:m], strict=True):
                yield from _fields(mine, yours)
            continue
        for x in range(i, j):
            only_ours[a[x]].append(ours[x])
        only_theirs += list(zip(b[k:m], theirs[k:m], strict=True))
    for key, event in only_theirs:
        if only_ours[key]:
            mine = only_ours[key].popleft()
            yield Difference(f"{event['kind']} order", _shown(event))
            yield from _fields(mine, event)
        else:
            yield Difference(f"{event['kind']} on PyTorch alone", _shown(event))
    for events in only_ours.values():
        for event in events:
            yield Difference(f"{event['kind']} on the engine alone", _shown(event))


def _blocks(a: list[Any], b: list[Any]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Yield the parts of two lists that are the same and those that are not, in their order.

    They are aligned in windows: the time for whole runs, in which loops repeat the same keys, is quadratic.
    """
    i = k = 0
    while i < len(a) or k < len(b):
        length = next((n for n, (x, y) in enumerate(zip(a[i:], b[k:], strict=False)) if x != y), None)
        if length is None:
            length = min(len(a) - i, len(b) - k)
        if length:
            yield True, i, i + length, k, k + length
            i, k = i + length, k + length
        here, there = a[i : i + WINDOW], b[k : k + WINDOW]
        matcher = SequenceMatcher(None, here, there, autojunk=False)
        # The end of a window looks different for what is beyond it.
        ends = i + WINDOW >= len(a) and k + WINDOW >= len(b)
        blocks = [one for one in matcher.get_matching_blocks() if one.size]
        if blocks and not ends:
            blocks = [one for one in blocks if one.a < WINDOW // 2] or blocks[:1]
        at, to = 0, 0
        for one in blocks:
            if at < one.a or to < one.b:
                yield False, i + at, i + one.a, k + to, k + one.b
            yield True, i + one.a, i + one.a + one.size, k + one.b, k + one.b + one.size
            at, to = one.a + one.size, one.b + one.size
        if ends or not blocks:
            if at < len(here) or to < len(there):
                yield False, i + at, i + len(here), k + to, k + len(there)
            at, to = len(here), len(there)
        i, k = i + at, k + to


def _key(event: Event) -> tuple[Any, ...]:
    """Return what two events have in common that are the same moment."""
    kind = event["kind"]
    if kind in ("op_applied", "graph_rebased"):
        return kind, event["line"], event["node"]["node"]
    return (kind, *[event[name] for name in _SUBJECTS.get(kind, ())])


_SUBJECTS = {
    "backward_finished": ("call",),
    "backward_started": ("call",),
    "buffer_freed": ("node", "slot"),
    "error_raised": ("line", "stage", "type"),
    "grad_accumulated": ("call", "node"),
    "grad_cleared": ("line",),
    "gradient_captured": ("call", "node"),
    "gradient_sent": ("call", "node", "input_nr"),
    "node_created": ("line", "node"),
    "node_finished": ("call", "node"),
    "node_started": ("call", "node"),
    "optimizer_stepped": ("line", "number"),
}
"""The fields that identify a moment among those of its kind."""


def _fields(mine: Event, yours: Event) -> Iterator[Difference]:
    for name in sorted({*mine, *yours}):
        a, b = mine.get(name), yours.get(name)
        if not _alike(a, b):
            where = " ".join(map(str, _key(mine)[1:]))
            yield Difference(f"{mine['kind']}.{name}", f"{where}: {_short(a, b)} | {_short(b, a)}")


# Any: parts of events.
def _alike(a: Any, b: Any, relative: float = USUALLY, size: float = 0.0) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        if "dtype" in a and "norm" in a:
            relative, size = RELATIVE.get(a["dtype"].removeprefix("torch."), USUALLY), _largest(a)
        return a.keys() == b.keys() and all(_alike(a[k], b[k], relative, size) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_alike(x, y, relative, size) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) or isinstance(b, float):
        if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
            return a == b
        return math.isclose(a, b, rel_tol=relative, abs_tol=relative * max(size, LEAST_SIZE))
    if isinstance(a, str) and isinstance(b, str) and a != b:
        return _is_number(a) and _is_number(b) and _alike(float(a), float(b), relative, size)
    return bool(a == b)


def _is_number(text: str) -> bool:
    """Return True for the text of a number, as values have it that are no tensors."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _largest(summary: dict[str, Any]) -> float:
    norm = summary["norm"]
    return float(norm) if isinstance(norm, (int, float)) else 0.0


def _short(one: Any, other: Any) -> str:
    """Return the part of one value in which it differs from another."""
    if isinstance(one, dict) and isinstance(other, dict) and "norm" not in one:
        parts = [f"{k}: {_short(v, other.get(k))}" for k, v in one.items() if k not in other or not _alike(v, other[k])]
        return "{" + ", ".join(parts) + "}"
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return "[" + ", ".join(_short(x, y) for x, y in zip(one, other, strict=True) if not _alike(x, y)) + "]"
    return _shown(one)


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "kind" in value:
        parts = {k: v for k, v in value.items() if v is not None and not isinstance(v, (dict, list))}
        return " ".join(f"{k}={v}" for k, v in parts.items())[:300]
    if isinstance(value, dict) and "values" in value:
        return f"{value['dtype']}{value['shape']}{value['strides']} {value['values'][:4]}"
    return str(value)[:200]
