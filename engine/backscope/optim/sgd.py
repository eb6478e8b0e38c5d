"""Stochastic gradient descent, with momentum, weight decay and Nesterov's variant."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, check_fused, number
from backscope.runtime.given import Value, Values
from backscope.tensor.dtype import FLOATING
from backscope.tensor.tensor import Tensor


class SGD(Rule):
    """p -= lr * gradient, with momentum as an option; ValueError for options out of range."""

    as_pairs = False
    counts_steps = False

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Value = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr._data.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
             "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused},
        )  # fmt: skip
        check_fused(self.defaults)

    def check(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        """Raise RuntimeError for parameters that the fused form can't take; sparse gradients are welcome."""
        if group["fused"] and parameter._dtype.category != FLOATING:
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of supported devices: "
                f"['mps', 'cuda', 'xpu', 'hpu', 'cpu', 'mtia', 'privateuseone'] but {parameter.dtype} and cpu"
            )

    def remembers(self, group: Group) -> bool:
        """True with momentum."""
        return bool(group["momentum"] != 0)

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, weight_decay, momentum = number(group["lr"], group), group["weight_decay"], group["momentum"]
        if isinstance(weight_decay, Tensor) and weight_decay._requires_grad:
            gradient = gradient.addcmul_(parameter.clone(), weight_decay)
        elif weight_decay != 0:
            gradient = gradient.add(parameter, alpha=weight_decay)
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = gradient.detach().clone()
            else:
                buffer.mul_(momentum).add_(gradient, alpha=1 - group["dampening"])
            gradient = gradient.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        if isinstance(lr, Tensor) and lr._requires_grad:
            parameter.addcmul_(gradient, lr, value=-1)
        else:
            parameter.add_(gradient, alpha=-(lr.item() if isinstance(lr, Tensor) else lr))
