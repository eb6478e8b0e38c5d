"""torch.autograd.graph.Node: a virtual base class of which every node is an instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd import node as engine
from backscope.autograd.function.context import BackwardCFunction
from backscope.autograd.undefined_grad import DelayedError, UndefinedGrad

if TYPE_CHECKING:
    from backscope.autograd.hooks.removable import RemovableHandle


class _Virtual(type):
    def __call__(cls, *args: object, **kwargs: object) -> Any:
        raise TypeError(
            "Can't instantiate abstract class Node with abstract methods _input_metadata, _register_hook_dict, "
            "_sequence_nr, metadata, name, next_functions, register_hook, register_prehook"
        )

    def __instancecheck__(cls, instance: object) -> bool:
        return issubclass(type(instance), cls)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if subclass is cls:
            return True
        return issubclass(subclass, (engine.Node, BackwardCFunction, DelayedError, UndefinedGrad))


class Node(metaclass=_Virtual):
    """The type of `grad_fn`: one step of the backward pass."""

    def name(self) -> str:
        """Return the name of the formula."""
        raise NotImplementedError

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """The node and output number that the gradient of each input goes to."""
        raise NotImplementedError

    def metadata(self) -> dict[str, Any]:
        """Return a dictionary in which a program may keep notes on this node."""
        raise NotImplementedError

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after this node ran."""
        raise NotImplementedError

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_outputs)` before this node runs."""
        raise NotImplementedError


Node.__module__ = "torch.autograd.graph"
