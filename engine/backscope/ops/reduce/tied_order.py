"""The order of equal elements after an unstable sort, which PyTorch leaves to the C++ library.

Each line of elements is given as its ranks, a list of integers in which equal elements have equal ranks, and the result
is a list of indices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.low_precision import wide
from backscope.runtime.given import Array, Value

SHORT = 16
"""Lines up to here are sorted by insertion, which keeps equal elements as they were."""
LONGEST = 100_000
"""Equal elements of longer lines keep their order too: to follow the C++ library element by element takes too long."""

Line = tuple[list[int], list[int]]


def ordered(value: Value, dim: int, *, descending: bool) -> Array:
    """The indices that sort along a dim, NaN counting as the largest, as std::sort orders equal elements."""
    return _along(value, dim, descending, value.shape[dim], _sort, shortest=SHORT)


def first_ordered(value: Value, dim: int, count: int, *, descending: bool, ordered: bool) -> Array:
    """The indices of the first `count` elements along a dim, sorted or not, NaN counting as the largest."""
    n = value.shape[dim]

    def best(line: Line) -> None:
        if not count:
            return
        if count * 64 <= n:
            _partial_sort(line, 0, count, n)
            return
        _select(line, count - 1)
        if ordered:
            head = (line[0][: count - 1], line[1][: count - 1])
            _sort(head)
            line[0][: count - 1], line[1][: count - 1] = head

    return _along(value, dim, descending, count, best, untied=not ordered)


def selected(value: Value, dim: int, place: int) -> Array:
    """Return for each line along a dim the index that PyTorch's own quickselect finds for a rank."""
    lines, _ = _ranks(value, dim, descending=False)
    found = np.empty(lines.shape[:-1], np.int64)
    for at in np.ndindex(*found.shape):
        line = (lines[at].tolist(), list(range(lines.shape[-1])))
        _quick_select(line, place)
        found[at] = line[1][place]
    return np.expand_dims(found, dim)


def _ranks(value: Value, dim: int, *, descending: bool) -> tuple[Any, Any]:
    """Return the ranks of the lines along a dim, moved to the end, and their stable order."""
    lines = np.moveaxis(wide(value), dim, -1)  # numpy has no order of bfloat16 with NaN.
    if descending:
        n = lines.shape[-1]
        order = n - 1 - np.argsort(lines[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    else:
        order = np.argsort(lines, axis=-1, kind="stable")
    put = np.take_along_axis(lines, order, -1)
    a, b = put[..., 1:], put[..., :-1]
    steps = (a != b) & ~((a != a) & (b != b))
    ranks = np.zeros(lines.shape, np.int64)
    np.put_along_axis(ranks, order[..., 1:], np.cumsum(steps, -1), -1)
    return ranks, order


def _along(
    value: Value,
    dim: int,
    descending: bool,
    count: int,
    arrange: Callable[[Line], None],
    *,
    shortest: int = 0,
    untied: bool = False,
) -> Any:
    """The first indices of each line as `arrange` puts them; `untied` lines too, which otherwise have but one order."""
    lines, order = _ranks(value, dim, descending=descending)
    n = lines.shape[-1]
    found = np.array(order[..., :count])
    if shortest < n <= LONGEST:
        for at in np.ndindex(*lines.shape[:-1]):
            if untied or lines[at].max() < n - 1:
                line = (lines[at].tolist(), list(range(n)))
                arrange(line)
                found[at] = line[1][:count]
    return np.ascontiguousarray(np.moveaxis(found, -1, dim))


def _swap(line: Line, i: int, j: int) -> None:
    for part in line:
        part[i], part[j] = part[j], part[i]


def _partition(line: Line, start: int, end: int) -> int:
    """Smaller elements first, by the median of three as the pivot; where the larger ones begin."""
    ranks, places = line
    a, b, c = start + 1, start + (end - start) // 2, end - 1
    x, y, z = ranks[a], ranks[b], ranks[c]
    if x < y:
        middle = b if y < z else c if x < z else a
    else:
        middle = a if x < z else c if y < z else b
    _swap(line, start, middle)
    pivot = ranks[start]
    i, j = start + 1, end
    while True:
        while ranks[i] < pivot:
            i += 1
        j -= 1
        while pivot < ranks[j]:
            j -= 1
        if i >= j:
            return i
        ranks[i], ranks[j] = ranks[j], ranks[i]
        places[i], places[j] = places[j], places[i]
        i += 1


def _sort(line: Line) -> None:
    n = len(line[0])
    waiting = [(0, n, 2 * (n.bit_length() - 1))] if n else []
    while waiting:
        start, end, depth = waiting.pop()
        while end - start > SHORT:
            if not depth:
                _partial_sort(line, start, end, end)
                break
            depth -= 1
            cut = _partition(line, start, end)
            waiting.append((cut, end, depth))
            end = cut
    _insert(line, 0, n)


def _insert(line: Line, start: int, end: int) -> None:
    """Sort by insertion, which keeps equal elements as they were."""
    order = sorted(range(start, end), key=line[0].__getitem__)
    for part in line:
        part[start:end] = [part[i] for i in order]


def _select(line: Line, place: int) -> None:
    """The element of a place in the sorted line put there, smaller ones before it."""
    start, end = 0, len(line[0])
    depth = 2 * (end.bit_length() - 1)
    while end - start > 3:
        if not depth:
            _heap_select(line, start, place + 1, end)
            _swap(line, start, place)
            return
        depth -= 1
        cut = _partition(line, start, end)
        if cut <= place:
            start = cut
        else:
            end = cut
    _insert(line, start, end)


def _partial_sort(line: Line, start: int, middle: int, end: int) -> None:
    _heap_select(line, start, middle, end)
    for last in range(middle - 1, start, -1):
        _pop_heap(line, start, last, last)


def _heap_select(line: Line, start: int, middle: int, end: int) -> None:
    n = middle - start
    for parent in range((n - 2) // 2, -1, -1):
        _sift(line, start, parent, n, (line[0][start + parent], line[1][start + parent]))
    for i in range(middle, end):
        if line[0][i] < line[0][start]:
            _pop_heap(line, start, middle, i)


def _pop_heap(line: Line, start: int, end: int, result: int) -> None:
    value = line[0][result], line[1][result]
    for part in line:
        part[result] = part[start]
    _sift(line, start, 0, end - start, value)


def _sift(line: Line, start: int, hole: int, n: int, value: tuple[int, int]) -> None:
    """Move a hole in the heap down to the bottom, and then up to the position of the value for it."""
    ranks = line[0]
    top, child = hole, hole
    while child < (n - 1) // 2:
        child = 2 * (child + 1)
        if ranks[start + child] < ranks[start + child - 1]:
            child -= 1
        _move(line, start + child, start + hole)
        hole = child
    if n % 2 == 0 and child == (n - 2) // 2:
        child = 2 * child + 1
        _move(line, start + child, start + hole)
        hole = child
    while hole > top and ranks[start + (hole - 1) // 2] < value[0]:
        _move(line, start + (hole - 1) // 2, start + hole)
        hole = (hole - 1) // 2
    line[0][start + hole], line[1][start + hole] = value


def _move(line: Line, source: int, target: int) -> None:
    for part in line:
        part[target] = part[source]


def _quick_select(line: Line, place: int) -> None:
    ranks = line[0]
    low, high = 0, len(ranks) - 1
    while high > low:
        if high == low + 1:
            if ranks[low] > ranks[high]:
                _swap(line, low, high)
            return
        _swap(line, low + (high - low) // 2, low + 1)
        for a, b in ((low + 1, high), (low, high), (low + 1, low)):
            if ranks[a] > ranks[b]:
                _swap(line, a, b)
        i, j, pivot = low + 1, high, ranks[low]
        while True:
            i += 1
            while pivot > ranks[i]:
                i += 1
            j -= 1
            while ranks[j] > pivot:
                j -= 1
            if j < i:
                break
            _swap(line, i, j)
        _swap(line, low, j)
        if j <= place:
            low = i
        if j >= place:
            high = j - 1
