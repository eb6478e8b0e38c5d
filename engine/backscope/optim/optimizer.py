"""What all optimizers share: parameter groups, zero_grad, the step that listeners see."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from backscope.autograd.grad_mode import enable_grad, no_grad
from backscope.listening import hub
from backscope.tensor import Tensor

required = object()


class Optimizer:
    """Holds parameters in groups with their options; subclasses update one parameter at a time.

    Raises TypeError and ValueError as PyTorch does for parameters that are no tensors, no leaves, given twice, or none.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = {}
        self.param_groups: list[dict[str, Any]] = []
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"torch.{params.dtype.type_name}Tensor"
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        params = param_group["params"]
        group = {**self.defaults, **param_group, "params": [params] if isinstance(params, Tensor) else list(params)}
        for p in group["params"]:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        seen = {id(p) for g in self.param_groups for p in g["params"]}
        if any(id(p) in seen for p in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Empty the `.grad` of all parameters: None, or zeros in place."""
        for p in self._parameters():
            if p._grad is None:
                continue
            if set_to_none:
                p._grad = None
                if hub.listener is not None:
                    hub.listener.grad_cleared(p, "none", by="optimizer")
            else:
                if p._grad.grad_fn is not None:
                    p._grad.detach_()
                else:
                    p._grad.requires_grad_(False)
                p._grad.zero_()  # type: ignore[attr-defined]

    def _parameters(self) -> Iterable[Tensor]:
        for group in self.param_groups:
            yield from group["params"]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters that have a gradient; returns what `closure` returns, if one is given."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        listener, hub.listener = hub.listener, None
        try:
            before = (
                None
                if listener is None
                else listener.parameters([p for p in self._parameters() if p._grad is not None])
            )
            with no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        if p._grad is not None:
                            self.update(p, p._grad, group)
        finally:
            hub.listener = listener
        if listener is not None:
            listener.optimizer_stepped(type(self).__name__, before)
        return loss

    def update(self, parameter: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        """Change one parameter; what a subclass is about."""
        raise NotImplementedError

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(k for k in group if k != "params"):
                text += f"    {key}: {group[key]}\n"
        return text + ")"
