"""Tensors that raise an error when they are differentiated, as once_differentiable returns them."""

from __future__ import annotations

from typing import Any, NoReturn

from backscope.autograd.hooks.user_hooks import NodeHooks
from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, Node, gradient_edge
from backscope.autograd.plan import Plan
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor, alias


class Error(Node):
    """A node that raises `message` when it runs."""

    __slots__ = ("message",)

    multi = True
    composite = True

    message: str

    def name(self) -> str:
        """PyTorch's name, with its C++ namespace."""
        return "torch::autograd::Error"

    def run_tensors(self, node: Node, g: Value) -> NoReturn:
        """Raise the error."""
        raise RuntimeError(self.message)


Error.__module__ = "builtins"


def _raise(node: Error, g: Value) -> Any:
    raise RuntimeError(node.message)


_PLAN = Plan(_raise)


def delayed_error(message: str, values: tuple[Any, ...]) -> Values:
    """Return the values as tensors that require grad and raise `message` when they are differentiated.

    Their node has no edges to the nodes of the original values.
    """
    leaves: list[Any] = []
    for value in values:
        leaf = value
        if isinstance(value, Tensor):
            leaf = alias(value, value._data)
            leaf._requires_grad = True
        leaves.append(leaf)
    return erring(message, tuple(leaves))


def erring(message: str, leaves: tuple[Any, ...]) -> Values:
    """Return the tensors with a grad_fn that raises `message`."""
    if not any(isinstance(t, Tensor) and t._requires_grad for t in leaves):
        outputs = [alias(t, t._data) if isinstance(t, Tensor) else t for t in leaves]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)
    edges = [gradient_edge(t) if isinstance(t, Tensor) else (None, 0) for t in leaves]
    node: Any = object.__new__(Error)
    # It runs as soon as it is ready, also before younger nodes: only the stepwise loop, which hooks select, does so.
    node.sequence_nr, node.hooks = ACCUMULATE_SEQUENCE_NR, NodeHooks()
    node.next, node.next_nr = tuple([e[0] for e in edges]), None
    node.plan = _PLAN
    node.saved, node.versions, node.attrs = (), None, ()
    node.shape = [t._data.shape if isinstance(t, Tensor) else None for t in leaves]
    node.dtype = [t._dtype if isinstance(t, Tensor) else None for t in leaves]
    node.grad = node.token = None
    node.message = message
    outputs = []
    for k, leaf in enumerate(leaves):
        if not isinstance(leaf, Tensor):
            outputs.append(leaf)
            continue
        out = alias(leaf, leaf._data)
        out._requires_grad, out._grad_fn, out._output_nr = True, node, k
        outputs.append(out)
    if hub.listener is not None:
        tensors = tuple([t for t in leaves if isinstance(t, Tensor)])
        hub.listener.op(
            "once_differentiable", None, tensors, tuple([o for o in outputs if isinstance(o, Tensor)]), node
        )
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
