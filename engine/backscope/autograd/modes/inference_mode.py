"""Inference mode: ops are not recorded, and their results have no version counter and can't be saved for backward.

The type of its version counter marks an inference tensor.  A listener marks the results of ops while the mode is on, so
that the mode costs nothing while it is off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from backscope.autograd.modes.decorator import _DecoratorContextManager
from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.modes.grad_mode import is_grad_enabled, mode, switch
from backscope.runtime.given import Option, Value, Values
from backscope.runtime.listener import Forwarding
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor
from backscope.tensor.version_counter import INFERENCE

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.ops.core.declaration import Op


def is_inference_mode_enabled() -> bool:
    """True inside of inference_mode."""
    return mode.inference


def is_inference(input: Tensor) -> bool:  # noqa: A002
    """True for a tensor made in inference mode."""
    return input.is_inference()


class inference_mode(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Ops inside are not recorded, compute no tangents and make inference tensors; with False the opposite holds."""

    # Any: a context, or the decorated function where one is given.
    def __new__(cls, mode: Option = True) -> Any:
        """Return a context, or the decorated function where one is given."""
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.prev = mode.inference, is_grad_enabled(), mode.enabled, forward_mode.enabled
        mode.inference = self.mode
        mode.requested = False
        mode.enabled = forward_mode.enabled = not self.mode
        if self.mode and not isinstance(hub.listener, _Marker):
            hub.listener = _Marker(hub.listener)

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        inference, requested, enabled, forward_mode.enabled = self.prev
        mode.inference = inference
        mode.enabled = enabled
        switch(requested)
        if not inference and isinstance(hub.listener, _Marker):
            hub.listener = hub.listener.behind

    def clone(self) -> Self:
        """Return a context with the same mode, for one call of a decorated function."""
        return self.__class__(self.mode)


inference_mode.__module__ = "torch.autograd.grad_mode"


class _Marker(Forwarding):
    """Marks what is made in inference mode."""

    waits = staticmethod(lambda *_: True)
    """Makes the engine call accumulated() for a first gradient too."""

    def created(self, tensor: Tensor, origin: str) -> None:
        """Mark the tensor of a creation function."""
        _mark(tensor)
        super().created(tensor, origin)

    def op(
        self,
        name: str,
        op: Op | None,
        args: Values,
        outputs: Values,
        node: Node | None,
        *,
        view: bool = False,
        in_place: bool = False,
    ) -> None:
        """Mark the results of an op."""
        if not view and not in_place:
            for out in outputs:
                _mark(out)
        super().op(name, op, args, outputs, node, view=view, in_place=in_place)

    def applied(self, op: Op, first: Value, second: Value, out: Value, *made: Value) -> Any:
        """Mark the result of an elementwise op."""
        _mark(out)
        return super().applied(op, first, second, out, *made)

    def requires_grad_changed(self, tensor: Tensor) -> None:
        """Mark a tensor after a program set its requires_grad."""
        _mark(tensor)
        super().requires_grad_changed(tensor)

    def accumulated(self, leaf: Tensor, started: object, *, in_place: bool) -> None:
        """Mark the new `.grad` of a leaf."""
        if not in_place and leaf._grad is not None:
            _mark(leaf._grad)
        super().accumulated(leaf, started, in_place=in_place)


def _mark(tensor: Tensor) -> None:
    if mode.inference and tensor._shared is None:
        tensor._shared = INFERENCE
    if tensor._requires_grad and tensor._shared is INFERENCE:
        tensor._view = OUTSIDE_VIEWS


class _OutsideViews:
    """The view entry of an inference tensor that requires grad: no view, but it sends its ops to the slower checks."""

    base = replay = lazy = None
    made = "default"
    inherits = False
    version = 0

    def renew(self, tensor: Tensor) -> bool:
        """True: ops go the long way."""
        return True

    def inherit(self, tensor: Tensor) -> None:
        """There is nothing to inherit from."""

    regenerate = inherit

    def refuse(self, tensor: Tensor, *, indirect: bool) -> None:
        """Nothing is refused."""


# Any: it replaces a View and has only the members that are read.
OUTSIDE_VIEWS: Any = _OutsideViews()
