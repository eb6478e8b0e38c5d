"""Saved tensors that were overwritten without a change of their version counter, as through `.data`."""

from __future__ import annotations

from typing import NamedTuple

from backscope.diagnosis.why.log.facts import NodeFacts, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


def _counts_apart(tape: Tape, tensor: int) -> bool:
    """Return whether a tensor is, or is a view of, an alias such as `x.data` with a version counter of its own."""
    seen: set[int] = set()
    here: int | None = tensor
    while here is not None and here in tape.tensors and here not in seen:
        seen.add(here)
        if tape.source(here) is not None:
            return True
        made = tape.tensors[here].made
        if not isinstance(made, ev.OpApplied) or not made.is_view or not made.inputs:
            return False
        here = made.inputs[0].tensor
    return False


class Overwritten(NamedTuple):
    """A node computed its gradient with the value that `change` wrote to `slot`, not with the saved one."""

    node: NodeFacts
    slot: str
    change: ev.TensorMutated


def overwritten(tape: Tape, node: NodeFacts, call: int) -> Overwritten | None:
    """Return the change that a node's pass did not notice; one that the version counter counts raises an error."""
    run = node.run(call)
    if node.info is None or node.op is None or run is None:
        return None
    for saved in node.info.saved:
        for change in reversed(until(tape.mutations.get(saved.storage, []), run.seq)):
            if change.seq < node.op.seq:
                break
            if _counts_apart(tape, change.tensor):
                return Overwritten(node, saved.slot, change)
    return None
