"""Hooks for several tensors together: called with all their gradients, or with the first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal

from backscope.autograd.edge import node_of
from backscope.autograd.engine_queries import current_graph_task_id, will_engine_execute_node
from backscope.autograd.hooks.removable import RemovableHandle
from backscope.autograd.hooks.user_hooks import report
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


class _MultiHandle(RemovableHandle):
    """A handle that removes the hooks of all tensors."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Remove the hooks; a second call does nothing."""
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> tuple[RemovableHandle, ...]:
        return self.handles

    def __setstate__(self, state: tuple[RemovableHandle, ...]) -> None:
        self.handles = state


def register_multi_grad_hook(tensors: Values, fn: Callable[..., Any], *, mode: str = "all") -> RemovableHandle:
    """Call `fn` once in each backward pass, with the gradients of all `tensors`, or with the first one (mode "any").

    The gradient of a tensor that the pass does not reach is None.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of {('all', 'any')} but got {mode}")
    if mode == "any":
        hook = _first(fn)
        return _MultiHandle(tuple([t.register_hook(hook) for t in tensors if t.requires_grad]))
    collected = _Collected(fn, tensors)
    return _MultiHandle(tuple([t.register_hook(collected.hook(i)) for i, t in enumerate(tensors)]))


def _pass() -> int:
    number = current_graph_task_id()
    if number == -1:
        raise AssertionError("expected this hook to be called inside a backward call")
    return number


class _Collected:
    """The gradients of one hook's tensors in each running pass, kept until all that the pass reaches have arrived."""

    def __init__(self, fn: Callable[..., Any], tensors: Sequence[Tensor]) -> None:
        self.fn = fn
        self.nodes = [node_of(t) for t in tensors]
        self.lock = threading.Lock()
        self.counts: dict[int, int] = {}
        self.gradients: dict[int, list[Any]] = {}
        self.wanted = 0

    def hook(self, i: int) -> Callable[[Any], None]:
        """Return the hook of tensor `i`."""

        def inner_hook(grad: Value) -> None:
            number = _pass()
            with self.lock:
                seen = self.counts.get(number, 0)
                self.counts[number] = seen + 1
                gradients = self.gradients.setdefault(number, [None] * len(self.nodes))
                if seen == 0:
                    self.wanted = sum(will_engine_execute_node(node) for node in self.nodes)
            gradients[i] = grad
            if seen == self.wanted - 1:
                self.fn(gradients)
                report("multi grad", None, self.fn, grad, None)
                del self.counts[number], self.gradients[number]

        return inner_hook


def _first(fn: Callable[..., Any]) -> Callable[[Any], None]:
    lock = threading.Lock()
    ran: set[int] = set()

    def inner_hook(grad: Value) -> None:
        number = _pass()
        with lock:
            if number in ran:
                return
            ran.add(number)
        fn(grad)
        report("multi grad", None, fn, grad, None)

    return inner_hook


register_multi_grad_hook.__annotations__ = {
    "tensors": Sequence[Tensor],
    "fn": Callable[[Sequence[Tensor | None]], None] | Callable[[Tensor], None],
    "mode": Literal["all", "any"],
    "return": RemovableHandle,
}
_MultiHandle.__module__ = register_multi_grad_hook.__module__ = "torch.autograd.graph"
