"""View: the base of a view and how it was made, the checks of in-place changes, and the new history after a change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from backscope.autograd.hooks.user_hooks import follow_new_grad_fn
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import Node, SavedResult, gradient_edge, next_sequence_nr
from backscope.autograd.saved.saved_tensors import SavedView, short_name
from backscope.autograd.views.copy_slices import copy_slices
from backscope.autograd.views.lazy_views import Lazy
from backscope.ops.core.declaration import primitives
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.strides import element_strides
from backscope.tensor.tensor import Tensor
from backscope.tensor.version_counter import INFERENCE, InferenceVersion

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

_MODE_ADVICE = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) "
    "or both outside (if you want the inplace to be tracked)."
)
_ADVICE = {
    "multi_output": (
        " This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "no_grad": _MODE_ADVICE.format("no_grad"),
    "inference": _MODE_ADVICE.format("inference_mode"),
    "custom_function": (
        " This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}


class View:
    """The `base` of a view, how it was `made`, and the version of the base that its grad_fn belongs to.

    `made` is "default", "no_grad", "inference", "multi_output" or "custom_function"; all but the first forbid in-place
    changes that would be recorded.  `replay` are the steps that lead from the base to the view where strides alone
    don't, None where they do.  `inherits` is True for a view that requires grad only because its base does: it has no
    history of its own, and no gradient goes anywhere from it.
    """

    __slots__ = ("base", "inherits", "lazy", "made", "replay", "version")

    base: Value

    def __init__(self, base: Tensor, made: str, replay: Value = None) -> None:
        self.base = base
        self.made = made
        self.replay = replay
        self.inherits = False
        self.lazy: Lazy | None = None
        self.version = base._counter()[0]

    def renew(self, view: Tensor) -> bool:
        """Update the view's history for an op that takes it; return True where it has none but requires grad."""
        if self.lazy is not None:
            self.lazy.refresh()
        if not mode.enabled:
            return self.inherits
        self.regenerate(view)
        return self.inherits and view._grad_fn is None

    def inherit(self, view: Tensor) -> None:
        """Set requires_grad of a view without history to that of its base."""
        if view._grad_fn is None and view._requires_grad is not self.base._requires_grad:
            if not view._requires_grad:
                view._requires_grad = self.inherits = True
            elif self.inherits:
                view._requires_grad = self.inherits = False

    def regenerate(self, view: Tensor) -> None:
        """Give the view a new grad_fn when its base, or another view of it, was changed in place since."""
        base = self.base
        if view._grad_fn is None:
            self.inherit(view)
            if not base._requires_grad:
                return
        current = base._counter()[0]
        if int(current) == int(self.version):
            return
        self.refuse(view, indirect=True)
        listener, hub.listener = hub.listener, None
        try:
            node = self._replayed(base) if self.replay is not None else _strided_node(base, view)
        finally:
            hub.listener = listener
        set_history(view, node)
        self.inherits = False
        self.version = current
        if listener is not None:
            listener.rebased(view, node)

    def _replayed(self, base: Tensor) -> Any:
        before = mode.enabled
        mode.enabled = True
        try:
            return replayed(self.replay, base)._grad_fn
        finally:
            mode.enabled = before

    def refuse(self, view: Tensor, *, indirect: bool) -> None:
        """Raise PyTorch's error for a view that must not be changed in place, or whose base must not if `indirect`."""
        made = self.made
        if made == "default":
            return
        grad_fn = view._grad_fn
        happening = "its base or another view of its base has been" if indirect else "is being"
        output = "" if grad_fn is None else f"Output {view._output_nr or 0} of {short_name(grad_fn.name())} is a view"
        if made in ("inference", "no_grad") or grad_fn is None:
            prefix = f"{output} of a view which was" if output else "A view was"
            if made == "inference":
                text = f"{prefix} created in inference mode and {happening} modified inplace in normal mode."
            else:
                text = f"{prefix} created in no_grad mode and {happening} modified inplace with grad mode enabled."
        else:
            text = f"{output} and {happening} modified inplace."
        raise blame(RuntimeError(text + _ADVICE[made]), "forbidden_view", tensor=view, made=made)


def attach_view(op: Op, source: Tensor, outputs: tuple[Any, ...], args: tuple[Any, ...]) -> None:
    """Make `outputs` of a view op on `source` views of it, or of the base that it is a view of itself."""
    if isinstance(source._shared, InferenceVersion):
        for out in outputs:
            out._shared = INFERENCE
        return
    if mode.enabled:
        made = "default" if op.outputs == 1 else "multi_output"
    else:
        made = "inference" if mode.inference else "no_grad"
    for out in outputs:
        make_view(out, source, made, (op, args[1:]) if op.replays or mode.view_replay else None)


def make_view(out: Tensor, source: Tensor, made: str, step: Value = None) -> None:
    """Make `out`, which shares the memory of `source`, a view of it; `step` makes it where strides are not enough."""
    inherited = source._view
    replay: Any = None
    if inherited is None or inherited.base is None:
        base = source
        if step is not None:
            replay = (step,)
    else:
        base = inherited.base
        if made == "default" or inherited.made == "inference":
            made = inherited.made
        replay = inherited.replay
        if step is not None:
            replay = (*(replay if replay is not None else (_by_strides(source),)), step)
        elif replay is not None:
            replay = (*replay, _by_strides(out))
    view = out._view = View(base, made, replay)
    out._shared = base._shared
    if step is not None and step[0].lazily is not None:
        view.lazy = Lazy(source, out, step[0].lazily)
    elif inherited is not None:
        view.lazy = inherited.lazy
    if base._requires_grad:
        view.inherit(out)


def _by_strides(view: Tensor) -> tuple[Any, ...]:
    array = view._array()
    return primitives["as_strided"], (tuple(array.shape), element_strides(array), view.storage_offset())


def replayed(steps: Iterable[tuple[Op, tuple[Any, ...]]], base: Tensor) -> Value:
    """Run the steps that make a view on its base, or on a gradient of it."""
    from backscope.ops.core.dispatch import apply

    for op, args in steps:
        base = apply(op, base, *args)
    return base


def _strided_node(base: Tensor, view: Tensor) -> Any:
    """Make the node that as_strided would make of `view` from `base`."""
    op = primitives["as_strided"]
    node: Any = object.__new__(op.node)
    node.sequence_nr = next_sequence_nr()
    edge, nr = gradient_edge(base)
    node.next, node.next_nr = (edge,), (nr,) if edge is not None and edge.multi else None
    node.plan = op.plan((edge is not None,)).general
    node.saved, node.versions = (), None
    node.grad = node.hooks = node.token = None
    node.shape, node.dtype = view._data.shape, view._dtype
    node.attrs = _strided_attributes(op, base, view)
    return node


def _strided_attributes(op: Op, base: Tensor, view: Tensor) -> tuple[Any, ...]:
    whole = base._array()
    array = view._array()
    values = {
        "size": array.shape,
        "stride": element_strides(array),
        "storage_offset": view.storage_offset(),  # That of other memory where `data` was set.
        "self_shape": whole.shape,
        "self_strides": element_strides(whole),
        "self_offset": base.storage_offset(),
    }
    return tuple(values[name] for name in op.attrs)


def check_in_place(tensor: Tensor, tracked: bool) -> None:
    """Raise PyTorch's error where a tensor may not be changed in place; `tracked` if any input requires grad."""
    view = tensor._view
    if view is not None and view.lazy is not None:
        view.lazy.refresh()
    if not mode.enabled or not tracked:
        return
    if view is not None:
        view.inherit(tensor)
        view.refuse(tensor, indirect=False)
        if tensor._requires_grad and view.base is not None and view.base._grad_fn is None:
            raise blame(
                RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation."),
                "leaf_in_place",
                tensor=view.base,
            )
    if tensor._requires_grad and tensor._grad_fn is None:
        raise blame(
            RuntimeError("a leaf Variable that requires grad is being used in an in-place operation."),
            "leaf_in_place",
            tensor=tensor,
        )
    if view is not None:
        view.regenerate(tensor)


def requires_grad(tensor: Value) -> bool:
    """Return True if an input of an op requires grad, or if it is a view of a base that does."""
    if tensor is None:
        return False
    if tensor._view is not None:
        tensor._view.inherit(tensor)
    return bool(tensor._requires_grad)


def rebase(tensor: Tensor, node: Node) -> Node:
    """Make `node` the grad_fn of a tensor that was just changed in place; a view's base gets a CopySlices node.

    Returns the node that is now in the graph.
    """
    view = tensor._view
    if view is None or view.base is None:
        set_history(tensor, node)
        return node
    base = view.base
    slices = copy_slices(base, tensor, node, view.replay)
    set_history(base, slices)
    if hub.listener is not None:
        hub.listener.rebased(base, slices)
    view.version = -1
    view.regenerate(tensor)
    if slices.saved:
        slices.saved = tuple([SavedView(e, tensor) if isinstance(e, SavedResult) else e for e in slices.saved])
    return slices


def set_history(tensor: Tensor, node: Node) -> None:
    """Give a tensor another grad_fn: retain_grad moves to it, other hooks stay with the old one."""
    old, nr = tensor._grad_fn, tensor._output_nr or 0
    tensor._grad_fn, tensor._output_nr, tensor._requires_grad = node, None, True
    if tensor._extra is not None:
        follow_new_grad_fn(tensor, old, nr, node)
