"""How much each field of an event, or of an answer, may hold.

The recorder cuts what it tells to these bounds, and a server refuses what exceeds them.
"""

from __future__ import annotations

INT64 = (-(2**63), 2**63 - 1)
COUNT = (0, 2**53)
IDENTITY = (1, 2**53)
_SIZE = (0, 2**63 - 1)

NUMBERS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("seq", "version", "nan_count", "inf_count", "input_nr", "output_nr"), COUNT),
    **dict.fromkeys(("number", "times", "round", "rounds", "group", "depth", "level", "line", "lines"), COUNT),
    **dict.fromkeys(("left_out", "frames_left_out"), COUNT),
    **dict.fromkeys(("tensor", "tensors", "node", "nodes", "storage", "base", "call"), IDENTITY),
    **dict.fromkeys(("caller", "module", "loop", "outer", "during", "parent", "roots", "root_nodes"), IDENTITY),
    **dict.fromkeys(("inputs", "to_node", "grad", "checkpoint", "unchanged", "kept"), IDENTITY),
    **dict.fromkeys(("nbytes", "shape", "reduced_from", "repeat", "protocol", "seed"), _SIZE),
}
"""What the whole numbers in a field of this name may be; the others fit INT64."""

UNBOUNDED = "sequence_nr"
"""PyTorch's number of an AccumulateGrad, 2**64 - 1, is more than a bound can be."""

ITEMS = 1 << 16
DEEPEST = 50
"""How many frames of a stack an event has at most."""

LENGTHS = {
    "shape": 64,
    "strides": 64,
    "reduced_from": 64,
    "values": 256,
    "traceback": DEEPEST,
    "stack": DEEPEST,
    "TensorRead.values": 1 << 22,
}
"""How many items a list in a field of this name may have, or in the field of this struct."""

CHARACTERS = 10_000
LONG = 1 << 20
TEXTS = {**dict.fromkeys(("text", "message", "cause", "fix", "wrong_fix"), LONG), "source": 1 << 30}
"""How many characters a field of this name may have; a source is measured before it is run."""

EVENT_BYTES = 1_000_000
"""The size that a recorded event has at most but for the program's source: what any server takes."""


def items(owner: str, field: str) -> int:
    """How many items a list or dict in a struct's field may have."""
    return LENGTHS.get(f"{owner}.{field}", LENGTHS.get(field, ITEMS))


def characters(field: str) -> int:
    """How many characters a text in a field may have."""
    return TEXTS.get(field, CHARACTERS)
