"""CustomNode: the node of a custom Function, which runs the user's backward()."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from backscope.autograd.formula import as_tensor
from backscope.autograd.hooks.user_hooks import NodeHooks
from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.autograd.plan import Plan
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor, make

if TYPE_CHECKING:
    from backscope.autograd.function.function import Function

_new: Callable[[Any], Any] = object.__new__


class CustomNode(Node):
    """A node with the backward() of a Function as its formula.

    It always counts as having several outputs.  `shape` and `dtype` have None where an output carries no gradient,
    `outputs` the (shape, dtype) of every tensor among the outputs.  `given` says which inputs were tensors: only they
    have an edge.  `user` holds the user's attributes of ctx.  The hooks are never None, so that the engine runs it on
    the path where user code may run.
    """

    __slots__ = (
        "accessed",
        "dirty_tensors",
        "face",
        "given",
        "materialize",
        "materialize_non_diff",
        "needs_input_grad",
        "non_differentiable",
        "outputs",
        "pure_view",
        "saved_for_forward",
        "to_save",
        "user",
    )

    multi = True
    composite = True
    takes_tensors = True
    runs_without_gradient = True
    function: ClassVar[Any]

    accessed: bool
    dirty_tensors: Values
    face: Callable[[], Any] | None
    given: tuple[bool, ...]
    materialize: bool
    materialize_non_diff: bool
    needs_input_grad: tuple[bool, ...]
    non_differentiable: Values
    outputs: list[Any]
    pure_view: bool | None
    saved_for_forward: Values
    to_save: Values
    user: dict[str, Any]

    # Any: a ctx, with the attributes that a program gave it.
    def public(self) -> Any:
        """Return the ctx: the same object as long as there is a reference to it."""
        face = None if self.face is None else self.face()
        if face is None:
            face = _new(self.function._backward_cls)
            object.__setattr__(face, "_engine_node", self)
            object.__setattr__(face, "__dict__", self.user)
            self.face = weakref.ref(face)
        return face

    def slot_name(self, k: int) -> str:
        """Return the name of saved tensor number `k`."""
        return f"saved_tensors[{k}]"

    def release(self) -> None:
        """Free the saved tensors; reading them is an error from now on."""
        self.saved = None

    def run_tensors(self, node: Node, g: list[Any]) -> list[Any]:
        """Compute the gradients of the tensors among the inputs from those of the outputs."""
        ctx = self.public()
        function = self.function
        gradients = [self._materialized(k, x) for k, x in enumerate(g)]
        g.clear()
        if hub.listener is not None:
            for x in gradients:
                if x is not None and x._token is None:
                    hub.listener.created(x, "gradient")
        returned = ctx.apply_boxed(gradients) if function.boxed_grads_call else ctx.apply(*gradients)
        return self._of_tensors(returned if isinstance(returned, tuple) else (returned,))

    def _materialized(self, k: int, gradient: Value) -> Any:
        if gradient is not None or not self.materialize or self.outputs[k] is None:
            return gradient
        if self.shape[k] is None and not self.materialize_non_diff:
            return None
        shape, kind = self.outputs[k]
        return make(np.zeros(shape, kind.np)[()], kind)

    def _of_tensors(self, returned: tuple[Any, ...]) -> list[Any]:
        """Return backward()'s gradients of the inputs that were tensors; RuntimeError for a wrong count or type."""
        wanted = len(self.given)
        if len(returned) > wanted and all(x is None for x in returned[wanted:]):
            returned = returned[:wanted]
        if len(returned) != wanted:
            error = RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {wanted}, got "
                f"{len(returned)})"
            )
            raise blame(error, "wrong_count", wanted=wanted, given=len(returned), name=self.name())
        found: list[Any] = []
        for i, (x, was_tensor) in enumerate(zip(returned, self.given, strict=True)):
            if not was_tensor:
                if x is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {i + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
                continue
            if x is not None and not isinstance(x, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(x).__name__})")
            found.append(x)
        return found


class OneOutput(Node):
    """Wraps a custom node with one output so that it takes a single gradient, for the node of a changed view."""

    __slots__ = ("custom",)

    composite = True

    custom: CustomNode

    def run_tensors(self, node: Node, g: Value) -> list[Any]:
        """Compute the gradients of the tensors among the inputs."""
        return self.custom.run_tensors(self.custom, [g])

    def release(self) -> None:
        """Free the saved tensors."""
        self.custom.release()


def one_output(custom: CustomNode) -> OneOutput:
    """Wrap `custom` as a node of one output."""
    node: OneOutput = _new(OneOutput)
    node.custom = custom
    node.sequence_nr = custom.sequence_nr
    node.next, node.next_nr = custom.next, custom.next_nr
    node.plan = _ONE_OUTPUT
    node.saved, node.versions, node.attrs = (), None, ()
    node.shape, node.dtype = custom.shape[0], custom.dtype[0]
    node.grad = node.token = node.hooks = None
    return node


def _run_one_output(node: OneOutput, g: Value) -> list[Any]:
    return run_raw(node.custom, [g])


_ONE_OUTPUT = Plan(_run_one_output)


def new_node(function: type[Function], args: tuple[Any, ...], tracked: bool) -> CustomNode:
    """Make the node of one call of a Function, before its forward() runs; without edges unless `tracked`."""
    node: CustomNode = _new(function._node_cls)
    node.sequence_nr = next_sequence_nr()
    node.given = tuple([isinstance(a, Tensor) for a in args])
    node.needs_input_grad = tuple([isinstance(a, Tensor) and a._requires_grad for a in args])
    edges = [gradient_edge(a) for a in args if isinstance(a, Tensor)] if tracked else []
    node.next = tuple([e[0] for e in edges])
    node.next_nr = tuple([e[1] for e in edges]) if any(n is not None and n.multi for n in node.next) else None
    node.plan = _RAW
    node.saved, node.versions, node.attrs = (), None, ()
    node.shape, node.dtype, node.outputs = [], [], []
    node.grad = node.token = node.face = None
    node.hooks = NodeHooks()
    node.user = {}
    node.to_save = node.saved_for_forward = node.dirty_tensors = node.non_differentiable = None
    node.materialize = node.materialize_non_diff = True
    node.accessed = False
    node.pure_view = None
    return node


def run_raw(node: CustomNode, g: Value) -> list[Any]:
    """Compute the gradients of the inputs on raw values."""
    return [None if x is None else x._data for x in node.run_tensors(node, [as_tensor(x) for x in g])]


_RAW = Plan(run_raw)
