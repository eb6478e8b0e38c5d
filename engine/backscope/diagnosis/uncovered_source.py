"""Why the backward pass of scatter_add and its kin fails where src has more elements than the index."""

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
    """How a tensor is cut to another shape, as "src[:, :2]"; shapes as messages have them, "2, 5"."""
    slices = [":" if a == b else f":{b}" for a, b in zip(shape.split(", "), wanted.split(", "), strict=True)]
    while slices and slices[-1] == ":":
        slices.pop()
    return f"{name}[{', '.join(slices)}]"


def said(src: str, index: str, found: re.Match[str]) -> tuple[str, str]:
    """Cause and fix, with what the program calls src and the index."""
    function, wanted, shape = found.groups()
    return (
        f"{src} has more elements than {index}: it has shape [{shape}], and {index}, of shape [{wanted}], reads only "
        f"as many of it. Forward passes over the rest, and the formula of {function}Backward0 gives a gradient of the "
        "shape of the index.",
        f"Cut it to the shape of the index before the op: {cut(src, shape, wanted)}.",
    )


WRONG_FIX = "Padding the index to that shape runs, and adds elements to the result that are not meant."


def uncovered(error: BaseException, recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    """The diagnosis of a gradient that has the shape of the index."""
    found = UNCOVERED.search(str(error))
    assert found is not None
    node = facts["node"]
    cause, fix = said("src", "the index", found)
    return Diagnosis(
        cause=cause,
        fix=fix,
        wrong_fix=WRONG_FIX,
        lines=[x for x in dict.fromkeys((recorder.made_at(node), line)) if x is not None],
        nodes=[node.token.node] if node.token is not None else [],
        tensors=[],
    )
