"""Lists the known differences to PyTorch that stay, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable

from fuzzing.comparison import Difference
from fuzzing.statements import Program


def _graph_of_batch(found: Difference, text: str, whole: str) -> bool:
    graph = found.what in ("grad_fn", "graph of grad")
    return graph and any(t in whole for t in ("vmap", "jacfwd", "jacrev", "hessian"))


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
    graph = found.what in ("grad_fn", "graph of grad")
    return graph and any(t in whole for t in ("jvp", "dual_level", "linearize"))


def _lazy_gradient(found: Difference, text: str, whole: str) -> bool:
    return found.what == "conjugated" and "autograd.grad" in whole


def _no_memory(found: Difference, text: str, whole: str) -> bool:
    return found.what in ("values", "grad") and "unallocated storage" in found.theirs


def _never_written(found: Difference, text: str, whole: str) -> bool:
    # These give their out its shape before they look at its dtype.
    refused = found.failed and re.search(r"torch\.(mean|stack|std|var|gather)\(.*out=", text) is not None
    return found.what == "values" and ("resize_(" in whole or refused)


def _out_of_one_place(found: Difference, text: str, whole: str) -> bool:
    written = re.search(r"torch\.(tril|logsumexp)\(.*out=", text) is not None and "expand(" in whole
    return written and (found.what == "values" or (found.what == "error" and "single memory" in found.ours))


def _triangle_of_vectors(found: Difference, text: str, whole: str) -> bool:
    refused = found.ours.startswith("RuntimeError: tril: input tensor must have at least 2 dimensions")
    return found.what == "error" and refused and found.theirs == "none" and "vmap" in text


def _other_error(found: Difference, text: str, whole: str) -> bool:
    inside = any(t in text for t in ("torch.func.", "torch.vmap", "dual_level", "make_dual", "checkpoint(", "out="))
    if found.what != "error" or not inside or "none" in (found.ours, found.theirs):
        return False
    return found.ours.partition(":")[0] in (*_REFUSALS, found.theirs.partition(":")[0])


_REFUSALS = ("RuntimeError", "NotImplementedError", "ValueError")
"""Errors that say what an op refuses; any other may come from a mistake of Backscope's own."""


def _own_assertion(found: Difference, text: str, whole: str) -> bool:
    return found.what == "error" and "please report a bug to PyTorch" in found.theirs


def _version_of_inference(found: Difference, text: str, whole: str) -> bool:
    counted = found.what == "version" and found.ours.isdigit() and found.theirs.isdigit()
    if not counted or not 1 <= int(found.theirs) - int(found.ours) <= 3:
        return False
    inside = set(re.findall(r"\b\w\d+\b", " ".join(_INFERENCE.findall(whole))))
    for made, source in re.findall(r"^ *(.*?) = (.*)", whole, re.M):
        if inside & set(re.findall(r"\b\w\d+\b", source)):
            inside |= set(re.findall(r"\b\w\d+\b", made))
    return found.name in inside


_INFERENCE = re.compile(r"inference_mode\(.*\):\n((?: +.*\n?)+)")
"""The block that a program runs in inference mode."""


def _expanded_out(found: Difference, text: str, whole: str) -> bool:
    into = re.search(r"\.expand\([^=]*; torch\.\w+\(.*out=", text) is not None
    return into and (found.what == "values" or (found.what == "error" and found.theirs == "none"))


def _folded(found: Difference, text: str, whole: str) -> bool:
    if "linearize" not in text:
        return False
    if found.what == "error":
        once = found.theirs == "none" and "refers to a single memory location" in found.ours
        return once or found.theirs.endswith(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )
    if found.what == "grad" and "backward(" in text:
        return True
    return found.what in ("version", "values") and re.search(rf"\b{found.name}\b[^=]*_\(", text) is not None


def _hook_without_elements(found: Difference, text: str, whole: str) -> bool:
    """Return whether only strides differ that a hook prints of a gradient without elements."""
    pattern = re.compile(r"(hook \((?:\d+, )*0(?:, \d+)*,?\)) \(.*?\)")
    return found.what == "output" and pattern.sub(r"\1", found.ours) == pattern.sub(r"\1", found.theirs)


def _layout_without_elements(found: Difference, text: str, whole: str) -> bool:
    return found.what == "warning" and re.search(r"grad.sizes\(\) = \[(\d+, )*0[],]", found.ours) is not None


def _read_while_written(found: Difference, text: str, whole: str) -> bool:
    itself = re.search(r"\b(\w+)(\.\w+\(.*\))?\.\w+_\(.*\b\1\b", text) is not None
    return found.what in ("values", "grad") and "vmap" in text and itself


def _median_of_expanded(found: Difference, text: str, whole: str) -> bool:
    read = re.search(r"\b(\w+)(\.expand\(.*\))?\.median\(", text)
    if found.what != "values" or read is None:
        return False
    made = rf"^ *{read[1]}(,? \w+)*,? = .*(autograd\.grad|expand)"
    return read[2] is not None or re.search(made, whole, re.M) is not None


def _refused_out(found: Difference, text: str, whole: str) -> bool:
    name = re.search(r"dtype=torch\.(?:bool|int64)\)\S*; torch\.(softmax|log_softmax|lerp|linspace|addcmul)\(", text)
    return found.what == "values" and found.failed and name is not None


def _discarded_in_levels(found: Difference, text: str, whole: str) -> bool:
    parts = "Casting complex values to real discards the imaginary part"
    return found.what == "warning" and parts in found.ours and re.search("jacfwd|hessian|vmap", text) is not None


def _second_distance(found: Difference, text: str, whole: str) -> bool:
    return found.what in ("grad_fn", "graph of grad") and "torch.cdist" in whole


def _steps_in_out(found: Difference, text: str, whole: str) -> bool:
    steps = re.search(r"torch\.(logsumexp|mean|std|var)\(.*out=", text) is not None
    return steps and found.what == "values" and (found.failed or "expand(" in text)


def _read_beside_written(found: Difference, text: str, whole: str) -> bool:
    """Return whether a tensor is changed by a view of it that PyTorch does not see to overlap."""
    changed = re.search(r"\b(\w+)\b[^=]*\.\w+_\((\w+)\)", text)
    if found.what not in ("values", "grad") or changed is None:
        return False
    return re.search(rf"^ *{changed[2]} = {changed[1]}\.\w+\(", whole, re.M) is not None


def _set_in_level(found: Difference, text: str, whole: str) -> bool:
    setting = "requires_grad = True" in text or "requires_grad_()" in text
    return found.what == "requires_grad" and setting and "vmap" in text and "torch.func.grad" in text


def _numbers_in_levels(found: Difference, text: str, whole: str) -> bool:
    """Return whether the names of nodes differ only by the overload that multiplies or divides by a number."""
    ours, theirs = (re.sub(r"-, |, -|(?<=Backward)\d", "", graph) for graph in (found.ours, found.theirs))
    twice = len(re.findall(r"torch\.func\.(?:grad|vjp|jacrev)\(", text)) > 1
    return found.what in ("grad_fn", "graph of grad") and twice and ours == theirs


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
    "PyTorch ends with an assertion about itself": _own_assertion,
    "how often a kernel in C++ writes to what it returns is counted where its input is of inference mode": (
        _version_of_inference
    ),
    "what a loop in C++ leaves in memory that all elements of an expanded out= share": _expanded_out,
    "strides of what a hook gets without elements": _hook_without_elements,
    "the layout of a gradient without elements": _layout_without_elements,
    "a mapped op that reads what it writes depends on the order of a loop in C++": _read_while_written,
    "PyTorch's median of an expanded tensor reads memory beside it": _median_of_expanded,
    "an out= that was resized before its type was refused is memory that nobody has written to": _refused_out,
    "a mapped copy of complex numbers into real ones takes their real parts before": _discarded_in_levels,
    "the second derivative of cdist is a formula of several ops": _second_distance,
    "reductions of several steps write these into an out= that they refuse, or that is expanded": _steps_in_out,
    "a change by a view of the changed tensor depends on the order of a loop in C++": _read_beside_written,
    "a gradient of ones inside vmap is not mapped here, so setting requires_grad of it is not undone": _set_in_level,
    "formulas within two levels multiply by numbers with another overload": _numbers_in_levels,
    "linearize in PyTorch runs its function twice, and keeps what is constant in it as parameters": _folded,
}
"""Why a difference stays, and which ones these are: by the difference, its statement and the whole program."""


def known(found: Difference, program: Program) -> bool:
    """Return whether a difference is a known one."""
    text = program.statements[found.statement].source()
    return any(stays(found, text, program.text()) for stays in KNOWN.values())
