"""The elements of small tensors at any moment, as the log of a run tells them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from backscope import events as ev
from backscope.commands import ReadTensor, TensorRead
from backscope.event_parts import Summary

_FAR = 100_000
"""How many events are looked through, at most."""
_MUTATED = b'{"kind":"tensor_mutated",'
_IN_PLACE = b'"in_place":true'


def told(lines: Sequence[bytes], seq: int, command: ReadTensor) -> TensorRead | None:
    """What a command would read after event `seq`; None where the log does not have all of it, or not for sure."""
    if command.of != "data":
        return None
    value = _value(lines, seq, command.tensor)
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


def _value(lines: Sequence[bytes], seq: int, tensor: int) -> Summary | None:
    named, graded = b'"tensor":%d,' % tensor, b'"grad":%d,' % tensor
    released = b'{"kind":"tensor_released",'
    changed: set[int] = set()
    for at in range(seq, max(-1, seq - _FAR), -1):
        line = lines[at]
        if line.startswith(released):
            if line.endswith(b'"tensor":%d}' % tensor):
                return None
            continue
        if not (named in line or graded in line or line.startswith(_MUTATED) or _IN_PLACE in line):
            continue
        event = ev.decode(line)
        if isinstance(event, ev.TensorMutated):
            if event.tensor == tensor:
                return event.value if event.storage not in changed else None
            changed.add(event.storage)
        elif isinstance(event, ev.GradAccumulated) and event.grad == tensor:
            return event.after
        elif isinstance(event, ev.TensorCreated) and event.info.tensor == tensor:
            return event.info.value if event.info.storage not in changed else None
        elif isinstance(event, ev.OpApplied):
            for info in event.outputs:
                if info.tensor == tensor:
                    return info.value if info.storage not in changed else None
                if event.in_place:
                    changed.add(info.storage)
    return None
