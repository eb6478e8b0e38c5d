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
    made = rf"{found.name}(, \w+)? = .*(torch.func|torch.vmap|unpack_dual|\.grad$|checkpoint)"
    return (
        found.what == "version" and re.search(rf"{found.name}, = torch.autograd.grad|{made}", whole, re.M) is not None
    )


HOOK = re.compile(r"^hook (\(.*?\)) \(.*?\)$", re.M)
"""The shape in what a hook prints of its gradient: `hook SHAPE STRIDES`."""


def _strides_of_nothing(found: Difference, text: str, whole: str) -> bool:
    if found.what == "output":
        shapes = HOOK.findall(found.ours)
        same = HOOK.sub(r"\1", found.ours) == HOOK.sub(r"\1", found.theirs)
        return same and any(re.search(r"\b0\b", shape) for shape in shapes)
    return found.what in ("strides", "offset", "grad") and 0 in found.shape


def _strides_of_one(found: Difference, text: str, whole: str) -> bool:
    if found.what != "strides" or "(" not in found.ours:
        return False
    pairs = zip(found.shape, found.ours.strip("()").split(","), found.theirs.strip("()").split(","), strict=False)
    return all(n == 1 or a.strip() == b.strip() for n, a, b in pairs)


def _strides_of_batch(found: Difference, text: str, whole: str) -> bool:
    return found.what == "strides" and any(t in whole for t in ("vmap", "jacfwd", "jacrev", "hessian"))


def _graph_of_tangent(found: Difference, text: str, whole: str) -> bool:
    return found.what == "grad_fn" and any(t in whole for t in ("jvp", "dual_level", "linearize"))


def _lazy_gradient(found: Difference, text: str, whole: str) -> bool:
    return found.what == "conjugated" and "autograd.grad" in whole


def _no_memory(found: Difference, text: str, whole: str) -> bool:
    return found.what in ("values", "grad") and "unallocated storage" in found.theirs


def _never_written(found: Difference, text: str, whole: str) -> bool:
    return found.what == "values" and "resize_(" in whole


def _out_of_one_place(found: Difference, text: str, whole: str) -> bool:
    written = re.search(r"torch\.(tril|logsumexp)\(.*out=", text) is not None and "expand(" in whole
    return written and (found.what == "values" or (found.what == "error" and "single memory" in found.ours))


def _triangle_of_vectors(found: Difference, text: str, whole: str) -> bool:
    refused = found.ours.startswith("RuntimeError: tril: input tensor must have at least 2 dimensions")
    return found.what == "error" and refused and found.theirs == "none" and "vmap" in text


def _other_error(found: Difference, text: str, whole: str) -> bool:
    inside = any(t in text for t in ("torch.func.", "torch.vmap", "dual_level", "make_dual", "checkpoint(", "out="))
    return found.what == "error" and inside and "none" not in (found.ours, found.theirs)


KNOWN: dict[str, Callable[[Difference, str, str], bool]] = {
    "what a mapped op records is about dims of its batch, which is laid out in another order here": _graph_of_batch,
    "what is written to elements that share memory depends on the order of a loop in C++": _written_twice,
    "how often a new gradient was changed depends on the steps of the formula in C++": _version_of_gradient,
    "arrays without elements have no strides in numpy": _strides_of_nothing,
    "the stride of a dim of length 1 leads nowhere": _strides_of_one,
    "a tangent is computed from its primal itself, where PyTorch makes an alias of it first": _graph_of_tangent,
    "formulas compute conjugates at once": _lazy_gradient,
    "zeros that PyTorch makes without memory have memory": _no_memory,
    "memory that nobody has written to": _never_written,
    "threads race to write a triangle into an expanded out, and logsumexp fails halfway": _out_of_one_place,
    "PyTorch takes mapped vectors for a matrix; a gradient of ones is not mapped here": _triangle_of_vectors,
    "of several errors in one call another one comes first": _other_error,
    "a mapped op lays its batch out by itself": _strides_of_batch,
}
"""Why a difference stays, and which ones these are: by the difference, its statement and the whole program."""


def known(found: Difference, program: Program) -> bool:
    """Whether a difference is one that stays."""
    text = program.statements[found.statement].source()
    return any(stays(found, text, program.text()) for stays in KNOWN.values())
