"""Calls with `out=` on tensors that require grad: the ones that PyTorch refuses, and the nodes of the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.not_implemented import not_implemented
from backscope.autograd.views.view_history import rebase, requires_grad
from backscope.ops.core.arguments.out_dtypes import MAKING
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

_STEPS = {
    "chain_matmul": "mm",
    "clip": "clamp",
    "column_stack": "cat",
    "concat": "cat",
    "concatenate": "cat",
    "diff": "sub",
    "divide": "div",
    "dstack": "cat",
    "fix": "trunc",
    "float_power": "pow",
    "ger": "mul",
    "hstack": "cat",
    "inverse": "linalg_inv_ex",
    "kron": "mul",
    "matrix_power": "matmul",
    "msort": "sort",
    "multi_dot": "mm",
    "nanmean": "nansum",
    "norm": "linalg_vector_norm",
    "outer": "mul",
    "orgqr": "linalg_householder_product",
    "row_stack": "cat",
    "square": "pow",
    "take_along_dim": "gather",
    "true_divide": "div",
    "vstack": "cat",
}
"""Functions composed of another one, which raises the error."""

_WITHOUT_GRADIENTS = (
    "all any argmax argmin bucketize eq equal ge greater greater_equal gt hash_tensor histc isin isneginf isposinf le "
    "less less_equal logical_and logical_not logical_or logical_xor lt ne not_equal searchsorted signbit"
)
_UNTRACKED = frozenset(_WITHOUT_GRADIENTS.split())
"""Functions with results that have no gradient: they accept inputs that require grad."""

_RECORDED = frozenset({"inner", "nanquantile", "quantile", "tensordot"})
"""Functions that copy a result into `out`, with its history."""

_RESIZING = frozenset({"empty", "randn"})
"""Functions that give `out` its shape before anything else."""

_UNDERIVED = frozenset(
    {"conj_physical", "diag", "floor_divide", "heaviside", "log_softmax", "slice_scatter", "softmax"}
)
"""Functions without a derivative when they write into `out`; copies of views are treated alike."""


def is_recorded(name: str) -> bool:
    """Return True when gradients flow through what a function writes into `out`."""
    return name in _RECORDED


def refuses_none(name: str) -> bool:
    """Return True when a function accepts inputs that require grad, as what it writes into `out` joins no graph."""
    return name in _UNTRACKED or name in MAKING or is_underived(name)


def is_underived(name: str) -> bool:
    """Return True when a function accepts inputs that require grad and records a node without a derivative."""
    return name in _UNDERIVED or (name.endswith("_copy") and name != "index_copy")


def check_tracked(name: str, title: str, sources: Iterable[Any], outs: Iterable[Any]) -> None:
    """Raise RuntimeError for tensors that require grad in a call of a function that refuses them beside `out=`."""
    if name in _RESIZING and any(map(_tracked, outs)):
        raise RuntimeError("cannot resize variables that require grad")
    if not mode.enabled or name in _UNTRACKED or name in _RECORDED:
        return
    apart = name in MAKING or is_underived(name)
    if any(map(_is_tracked_leaf if name in MAKING else _tracked, outs)) or (not apart and any(map(_tracked, sources))):
        made = f"aten::{'diagonal_copy' if name == 'diag' else name}" if apart else _STEPS.get(name, title)
        raise RuntimeError(
            f"{made}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )


def leave_underived(name: str, sources: Iterable[Any], out: Tensor) -> None:
    """Give `out` the node that refuses every gradient where a function without a derivative has filled it."""
    inputs: tuple[Tensor, ...]
    if name in MAKING:
        tracked, inputs = requires_grad(out), (out,)
    elif is_underived(name):
        inputs = tuple([s for s in sources if isinstance(s, Tensor)])
        tracked = any(map(requires_grad, inputs))
    else:
        return
    if mode.enabled and tracked and out._dtype.category > 1:
        rebase(out, not_implemented(f"aten::{name}", inputs, out))


def _is_tracked_leaf(value: Value) -> bool:
    """Return True for a leaf that requires grad, or a view of one."""
    if not _tracked(value):
        return False
    view = value._view
    return value._grad_fn is None or (view is not None and view.base is not None and view.base._grad_fn is None)


def _tracked(value: Value) -> bool:
    if isinstance(value, Tensor):
        return requires_grad(value)
    return isinstance(value, (list, tuple)) and any(map(_tracked, value))
