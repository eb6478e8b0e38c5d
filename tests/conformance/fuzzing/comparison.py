"""Finds the first difference between two runs of a program."""

from __future__ import annotations

import cmath
import re
from dataclasses import dataclass
from typing import Any

from fuzzing.observation import Step

TOLERANCES = {
    "torch.float64": 1e-9,
    "torch.complex128": 1e-9,
    "torch.float32": 2e-4,
    "torch.complex64": 2e-4,
    "torch.bfloat16": 4e-2,
    "torch.float16": 4e-3,
}
"""The tolerance for numbers of each type."""

IGNORED = re.compile("torch.jit.script|Attempted to insert a get_attr Node|performance drop because we have not yet")
"""Warnings that are about how PyTorch is made: what it compiles when first used, and where it maps by a loop."""


@dataclass(frozen=True)
class Difference:
    """The first difference of two runs: `what` differs after the statement, of the variable `name`.

    `failed` where the statement raised the same error in both.
    """

    statement: int
    what: str
    name: str
    ours: str
    theirs: str
    shape: tuple[int, ...] = ()
    failed: bool = False

    @property
    def kind(self) -> str:
        """Return the kind of the difference, without variables and numbers: each kind is reported once."""
        if self.what in ("error", "warning"):
            return f"{self.what}: {_shape(self.ours)} | {_shape(self.theirs)}"
        if self.what in ("grad_fn", "graph of grad"):
            return f"{self.what}: {self.ours.partition('(')[0]} | {self.theirs.partition('(')[0]}"
        ours, theirs = (_shape(text) if "Error" in text else "" for text in (self.ours, self.theirs))
        return f"{self.what}: {ours} | {theirs}"

    def __str__(self) -> str:
        of = f" of {self.name}" if self.name else ""
        where = f"after statement {self.statement + 1}, {self.what}{of}"
        return f"{where}\n  Backscope: {self.ours}\n  PyTorch:   {self.theirs}"


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\b[a-zA-Z]\d+\b", "v", text))[:160]


def close(a: Any, b: Any, tolerance: float) -> bool:
    """Return whether nested lists have the same numbers, NaN and infinities in the same places."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(close(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex)):
        if isinstance(a, complex) or isinstance(b, complex):
            a, b = complex(a), complex(b)
            return close(a.real, b.real, tolerance * max(1.0, abs(b) if cmath.isfinite(b) else 1.0)) and close(
                a.imag, b.imag, tolerance * max(1.0, abs(b) if cmath.isfinite(b) else 1.0)
            )
        if a != a or b != b:
            return (a != a) == (b != b)
        return a == b or (abs(a - b) <= tolerance * max(1.0, abs(a), abs(b)) and abs(a) != float("inf"))
    return bool(a == b)


def _differing(ours: dict[str, Any], theirs: dict[str, Any], coarsest: float) -> str | None:
    for what, value in theirs.items():
        found = ours[what]
        if what == "values":
            if not close(found, value, max(TOLERANCES.get(theirs["dtype"], 0.0), coarsest)):
                return what
        elif what == "grad" and isinstance(value, dict) and isinstance(found, dict):
            for inner, wanted in value.items():
                tolerance = max(TOLERANCES.get(value["dtype"], 0.0), coarsest) if inner == "values" else 0.0
                if not close(found[inner], wanted, tolerance):
                    return f"{inner} of grad" if inner == "graph" else what
        elif found != value:
            return what
    return None


def difference(ours: list[Step], theirs: list[Step]) -> Difference | None:
    """Return the first difference of two runs; numbers may differ by the tolerance of the coarsest type in it."""
    kinds = {state["dtype"] for step in theirs for state in step.tensors.values()}
    coarsest = max([TOLERANCES.get(kind, 0.0) for kind in kinds], default=0.0)
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a.error != b.error:
            return Difference(number, "error", "", a.error or "none", b.error or "none")
        if a.printed != b.printed:
            return Difference(number, "output", "", a.printed, b.printed)
        if [w for w in a.warned if not IGNORED.search(w)] != [w for w in b.warned if not IGNORED.search(w)]:
            return Difference(number, "warning", "", "; ".join(a.warned) or "none", "; ".join(b.warned) or "none")
        if a.tensors.keys() != b.tensors.keys():
            return Difference(number, "names", "", str(sorted(a.tensors)), str(sorted(b.tensors)))
        for name, state in b.tensors.items():
            what = _differing(a.tensors[name], state, coarsest)
            if what == "graph of grad":
                graphs = a.tensors[name]["grad"]["graph"], state["grad"]["graph"]
                return Difference(number, what, name, *graphs, state["shape"], bool(b.error))
            if what is not None:
                values = str(a.tensors[name][what]), str(state[what])
                return Difference(number, what, name, *values, state["shape"], bool(b.error))
    return None
