"""Differences that stay, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable

from fuzzing.comparison import Difference
from fuzzing.statements import Program


def _graph_of_batch(found: Difference, text: str, whole: str) -> bool:
    return found.what == "grad_fn" and any(t in whole for t in ("vmap", "jacfwd", "jacrev", "hessian"))


def _written_twice(found: Difference, text: str, whole: str) -> bool:
    return found.what in ("values", "grad") and ("unfold" in whole or "as_strided" in whole)


def _version_of_gradient(found: Difference, text: str, whole: str) -> bool:
    return found.what == "version" and re.search(rf"{found.name}, = torch.autograd.grad", whole) is not None


KNOWN: dict[str, Callable[[Difference, str, str], bool]] = {
    "what a mapped op records is about dims of its batch, which is laid out in another order here": _graph_of_batch,
    "what is written to elements that share memory depends on the order of a loop in C++": _written_twice,
    "how often a new gradient was changed depends on the steps of the formula in C++": _version_of_gradient,
}
"""Why a difference stays, and which ones these are: by the difference, its statement and the whole program."""


def known(found: Difference, program: Program) -> bool:
    """Whether a difference is one that stays."""
    text = program.statements[found.statement].source()
    return any(stays(found, text, program.text()) for stays in KNOWN.values())
