"""Optimizers that change one parameter at a time, by a rule for a parameter, its gradient and its state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from backscope.autograd.modes.grad_mode import enable_grad, set_grad_enabled
from backscope.ops.pointwise.complex_views import _view_as_real as view_as_real
from backscope.optim.optimizer import Optimizer
from backscope.runtime.given import Option, Value
from backscope.runtime.listening import hub
from backscope.tensor.dtype import default, dtype, float32, float64
from backscope.tensor.tensor import Tensor, make
from backscope.torch_dispatch.interception import state_begun
from backscope.torch_dispatch.mode_stack import stack

State = dict[str, Any]
Group = dict[str, Any]


class Rule(Optimizer):
    """The base of optimizers with a rule per parameter.

    A subclass defines `begin`, the first state of a parameter, and `update`, which changes the parameter in place.
    """

    as_pairs: ClassVar[bool] = True
    """Complex parameters are updated as pairs of real numbers."""
    sparse_text: ClassVar[str] = "{name} does not support sparse gradients"
    capturable_text: ClassVar[str] = "params and state_steps must be on supported devices"
    counts_steps: ClassVar[bool] = True

    # Any: a closure returns its loss, a tensor or a number.
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters that have a gradient; returns what `closure` returns, if one is given."""
        with recording(bool(self.defaults.get("differentiable"))):
            loss = None
            if closure is not None:
                with enable_grad():
                    loss = closure()
            with unreported():
                for group in self.param_groups:
                    self._update_group(group)
        return loss

    def _update_group(self, group: Group) -> None:
        ready = []
        for p in group["params"]:
            if p._grad is None:
                continue
            self.check(p, p._grad, group)
            if self.remembers(group) and not self.state[p]:
                self.state[p].update(self.begin(p, group))
                if stack.modes:
                    state_begun(p, self.state[p])
            ready.append(p)
        if ready and group.get("capturable"):
            raise AssertionError(
                f"If capturable=True, {self.capturable_text}: ['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']."
            )
        if ready and group.get("foreach") and group.get("differentiable"):
            raise AssertionError("_foreach ops don't support autograd")
        for p in ready:
            state, gradient, parameter = self.state[p] if self.remembers(group) else {}, p._grad, p
            if group.get("maximize"):
                gradient = -gradient
            if self.counts_steps:
                state["step"] += 1
            if self.as_pairs and p._dtype.is_complex:
                pairs = {k: view_as_real(v) if _is_complex(v) else v for k, v in state.items()}
                parameter, gradient, state = view_as_real(p), view_as_real(gradient), pairs
            self.update(parameter, gradient, state, group)

    def check(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        """Raise RuntimeError for what this optimizer can't update."""
        if getattr(gradient, "is_sparse", False):
            raise RuntimeError(self.sparse_text.format(name=type(self).__name__))

    def remembers(self, group: Group) -> bool:
        """Return False where no state is kept from step to step."""
        return True

    def begin(self, parameter: Value, group: Group) -> State:
        """The state of a parameter before its first step."""
        return {}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Change one parameter; defined by subclasses."""
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)
            for p in group["params"]:
                own = self.state.get(p)
                if own and "step" in own and not isinstance(own["step"], Tensor):
                    own["step"] = scalar(float(own["step"]))


def _is_complex(value: Value) -> bool:
    return isinstance(value, Tensor) and value._dtype.is_complex


@contextmanager
def recording(value: bool) -> Iterator[None]:
    """The grad mode of a step: off, but for a differentiable optimizer."""
    with set_grad_enabled(value):
        yield


@contextmanager
def unreported() -> Iterator[None]:
    """Don't report the ops of an update to the listener within a context: it gets the step as a whole."""
    listener, hub.listener = hub.listener, None
    try:
        yield
    finally:
        hub.listener = listener


def scalar(value: float, kind: dtype | None = None) -> Value:
    """A 0-d tensor of the state, such as the count of steps."""
    kind = kind or (float64 if default.floating is float64 else float32)
    return make(np.asarray(value, kind.np)[()], kind)


def zeros_like(tensor: Value) -> Value:
    """Zeros in the shape, dtype and layout of a parameter."""
    return filled_like(tensor, 0)


def filled_like(tensor: Value, value: Value) -> Value:
    """Return a tensor filled with one number, in the shape, dtype and layout of a parameter."""
    data = np.full_like(tensor._data, value) if isinstance(tensor._data, np.ndarray) else None
    return make(np.asarray(value).astype(tensor._dtype.np)[()] if data is None else data, tensor._dtype)


def number(option: Option, group: Group) -> Value:
    """An option that may be a tensor of one element; as a Python number unless the step is differentiable."""
    if not isinstance(option, Tensor):
        return option
    if group.get("differentiable"):
        return option.squeeze() if option.ndim else option  # type: ignore[attr-defined]
    return option.item()


def check_learning_rate(lr: Value) -> None:
    """Raise ValueError for a learning rate below 0 or of several elements."""
    if isinstance(lr, Tensor) and lr._data.size != 1:
        raise ValueError("Tensor lr must be 1-element")
    check("learning rate", lr)


def check(name: str, value: Value) -> None:
    """Raise ValueError for an option below 0."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: Option) -> None:
    """Raise ValueError for coefficients that are not in [0, 1)."""
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_fused(group: Group) -> None:
    """Raise RuntimeError for options that exclude each other."""
    if group.get("fused"):
        if group.get("differentiable"):
            raise RuntimeError("`fused` does not support `differentiable`")
        if group.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
