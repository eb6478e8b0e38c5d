"""Hooks that user code hangs on tensors and nodes, and the order in which they run."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from backscope.autograd.node import Node, accumulator
from backscope.listening import hub
from backscope.tensor import Tensor

_ids = itertools.count()


class RemovableHandle:
    """What register_hook returns: `remove()` takes the hook away; also a context manager.

    `extra_dict` is a further dictionary, or a list of them, that forgets the hook's id too.
    """

    def __init__(self, hooks: dict[int, Any], *, extra_dict: Any = None) -> None:
        self.id = next(_ids)
        self._hooks = hooks
        self._extra = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self._told: Callable[[], None] | None = None

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        for flags in self._extra:
            flags.pop(self.id, None)
        if self._hooks.pop(self.id, None) is not None and self._told is not None and hub.listener is not None:
            self._told()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


RemovableHandle.__module__ = "torch.utils.hooks"


class NodeHooks:
    """All hooks of one node.

    On the way in: `tensor` hooks of each output, then `pre` hooks, then `retained` outputs take their `.grad`.  On
    the way out: `post` hooks; for a leaf, `accumulate` hooks after its `.grad` was updated, before `post`.
    """

    def __init__(self) -> None:
        self.tensor: dict[int, tuple[int, Callable[[Any], Any]]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.accumulate: dict[int, Callable[[Any], Any]] = {}
        self.retained: dict[int, Any] = {}

    def before(self, node: Node, gradients: list[Any]) -> list[Any]:
        """Run what comes before the node; returns the gradients as the hooks left them."""
        gradients = list(gradients)
        for nr, hook in list(self.tensor.values()):
            if gradients[nr] is None:
                continue
            returned = hook(gradients[nr])
            _report("tensor", node, hook, gradients[nr], returned)
            if returned is not None:
                gradients[nr] = _checked(hook, gradients[nr], returned)
        for pre in list(self.pre.values()):
            returned = pre(tuple(gradients))
            _check_tuple(pre, returned, len(gradients))
            _report("node pre", node, pre, gradients[0], None if returned is None else returned[0])
            if returned is not None:
                gradients = list(returned)
        for nr, ref in list(self.retained.items()):
            tensor = ref()
            if tensor is not None and gradients[nr] is not None:
                _retain(node, tensor, gradients[nr])
        return gradients

    def after(self, node: Node, grad_inputs: list[Any], grad_outputs: list[Any]) -> list[Any]:
        """Run the post hooks; returns grad_inputs as they left them."""
        for post in list(self.post.values()):
            returned = post(tuple(grad_inputs), tuple(grad_outputs))
            _check_tuple(post, returned, len(grad_inputs))
            before = grad_inputs[0] if grad_inputs else None
            _report("node post", node, post, before, returned[0] if returned else None)
            if returned is not None:
                grad_inputs = list(returned)
        return grad_inputs

    def accumulated(self, node: Node, leaf: Tensor) -> None:
        """Run what comes after a leaf's `.grad` was updated."""
        for hook in list(self.accumulate.values()):
            returned = hook(leaf)
            if returned is not None and not isinstance(returned, Tensor):
                raise TypeError(f"expected Variable, but hook returned '{type(returned).__name__}'")
            _report("post accumulate", node, hook, leaf._grad, None)
        self.after(node, [], [leaf._grad])


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def _check_tuple(hook: Any, returned: Any, count: int) -> None:
    """A node's hook gives None or a tuple of as many gradients as it got."""
    if returned is None:
        return
    if not isinstance(returned, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(returned).__name__}'")
    if len(returned) != count:
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(returned)}, but expected "
            f"{count})"
        )


def _report(where: str, node: Node, hook: Any, before: Any, after: Any) -> None:
    if hub.listener is not None:
        hub.listener.hook_ran(where, node, _name(hook), before, after)


def _told_handle(
    hooks: dict[int, Any], where: str, hook: Any, tensor: Tensor | None, node: Node | None
) -> RemovableHandle:
    """A handle whose hook a listener is told of, now and when it is removed; the handle keeps nothing alive."""
    handle = RemovableHandle(hooks)
    if hub.listener is not None:
        name = _name(hook)
        hub.listener.hook_registered(where, name, tensor, node)
        held = [None if x is None else weakref.ref(x) for x in (tensor, node)]

        def told() -> None:
            alive = [None if ref is None else ref() for ref in held]
            if all(ref is None or x is not None for ref, x in zip(held, alive, strict=True)):
                hub.listener.hook_removed(where, name, *alive)

        handle._told = told
    return handle


def _checked(hook: Any, before: Tensor, after: Any) -> Tensor:
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if after._dtype is not before._dtype:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was torch.{before._dtype.type_name}Tensor got "
            f"torch.{after._dtype.type_name}Tensor)"
        )
    if after._data.shape != before._data.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return after


def _retain(node: Node, tensor: Tensor, gradient: Tensor) -> None:
    from backscope.autograd.grad_mode import mode

    listener = hub.listener
    if not mode.enabled:
        hub.listener = None
    try:
        old: Any = tensor._grad
        kept = gradient.clone() if old is None else old + gradient  # type: ignore[attr-defined]
        tensor._grad = kept.detach() if kept._requires_grad and not mode.enabled else kept
    finally:
        hub.listener = listener
    if listener is not None:
        listener.captured(node, tensor, gradient, "grad")


class TensorExtra:
    """What few tensors have: hooks of a leaf (for whatever AccumulateGrad it has now) and retain_grad."""

    __slots__ = ("node_hooks", "retains_grad")

    def __init__(self) -> None:
        self.node_hooks: NodeHooks | None = None
        self.retains_grad = False


def _extra(tensor: Tensor) -> TensorExtra:
    if tensor._extra is None:
        tensor._extra = TensorExtra()
    extra: TensorExtra = tensor._extra
    return extra


def hooks_of(node: Node) -> NodeHooks:
    """The hooks of a node, made on first use."""
    if node.hooks is None:
        node.hooks = NodeHooks()
    hooks: NodeHooks = node.hooks
    return hooks


def _hooks_of_tensor(tensor: Tensor) -> NodeHooks:
    grad_fn = tensor._node()
    if grad_fn is not None:
        return hooks_of(grad_fn)
    extra = _extra(tensor)
    if extra.node_hooks is None:
        extra.node_hooks = hooks_of(accumulator(tensor))
    return extra.node_hooks


def register_tensor_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> RemovableHandle:
    """See Tensor.register_hook; RuntimeError for a tensor that doesn't require grad."""
    if not tensor._requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    hooks = _hooks_of_tensor(tensor).tensor
    handle = _told_handle(hooks, "tensor", hook, tensor, tensor.grad_fn)
    hooks[handle.id] = (tensor._output_nr or 0, hook)
    return handle


def register_post_accumulate_hook(tensor: Tensor, hook: Callable[[Any], None]) -> RemovableHandle:
    """See Tensor.register_post_accumulate_grad_hook; RuntimeError for all but a leaf that requires grad."""
    if not tensor._requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if tensor._node() is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    hooks = _hooks_of_tensor(tensor).accumulate
    handle = _told_handle(hooks, "post accumulate", hook, tensor, None)
    hooks[handle.id] = hook
    return handle


def add_hook(node: Node, when: str, hook: Callable[..., Any]) -> RemovableHandle:
    """Hang a hook on a node, "pre" or "post"."""
    hooks: dict[int, Any] = getattr(hooks_of(node), when)
    handle = _told_handle(hooks, f"node {when}", hook, None, node)
    hooks[handle.id] = hook
    return handle


def retain_grad(tensor: Tensor) -> None:
    """See Tensor.retain_grad; RuntimeError for a tensor that doesn't require grad, nothing for a leaf."""
    if not tensor._requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    grad_fn = tensor._node()
    if grad_fn is None:
        return
    _extra(tensor).retains_grad = True
    hooks_of(grad_fn).retained[tensor._output_nr or 0] = weakref.ref(tensor)
