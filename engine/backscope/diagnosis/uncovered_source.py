"""Explains why the backward pass of scatter_add and similar ops fails if src has more elements than the index."""

from __future__ import annotations

import re
from typing import Any

from backscope.diagnosis.recorded_run import RecordedRun
from backscope.protocol.events import Diagnosis

UNCOVERED = re.compile(
    r"Function (Scatter\w*)Backward0 returned an invalid gradient at index 1 - got \[(.*)\] but expected shape "
    r"compatible with \[(.*)\]"
)


def cut(name: str, shape: str, wanted: str) -> str:
    """Return the slice that gives a tensor another shape, as "src[:, :2]"; shapes are texts such as "2, 5"."""
    slices = [":" if a == b else f":{b}" for a, b in zip(shape.split(", "), wanted.split(", "), strict=True)]
    while slices and slices[-1] == ":":
        slices.pop()
    return f"{name}[{', '.join(slices)}]"


def sentences(src: str, index: str, found: re.Match[str]) -> tuple[str, str]:
    """Return the cause and the fix, with the program's names of src and the index."""
    function, wanted, shape = found.groups()
    return (
        f"{src} has more elements than {index}: it has shape [{shape}], and {index}, of shape [{wanted}], reads only "
        f"as many of it. Forward passes over the rest, and the formula of {function}Backward0 gives a gradient of the "
        "shape of the index.",
        f"Cut it to the shape of the index before the op: {cut(src, shape, wanted)}.",
    )


WRONG_FIX = "Padding the index to that shape runs, and adds elements to the result that are not meant."


def uncovered(error: BaseException, recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    """Return the diagnosis of a gradient that has the shape of the index."""
    found = UNCOVERED.search(str(error))
    assert found is not None
    node = facts["node"]
    cause, fix = sentences("src", "the index", found)
    return Diagnosis(
        cause=cause,
        fix=fix,
        wrong_fix=WRONG_FIX,
        lines=[x for x in dict.fromkeys((recorder.made_at(node), line)) if x is not None],
        nodes=[node.token.node] if node.token is not None else [],
        tensors=[],
    )
