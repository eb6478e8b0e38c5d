"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, State, check, check_learning_rate, number, scalar, zeros_like
from backscope.runtime.given import Value, Values


class ASGD(Rule):
    """Gradient descent with a decaying rate that also keeps the mean of the parameters, `ax` in the state."""

    capturable_text = "params, mus, etas, and state_steps must be on supported devices"

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check("weight_decay value", weight_decay)
        super().__init__(
            params,
            {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
             "maximize": maximize, "differentiable": differentiable, "capturable": capturable},
        )  # fmt: skip

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, the rate as given, no mean yet."""
        rate = number(group["lr"], {})
        return {"step": scalar(0.0), "eta": scalar(rate), "mu": scalar(1.0), "ax": zeros_like(parameter)}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, lambd, rate = number(group["lr"], {}), group["lambd"], state["eta"].item()
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        parameter.mul_(1 - lambd * rate)
        parameter.add_(gradient, alpha=-rate)
        mean = state["ax"]
        if state["mu"].item() != 1:
            mean.add_(parameter.sub(mean).mul_(state["mu"]))
        else:
            mean.copy_(parameter)
        step = state["step"].item()
        state["eta"].copy_(scalar(lr / ((1 + lambd * lr * step) ** group["alpha"])))
        state["mu"].copy_(scalar(1 / max(1, step - group["t0"])))
