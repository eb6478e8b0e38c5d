"""Adamax: Adam with the largest gradient so far in the place of the mean square."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, State, check, check_betas, check_learning_rate, number, scalar, zeros_like
from backscope.runtime.given import Value, Values


class Adamax(Rule):
    """p -= lr * mean gradient / decaying maximum of the gradient."""

    def __init__(
        self,
        params: Values,
        lr: Value = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
             "maximize": maximize, "differentiable": differentiable, "capturable": capturable},
        )  # fmt: skip

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, mean and maximum 0."""
        return {"step": scalar(0.0), "exp_avg": zeros_like(parameter), "exp_inf": zeros_like(parameter)}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        mean, largest = state["exp_avg"], state["exp_inf"]
        mean.lerp_(gradient, 1 - beta1)
        largest.copy_((largest * beta2).maximum(gradient.abs().add_(group["eps"])))
        rate = number(group["lr"], {}) / (1 - beta1 ** state["step"].item())
        parameter.addcdiv_(mean, largest, value=-rate)
