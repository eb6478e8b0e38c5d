"""Adadelta: steps as large as earlier steps were, compared with the gradients then."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, State, check, check_learning_rate, number, scalar, zeros_like
from backscope.runtime.given import Value, Values


class Adadelta(Rule):
    """p -= lr * sqrt(mean squared step / mean squared gradient) * gradient."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check("epsilon value", eps)
        check("weight_decay value", weight_decay)
        super().__init__(
            params,
            {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
             "capturable": capturable, "foreach": foreach, "differentiable": differentiable},
        )  # fmt: skip

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, and both means 0."""
        return {"step": scalar(0.0), "square_avg": zeros_like(parameter), "acc_delta": zeros_like(parameter)}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        rho, eps = group["rho"], group["eps"]
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        square, steps = state["square_avg"], state["acc_delta"]
        square.mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
        root = square.add(eps).sqrt_()
        delta = steps.add(eps).sqrt_()
        if group["differentiable"]:
            delta = delta.clone()
        delta.div_(root).mul_(gradient)
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        parameter.add_(delta, alpha=-number(group["lr"], {}))
