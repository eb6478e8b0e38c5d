"""Stochastic gradient descent, with momentum, weight decay and Nesterov's variant."""

from __future__ import annotations

from typing import Any

from backscope.optim.optimizer import Optimizer
from backscope.tensor import Tensor


class SGD(Optimizer):
    """p -= lr * gradient, the gradient smoothed by momentum where asked for; ValueError for options out of range."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if not isinstance(lr, Tensor) and lr < 0.0:
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

    def update(self, parameter: Any, gradient: Any, group: dict[str, Any]) -> None:
        """One step of gradient descent for one parameter."""
        if group["maximize"]:
            gradient = -gradient
        if group["weight_decay"]:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        if group["momentum"]:
            state = self.state.setdefault(parameter, {})
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = gradient.clone().detach()
            else:
                buffer.mul_(group["momentum"]).add_(gradient, alpha=1 - group["dampening"])
            gradient = gradient.add(buffer, alpha=group["momentum"]) if group["nesterov"] else buffer
        parameter.add_(gradient, alpha=-group["lr"])
