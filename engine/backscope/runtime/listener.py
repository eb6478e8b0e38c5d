"""Listener, Keeper and PassDebugger: the classes with the methods that the engine calls, one for each moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Protocol

from backscope.runtime.given import Array, Value

if TYPE_CHECKING:
    from backscope.autograd.accumulate_inputs import ListenedPass
    from backscope.autograd.node import AccumulateGrad, Node
    from backscope.autograd.task import Task
    from backscope.ops.core.declaration import Op
    from backscope.tensor.tensor import Tensor


class Listener:
    """Does nothing at any moment; a listener derives from it and overrides the methods of the moments it needs.

    A gradient or a value of type `object` is a raw array, a numpy scalar or a Tensor.
    """

    __slots__ = ()

    waits: Callable[[AccumulateGrad, Tensor, object], bool] | None = None
    """Called with what stored() takes; where it returns True, the engine calls accumulating() and accumulated()."""

    def op(
        self,
        name: str,
        op: Op | None,
        args: Sequence[Any],
        outputs: Sequence[Any],
        node: Node | None,
        *,
        view: bool = False,
        in_place: bool = False,
    ) -> None:
        """Called after an op ran forward on `args`, with the node it made; `op` is None where it has no declaration."""

    def applied(
        self,
        op: Op,
        first: Tensor,
        second: object,
        out: Tensor,
        node: Node | None = None,
        sequence_nr: int = 0,
        below: Sequence[Node | None] | None = None,
        numbers: Sequence[int] | None = None,
        versions: Sequence[int] | None = None,
        attributes: Sequence[object] | None = None,
    ) -> object:
        """Called after an elementwise op ran on a Tensor and another, a number or (`first` again) nothing.

        The arguments after `node` are the attributes of a new node.  Returns its token, which the caller gives to it.
        """
        return None

    def created(self, tensor: Tensor, origin: str) -> None:
        """Called after the creation function `origin`, or something else that is no op, made a tensor."""

    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """Called after a tensor off the tape was made over the memory of `source`."""

    def mutated(self, tensor: Tensor, how: str) -> None:
        """Called after a tensor's memory was replaced or changed other than by an op."""

    def rebased(self, tensor: Tensor, node: Node) -> None:
        """Called after an in-place change gave a tensor the new grad_fn `node`."""

    def requires_grad_changed(self, tensor: Tensor) -> None:
        """Called after a tensor's requires_grad was set."""

    def grad_cleared(self, tensor: Tensor, how: str, by: str = "user") -> None:
        """Called after `.grad` was emptied or assigned, by the user or by an optimizer."""

    def tangent_computed(self, tensor: Tensor, level: int, op: str | None, tangent: Tensor) -> None:
        """Called after a tensor got a tangent, from `op` or from the user (None)."""

    def function_entered(self) -> None:
        """Called before forward() of a custom Function runs."""

    def function_left(self) -> None:
        """Called after forward() of a custom Function ran or raised."""

    def function_applied(
        self, function: type, names: Sequence[str], args: Sequence[Any], outputs: Sequence[Any], node: Node | None
    ) -> None:
        """Called after a custom Function was applied; `names` are the parameters of its forward()."""

    def packed(self, node: Node, slot: str, hook: str, given: Tensor, handle: object) -> None:
        """Called after a pack hook turned the tensor that `node` saves in `slot` into `handle`, before op() of it."""

    def unpacked(self, node: Node, slot: str, hook: str, tensor: Tensor) -> None:
        """Called after an unpack hook gave back the tensor that `node` saved in `slot`."""

    def checkpoint_entered(self, function: str, reentrant: bool, selective: bool = False) -> int:
        """Called before a function runs under a checkpoint; returns a number that the other calls give back."""
        return 0

    def checkpoint_left(self, checkpoint: int, kept: Sequence[Any] = ()) -> None:
        """Called after the forward pass of a checkpointed function, with the tokens of the tensors that were kept."""

    def recomputation_started(self, checkpoint: int, node: Node | None = None) -> None:
        """Called before a checkpointed function runs again, for `node` or else for the node that is running."""

    def recomputation_finished(self, checkpoint: int) -> None:
        """Called after a checkpointed function ran again or raised."""

    def transform_entered(self, transform: str, depth: int) -> None:
        """Called before a transform runs its function, at `depth` transforms inside each other."""

    def transform_left(self, depth: int) -> None:
        """Called after a transform ran its function or the function raised."""

    def module_entered(self, module: object) -> None:
        """Called before a module's forward() and its hooks run."""

    def module_left(self) -> None:
        """Called after the module that was entered last returned or raised."""

    def module_hook_registered(self, where: str, hook: str, module: object) -> None:
        """Called after the user registered a hook on a module."""

    def hook_registered(self, where: str, hook: str, tensor: Tensor | None, node: Node | None) -> None:
        """Called after the user registered a hook on a tensor (`node` is its grad_fn, None for a leaf) or on a node."""

    def hook_removed(self, where: str, hook: str, tensor: Tensor | None, node: Node | None) -> None:
        """Called after a hook was removed, with what hook_registered() was called with."""

    def hook_ran(
        self, where: str, node: Node | None, hook: str, before: object, after: object, owner: object = None
    ) -> None:
        """Called after a user's hook ran on `before` and returned `after`; `owner` is a module or a name."""

    def backward_started(
        self,
        task: Task,
        api: str,
        tensors: Sequence[Tensor],
        roots: Sequence[tuple[Node, int, Tensor]],
        implicit: Sequence[bool],
        inputs: Sequence[Tensor] | None,
    ) -> None:
        """Called before backward() or autograd.grad() (`api`) runs its first node."""

    def backward_failed(self, error: BaseException) -> None:
        """Called after a backward pass raised, before backward_finished()."""

    def backward_finished(self, task: Task, failed: bool) -> None:
        """Called after backward() or autograd.grad() has ended."""

    def node_started(self, node: Node, g: object) -> None:
        """Called before a node runs on `g`, in a stepwise pass; in another pass, where it raised."""

    def node_ran(self, node: Node, g: object, sent: list[Any], freed: bool, started: bool) -> None:
        """Called after a node ran in a stepwise pass.

        `sent` has input, receiver, its output, gradient and what waits there (None at first) for each gradient that
        was sent.  `freed` says that the node frees its saved tensors, `started` that node_started() was called.
        """

    def saved_freed(self, node: Node) -> None:
        """Called where a node of a stepwise pass frees its saved tensors and then raises."""

    # Any: the token of a node has a type that its recorder chooses.
    def gradients_sent(
        self,
        node: Node,
        token: Any,
        g: object,
        gradients: Sequence[Any],
        totals: Sequence[Any] | None,
        freed: bool,
    ) -> None:
        """Called after a node ran in a pass that is not stepwise; see accumulate_inputs.py for the arguments."""

    def captured(self, node: Node, tensor: Tensor | None, gradient: Tensor, into: str) -> None:
        """Called after a gradient was kept on its way, in the `.grad` of a tensor or in the result."""

    def accumulating(self, node: AccumulateGrad, gradient: object, old: Tensor | None) -> object:
        """Called before a leaf's complete gradient is added to its `.grad`; returns what accumulated() takes."""
        return None

    def grad_replaced(self, started: object, old: Tensor | None) -> object:
        """Called where `.grad` was assigned during accumulating(), which returned `started`; returns a new one."""
        return started

    # Any: what accumulating() returned, of a type that its listener chooses.
    def accumulated(self, leaf: Tensor, started: Any, *, in_place: bool) -> None:
        """Called after a leaf's `.grad` was updated, with what accumulating() returned."""

    def stored(self, node: AccumulateGrad, leaf: Tensor, gradient: object) -> None:
        """Called after a leaf without `.grad` got one, in place of accumulating() and accumulated(); see `waits`."""

    def step_started(self, optimizer: object) -> object:
        """Called before an optimizer changes its parameters; returns what step_finished() takes."""
        return None

    def step_finished(self, step: Value) -> None:
        """Called after an optimizer changed its parameters, with what step_started() returned."""

    def parameters_moved(self, optimizer: object) -> None:
        """Called before an optimizer evaluates its closure, where it may have changed its parameters."""


class Forwarding(Listener):
    """Calls every moment on the listener `behind` too, where there is one.

    A class that derives from it overrides moments and calls the listener behind by `super()`.
    """

    behind: Listener | None

    def __init__(self, behind: Listener | None) -> None:
        self.behind = behind


def moments(declaration: type[Listener]) -> tuple[str, ...]:
    """The names of the moments that a class and the classes it derives from declare as methods."""
    return tuple(
        name
        for base in reversed(declaration.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, FunctionType) and not name.startswith("_")
    )


def overridden(part: type[Listener], declaration: type[Listener] = Listener) -> tuple[str, ...]:
    """The names of the moments of `declaration` that a class which derives from it has methods of its own for."""
    return tuple(name for name in moments(declaration) if getattr(part, name) is not getattr(declaration, name))


def _forward(name: str) -> Callable[..., Any]:
    nothing = getattr(Listener, name)

    def forward(self: Forwarding, *args: Value, **kwargs: Any) -> Any:
        behind = self.behind
        return nothing(self, *args, **kwargs) if behind is None else getattr(behind, name)(*args, **kwargs)

    forward.__name__, forward.__qualname__, forward.__doc__ = name, f"Forwarding.{name}", nothing.__doc__
    return forward


for _name in moments(Listener):
    setattr(Forwarding, _name, _forward(_name))
Forwarding.waits = property(lambda self: None if self.behind is None else self.behind.waits)  # type: ignore[assignment]


class Keeper(Protocol):
    """Keeps values by reference; the engine calls it before their memory is written to."""

    def before_change(self, data: Array) -> None:
        """Called before the memory of an array is written to."""

    def holds(self, data: Array) -> bool:
        """Return True if an array is kept, by one reference."""


class PassDebugger(Protocol):
    """Stops backward passes between their nodes."""

    def nodes(self, order: list[Node], pass_: ListenedPass) -> Iterator[Node]:
        """The nodes of a pass that is not stepwise; the engine runs each before it takes the next."""

    def before_node(self, node: Node) -> None:
        """Called before a node of a stepwise pass runs."""

    def after_node(self, node: Node) -> None:
        """Called after a node of a stepwise pass ran."""
