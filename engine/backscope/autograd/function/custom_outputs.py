"""The outputs of a custom Function: their place on the tape, the views and inputs among them, the saved tensors."""

from __future__ import annotations

from typing import Any

from backscope.autograd.function.custom_node import CustomNode, one_output
from backscope.autograd.hooks.user_hooks import NodeHooks
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import save_result
from backscope.autograd.saved.saved_hooks import pack
from backscope.autograd.saved.saved_tensors import versions_of
from backscope.autograd.views.view_history import rebase
from backscope.ops.core.dispatch import saved_hooks
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor

AS_IS = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup "
    "ctx inside the forward function itself."
)
LEAF = "a leaf Variable that requires grad has been used in an in-place operation."
NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
    "modified inplace must all be outputs of the Function."
)
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
PURE_VIEW = (
    "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to "
    "support more."
)


def _marked(node: CustomNode, slot: str, refusal: str) -> set[int]:
    """Return the identities of the tensors that forward() marked; RuntimeError for an object that is no tensor."""
    tensors = getattr(node, slot)
    if tensors is None:
        return set()
    _check_tuple(slot, tensors)
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError(refusal)
    return {id(t) for t in tensors}


def _check_tuple(slot: str, value: Value) -> None:
    if not isinstance(value, tuple):
        raise RuntimeError(f"autograd internal error: {slot} attribute is expected to be a tuple but is ")


def wrap_outputs(
    node: CustomNode, inputs: list[Tensor], raw: tuple[Any, ...], *, tracked: bool, separate: bool
) -> tuple[Any, ...]:
    """Turn the results of forward() into those of apply(): tensors get their grad_fn, returned inputs become aliases.

    `separate` is True where setup_context() set up the ctx.
    """
    if node.to_save is not None:
        _check_tuple("to_save", node.to_save)
    kept = {id(t) for t in (*(node.to_save or ()), *(node.saved_for_forward or ()))} if separate else set()
    non_differentiable = _marked(
        node, "non_differentiable", "mark_non_differentiable only accepts variable arguments, but got "
    )
    dirty_tensors = node.dirty_tensors or ()
    dirty = _marked(node, "dirty_tensors", "mark_dirty can only accept variables, but argument ")
    for t in dirty_tensors:
        t._counter()[0] += 1
    unreturned = set(dirty)
    own = {id(t) for t in inputs}
    pure = bool(node.pure_view)
    if pure and (len(inputs) != 1 or len(raw) != 1):
        raise RuntimeError(PURE_VIEW)
    outputs: list[Any] = []
    differentiable = 0
    for k, out in enumerate(raw):
        if not isinstance(out, Tensor):
            _describe(node, None, carries=False)
            outputs.append(out)
            continue
        carries = tracked and id(out) not in non_differentiable and out._dtype.category >= 2
        _describe(node, out, carries=carries)
        is_input, modified = id(out) in own, id(out) in dirty
        given = out
        if not carries:
            out = _without_history(out, is_input=is_input, modified=modified, kept=id(out) in kept)
        elif modified:
            _rewrite(node, out, k, is_input=is_input, count=len(raw))
        else:
            if is_input:
                out = _alias_of_input(out, kept=id(out) in kept)
            _set_edge(node, out, k)
        if not (is_input and modified) and out._view is not None and not pure:
            out._view.made = "custom_function"
        elif pure and out._view is not None:
            out._view.made = "default"
        differentiable += carries
        outputs.append(out)
        unreturned.discard(id(given))
    if differentiable > 1:
        for out in outputs:
            if isinstance(out, Tensor) and out._view is not None:
                out._view.made = "multi_output"
    if unreturned:
        raise RuntimeError(NOT_RETURNED)
    return tuple(outputs)


def _describe(node: CustomNode, out: Tensor | None, *, carries: bool) -> None:
    node.shape.append(out._data.shape if out is not None and carries else None)
    node.dtype.append(out._dtype if out is not None and carries else None)
    node.outputs.append(None if out is None else (out._data.shape, out._dtype))


def _set_edge(node: CustomNode, out: Tensor, k: int) -> None:
    out._grad_fn, out._output_nr, out._requires_grad = node, k, True
    if out._view is not None:
        out._view.version = out._version


def _without_history(out: Tensor, *, is_input: bool, modified: bool, kept: bool) -> Tensor:
    if not out._requires_grad:
        return _alias_of_input(out, kept=kept) if is_input and not modified else out
    if is_input:
        return out.detach()
    if out._view is None:
        out.detach_()
    return out


def _alias_of_input(tensor: Tensor, *, kept: bool) -> Tensor:
    """Return a view of an input that forward() returned unchanged, so that the input keeps its own history."""
    if kept:
        raise RuntimeError(AS_IS)
    before, listener = mode.enabled, hub.listener
    mode.enabled, hub.listener = False, None
    try:
        view: Tensor = tensor.view_as(tensor)  # type: ignore[attr-defined]
    finally:
        mode.enabled, hub.listener = before, listener
    return view


def _rewrite(node: CustomNode, out: Tensor, k: int, *, is_input: bool, count: int) -> None:
    """Make the Function's node the grad_fn of an input that forward() changed in place."""
    if out._requires_grad and out._grad_fn is None:
        raise RuntimeError(LEAF)
    if not is_input:
        if out._view is not None:
            raise RuntimeError(NOT_AN_INPUT)
        warn(NOT_AN_INPUT)
    view = out._view
    if view is not None:
        if count > 1:
            raise RuntimeError(DIRTY_VIEW)
        view.refuse(out, indirect=False)
        if view.base._requires_grad and view.base._grad_fn is None:
            text = "a view of a leaf Variable that requires grad is being used in an in-place operation."
            raise blame(RuntimeError(text), "leaf_in_place", tensor=view.base)
    out._grad = None
    if out._view is not None:
        rebase(out, one_output(node)).hooks = NodeHooks()
    else:
        rebase(out, node)
        out._output_nr = k


def save(node: CustomNode, tracked: bool) -> None:
    """Save the tensors that forward() gave to save_for_backward(); TypeError for an object that is no tensor."""
    wanted = node.to_save
    dirty = {id(t) for t in node.dirty_tensors or ()}
    node.to_save = node.dirty_tensors = node.non_differentiable = node.saved_for_forward = None
    if not tracked or not wanted:
        return
    entries: list[Any] = []
    for i, t in enumerate(wanted):
        if t is None:
            entries.append(None)
        elif isinstance(t, Tensor):
            if t._grad_fn is node:
                entries.append(save_result(t, t._output_nr or 0))
            elif id(t) in dirty and t._view is not None:
                entries.append(save_result(t, 0))
            else:
                entries.append(t)
        else:
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
            )
    node.saved = tuple(entries)
    node.versions = versions_of(node.saved)
    if saved_hooks:
        pack(node)
