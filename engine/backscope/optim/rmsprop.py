"""RMSprop: gradients over the root of their running mean square."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, State, check, check_learning_rate, number, scalar, zeros_like
from backscope.runtime.given import Value, Values


class RMSprop(Rule):
    """p -= lr * gradient / (sqrt(mean square) + eps), with momentum and centring as options."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check("epsilon value", eps)
        check("momentum value", momentum)
        check("weight_decay value", weight_decay)
        check("alpha value", alpha)
        super().__init__(
            params,
            {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
             "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
             "differentiable": differentiable},
        )  # fmt: skip

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, all means 0."""
        state = {"step": scalar(0.0), "square_avg": zeros_like(parameter)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(parameter)
        if group["centered"]:
            state["grad_avg"] = zeros_like(parameter)
        return state

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, alpha = number(group["lr"], {}), group["alpha"]
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        square = state["square_avg"]
        square.mul_(alpha).addcmul_(gradient, gradient, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            mean.lerp_(gradient, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root.add(group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(gradient, root)
            parameter.add_(buffer, alpha=-lr)
        else:
            parameter.addcdiv_(gradient, root, value=-lr)
