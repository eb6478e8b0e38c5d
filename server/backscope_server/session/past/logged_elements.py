"""Reads the elements of small tensors at any moment from the log of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from backscope.protocol import events as ev
from backscope.protocol.commands import ReadTensor, TensorRead
from backscope.protocol.event_parts import Summary

_FAR = 100_000
"""The most events that are searched."""
_AT_ONCE = 1000
_DECODED = 10_000
"""The most events that are decoded."""
_MUTATED = ev.opening(ev.TensorMutated)
_IN_PLACE = b'"in_place":true'
_RELEASED = ev.opening(ev.TensorReleased)


def read_elements(
    lines: Sequence[bytes], seq: int, command: ReadTensor, yield_thread: Callable[[], None] = lambda: None
) -> TensorRead | None:
    """Return the elements that `command` reads, as they were after event `seq`; None where the log lacks some of them.

    `yield_thread` is called about every millisecond of work.
    """
    if command.of != "data":
        return None
    value = _value(lines, seq, command.tensor, yield_thread)
    if value is None or len(value.values) != math.prod(value.shape):
        return None
    dims = len(value.shape)
    if max(len(command.begin), len(command.end)) > dims:
        return None
    begin = [*command.begin, *[0] * (dims - len(command.begin))]
    end = [*command.end, *value.shape[len(command.end) :]]
    places = np.arange(len(value.values)).reshape(value.shape)
    part = places[tuple([slice(a, b) for a, b in zip(begin, end, strict=True)])]
    return TensorRead(
        id=command.id,
        whole=value.shape,
        shape=list(part.shape),
        dtype=value.dtype,
        values=[value.values[place] for place in part.reshape(-1).tolist()],
    )


def _value(lines: Sequence[bytes], seq: int, tensor: int, yield_thread: Callable[[], None]) -> Summary | None:
    named, graded = b'"tensor":%d,' % tensor, b'"grad":%d,' % tensor
    released = b'"tensor":%d}' % tensor
    changed: set[int] = set()
    decoded = 0
    for end in range(seq + 1, max(0, seq + 1 - _FAR), -_AT_ONCE):
        if end <= seq:
            yield_thread()
        text = b"\n".join(lines[max(0, end - _AT_ONCE) : end])
        # Most of a log has nothing to do with the tensor, which is quick to see of many events at once.
        if any(part in text for part in (named, graded, released, _MUTATED, _IN_PLACE)):
            for line in reversed(text.split(b"\n")):
                if line.startswith(_RELEASED):
                    if line.endswith(released):
                        return None
                    continue
                if not (named in line or graded in line or line.startswith(_MUTATED) or _IN_PLACE in line):
                    continue
                decoded += 1
                if decoded > _DECODED:
                    return None
                found, value = _value_in(ev.decode(line), tensor, changed)
                if found:
                    return value
    return None


def _value_in(event: ev.Event, tensor: int, changed: set[int]) -> tuple[bool, Summary | None]:
    """Return whether an event has the value of a tensor, and the value, None where the storage is in `changed`."""
    if isinstance(event, ev.TensorMutated):
        if event.tensor == tensor:
            return True, event.value if event.storage not in changed else None
        changed.add(event.storage)
    elif isinstance(event, ev.GradAccumulated) and event.grad == tensor:
        return True, event.after
    elif isinstance(event, ev.TensorCreated) and event.info.tensor == tensor:
        return True, event.info.value if event.info.storage not in changed else None
    elif isinstance(event, ev.OpApplied):
        for info in event.outputs:
            if info.tensor == tensor:
                return True, info.value if info.storage not in changed else None
            if event.in_place:
                changed.add(info.storage)
    return False, None
