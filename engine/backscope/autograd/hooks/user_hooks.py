"""The hooks that a program registers on tensors and nodes, and the order in which they run."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from backscope.autograd.hooks.removable import RemovableHandle as RemovableHandle
from backscope.autograd.node import AccumulateGrad, Node
from backscope.autograd.task import Demands
from backscope.autograd.transforms.level import levels
from backscope.autograd.transforms.transform_refusals import refuse_retain_grad
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Dtype, Value
from backscope.runtime.listening import hub
from backscope.runtime.passive import callable_name
from backscope.tensor.tensor import Tensor

Hooks = dict[int, Callable[..., Any]]


class NodeHooks:
    """All hooks of one node.

    Before the node runs: the `tensor` hooks, each a dict for one output, then the `retained` outputs get their `.grad`,
    then the `pre` hooks run.  After it: the `post` hooks.  An AccumulateGrad shares `tensor` with its leaf.
    """

    __slots__ = ("post", "pre", "retained", "tensor")

    def __init__(self, tensor: list[tuple[int, Hooks]] | None = None) -> None:
        Demands.hooked = True
        self.tensor: list[tuple[int, Hooks]] = [] if tensor is None else tensor
        self.retained: dict[int, weakref.ref[Tensor]] = {}
        self.pre: Hooks = OrderedDict()
        self.post: Hooks = OrderedDict()

    def before_capture(self, node: Node, gradients: list[Any]) -> list[Any]:
        """Run the hooks of the node's outputs and return the gradients that they returned."""
        for nr, hooks in list(self.tensor):
            for hook in list(hooks.values()):
                given = gradients[nr]
                returned = hook(given)
                report("tensor", node, hook, given, returned)
                if returned is None or returned is given:
                    continue
                gradients[nr] = _checked(hook, given, returned)
        for nr, ref in list(self.retained.items()):
            tensor = ref()
            if tensor is not None and gradients[nr] is not None:
                _retain(node, tensor, gradients[nr])
        return gradients

    def before(self, node: Node, gradients: list[Any]) -> list[Any]:
        """Run the pre hooks and return the gradients that they returned."""
        if not self.pre:
            return gradients
        given = tuple(gradients)
        for hook in list(self.pre.values()):
            returned = hook(given)
            if returned is not None and returned is not given:
                _check_tuple(hook, given, returned)
            report("node pre", node, hook, given[0], None if returned is None else returned[0])
            if returned is not None:
                given = returned
        return list(given)

    def after(self, node: Node, grad_inputs: list[Any], grad_outputs: list[Any]) -> list[Any]:
        """Run the post hooks and return the grad_inputs that they returned."""
        given, incoming = tuple(grad_inputs), tuple(grad_outputs)
        for hook in list(self.post.values()):
            returned = hook(given, incoming)
            if returned is not None and returned is not given:
                _check_tuple(hook, given, returned)
            before = given[0] if given else None
            report("node post", node, hook, before, returned[0] if returned else None)
            if returned is not None:
                given = returned
        return list(given)


def run_post_accumulate(node: Node, leaf: Tensor) -> None:
    """Run the hooks of a leaf that run after a gradient was added to its `.grad`."""
    hooks = None if leaf._extra is None else leaf._extra.post_accumulate
    if not hooks:
        return
    for hook in list(hooks.values()):
        returned = hook(leaf)
        report("post accumulate", node, hook, leaf._grad, None)
        if returned is None or returned is leaf:
            continue
        if not isinstance(returned, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(returned).__name__}'")
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def name_of(hook: Callable[..., Any]) -> str:
    """Return a hook's name for an error text or an event."""
    return getattr(hook, "__name__", "<unknown>")


def _check_tuple(hook: Callable[..., Any], given: tuple[Any, ...], returned: Value) -> None:
    """Raise PyTorch's error unless a node's hook returned None or as many gradients as it got."""
    if not isinstance(returned, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(returned).__name__}'")
    if len(returned) != len(given):
        raise RuntimeError(
            f"hook '{name_of(hook)}' has returned an incorrect number of values (got {len(returned)}, but expected "
            f"{len(given)})"
        )
    for before, after in zip(given, returned, strict=True):
        if after is not None:
            _checked(hook, before, after)


def is_own(hook: Callable[..., Any]) -> bool:
    """Return True for a hook of the engine: modules report the user's hooks that theirs call."""
    home = getattr(hook, "__module__", None)
    return type(home) is str and home.startswith("backscope.")


def report(where: str, node: Node | None, hook: Callable[..., Any], before: Value, after: Value) -> None:
    """Call the listener, if there is one, after a hook ran."""
    if hub.listener is not None and not is_own(hook):
        hub.listener.hook_ran(where, node, callable_name(hook), before, after)


def listened_handle(
    hooks: Hooks, where: str, hook: Callable[..., Any], tensor: Tensor | None, node: Node | None
) -> RemovableHandle:
    """Return a handle that calls the listener now and when the hook is removed; the handle keeps nothing alive."""
    handle = RemovableHandle(hooks)
    if hub.listener is not None and not is_own(hook):
        name = callable_name(hook)
        hub.listener.hook_registered(where, name, tensor, node)
        held = [None if x is None else weakref.ref(x) for x in (tensor, node)]

        def on_removal() -> None:
            alive: list[Any] = [None if ref is None else ref() for ref in held]
            if hub.listener is not None and all(r is None or x is not None for r, x in zip(held, alive, strict=True)):
                hub.listener.hook_removed(where, name, *alive)

        handle.on_removal = on_removal
    return handle


def _checked(hook: Callable[..., Any], before: Value, after: Value) -> Tensor:
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if after._dtype is not before._dtype:
        raise RuntimeError(
            f"hook '{name_of(hook)}' has changed the type of value (was {_type(before)} got {_type(after)})"
        )
    if after._data.shape != before._data.shape:
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")
    return after


def _type(tensor: Tensor) -> str:
    kind = tensor._dtype
    return f"CPU{kind.type_name}Type" if kind.is_complex else f"torch.{kind.type_name}Tensor"


def _retain(node: Node, tensor: Tensor, gradient: Tensor) -> None:
    from backscope.autograd.modes.grad_mode import mode

    listener = hub.listener
    if not mode.enabled:
        hub.listener = None
    try:
        old: Any = tensor._grad
        tensor._grad = gradient.clone() if old is None else old + gradient  # type: ignore[attr-defined]
    finally:
        hub.listener = listener
    if listener is not None:
        listener.captured(node, tensor, gradient, "grad")


class TensorExtra:
    """The state of a tensor that few tensors have: hooks, retain_grad, a dtype of its own for `.grad`.

    `backward_hooks` are the hooks registered since the tensor has its present grad_fn, `of_leaf` all that a leaf's
    AccumulateGrad runs.
    """

    __slots__ = ("_grad_dtype", "backward_hooks", "of_leaf", "post_accumulate", "retains_grad")

    def __init__(self) -> None:
        self.backward_hooks: Hooks | None = None
        self.of_leaf: list[tuple[int, Hooks]] = []
        self.post_accumulate: Hooks | None = None
        self.retains_grad = False

    def hooks_of_accumulator(self) -> NodeHooks | None:
        """Return the hooks that a new AccumulateGrad of the leaf starts with."""
        return NodeHooks(self.of_leaf) if self.of_leaf or self.post_accumulate is not None else None

    def grad_dtype(self, tensor: Tensor) -> Dtype:
        """Return the dtype of the tensor's `.grad`, None for any."""
        try:
            return self._grad_dtype
        except AttributeError:
            return tensor._dtype

    def set_grad_dtype(self, kind: Dtype) -> None:
        """Give `.grad` a dtype of its own."""
        self._grad_dtype = kind


def extra_of(tensor: Tensor) -> TensorExtra:
    """Return a tensor's TensorExtra, which is made on first use."""
    if tensor._extra is None:
        tensor._extra = TensorExtra()
    extra: TensorExtra = tensor._extra
    return extra


def hooks_of(node: Node) -> NodeHooks:
    """Return the hooks of a node, which are made on first use."""
    if node.hooks is None:
        node.hooks = NodeHooks()
        if isinstance(node, AccumulateGrad):
            node.hooks.tensor = extra_of(node.variable).of_leaf
    hooks: NodeHooks = node.hooks
    return hooks


def _accumulator_sees_hooks(leaf: Tensor) -> None:
    node = None if leaf._accumulator is None else leaf._accumulator()
    if node is not None:
        hooks_of(node)


def register_tensor_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> RemovableHandle:
    """See Tensor.register_hook; RuntimeError for a tensor that doesn't require grad."""
    if not tensor._requires_grad:
        error = RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        raise blame(error, "without_gradient", tensor=tensor)
    extra = extra_of(tensor)
    hooks = extra.backward_hooks
    if hooks is None:
        grad_fn = tensor._node()
        hooks = extra.backward_hooks = OrderedDict()
        if grad_fn is not None:
            register_hook_dict(grad_fn, tensor)
        else:
            extra.of_leaf.append((0, hooks))
            _accumulator_sees_hooks(tensor)
    handle = listened_handle(hooks, "tensor", hook, tensor, tensor._grad_fn)
    hooks[handle.id] = hook
    return handle


def register_hook_dict(node: Node, tensor: Tensor) -> None:
    """Make a node run the hooks of a tensor that it computed."""
    extra = extra_of(tensor)
    if extra.backward_hooks is not None:
        hooks_of(node).tensor.append((tensor._output_nr or 0, extra.backward_hooks))


def set_backward_hooks(tensor: Tensor, hooks: Hooks | None) -> None:
    """Replace all hooks of a tensor, as `tensor._backward_hooks = hooks` does."""
    extra = extra_of(tensor)
    extra.backward_hooks = hooks
    if tensor._grad_fn is not None:
        held = hooks_of(tensor._grad_fn).tensor
        held[:] = [entry for entry in held if entry[0] != (tensor._output_nr or 0)]
        if hooks is not None:
            register_hook_dict(tensor._grad_fn, tensor)
    else:
        extra.of_leaf[:] = [] if hooks is None else [(0, hooks)]
        _accumulator_sees_hooks(tensor)


def register_post_accumulate_hook(tensor: Tensor, hook: Callable[[Any], None]) -> RemovableHandle:
    """See Tensor.register_post_accumulate_grad_hook; RuntimeError for all but a leaf that requires grad."""
    if not tensor._requires_grad:
        error = RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        raise blame(error, "without_gradient", tensor=tensor)
    if tensor._node() is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    extra = extra_of(tensor)
    hooks = extra.post_accumulate
    if hooks is None:
        hooks = extra.post_accumulate = OrderedDict()
        _accumulator_sees_hooks(tensor)
    handle = listened_handle(hooks, "post accumulate", hook, tensor, None)
    hooks[handle.id] = hook
    return handle


def add_hook(node: Node, when: str, hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook, "pre" or "post", on a node."""
    hooks: Hooks = getattr(hooks_of(node), when)
    handle = listened_handle(hooks, f"node {when}", hook, None, node)
    hooks[handle.id] = hook
    return handle


def retain_grad(tensor: Tensor) -> None:
    """See Tensor.retain_grad; RuntimeError for a tensor that doesn't require grad, nothing for a leaf."""
    if not tensor._requires_grad:
        error = RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        raise blame(error, "without_gradient", tensor=tensor)
    if levels:
        refuse_retain_grad()
    grad_fn = tensor._node()
    if grad_fn is None or tensor.retains_grad:
        return
    extra_of(tensor).retains_grad = True
    hooks_of(grad_fn).retained[tensor._output_nr or 0] = weakref.ref(tensor)


def follow_new_grad_fn(tensor: Tensor, old: Node | None, old_nr: int, node: Node) -> None:
    """Move a tensor's hooks when an in-place change gives it a new grad_fn, `node`.

    Its hooks stay with the old grad_fn, to which their gradients belong; retain_grad moves to the new one.
    """
    extra = tensor._extra
    if extra is None:
        return
    extra.backward_hooks = None
    extra.of_leaf = []
    if extra.retains_grad and old is not None and old.hooks is not None:
        kept = old.hooks.retained.pop(old_nr, None)
        if kept is not None:
            hooks_of(node).retained[tensor._output_nr or 0] = kept


def keep_detached(tensor: Tensor) -> None:
    """Turn the hooks of a tensor that is detached in place into hooks of a leaf."""
    extra = tensor._extra
    if extra is not None and extra.backward_hooks is not None:
        extra.of_leaf = [(0, extra.backward_hooks)]
