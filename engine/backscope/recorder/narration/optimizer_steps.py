"""Makes the events of steps of optimizers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from backscope.protocol import events as ev
from backscope.recorder.narration.forward_moments import tensor_mutated, text
from backscope.recorder.narration.narrator import Captured, Line, Narrator, clean
from backscope.summary.json_numbers import number as real
from backscope.summary.summary import Blank, Digest, Held


def optimizer_stepped(
    n: Narrator,
    seq: int,
    line: Line,
    name: str,
    number: int,
    groups: list[tuple[Any, list[tuple[str, Any]]]],
    updates: list[tuple[Any, ...]],
    unchanged: list[int],
) -> Iterator[ev.Event]:
    """Yield the event of a step, then one for each in-place change that has none yet."""
    yield ev.OptimizerStepped(
        seq=seq,
        line=line,
        optimizer=clean(name),
        number=number,
        groups=[
            ev.ParameterGroup(
                lr=None if lr is None else real(lr), options={clean(key): text(value) for key, value in options}
            )
            for lr, options in groups
        ],
        updates=[
            ev.ParameterUpdate(
                tensor=tensor,
                name=None if named is None else clean(named),
                group=group,
                before=n.summary(before),
                grad=n.optional(grad),
                after=n.summary(after),
                change=n.optional(_change(before, after) if change is None else change.result()),
                state={clean(key): n.summary(value) if is_tensor else text(value) for key, value, is_tensor in state},
            )
            for tensor, _, _, _, named, group, before, grad, after, change, state in updates
        ],
        unchanged=unchanged,
    )
    for tensor, storage, version, recorded, *_, after, _, _ in updates:
        if not recorded:
            seq += 1
            yield from tensor_mutated(n, seq, line, tensor, storage, version, f"{clean(name)}.step", after, None)


def _change(before: Captured, after: Captured) -> Captured:
    """Return what a step added to a small parameter; None where the two cannot be compared."""
    before, after = (v.capture() if v.__class__ is Held else v for v in (before, after))
    if isinstance(before, (Digest, Blank)) or isinstance(after, (Digest, Blank)):
        return None
    if before.shape != after.shape or before.dtype != after.dtype or after.dtype.kind == "b":
        return None
    return np.subtract(after, before)
