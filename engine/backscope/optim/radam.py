"""RAdam: Adam that uses the mean square only after enough steps to estimate it."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, State, check, check_betas, check_learning_rate, number, scalar, zeros_like
from backscope.runtime.given import Value, Values


class RAdam(Rule):
    """Plain momentum in the first steps, then Adam with a rectified step."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
             "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
             "differentiable": differentiable},
        )  # fmt: skip

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, and both means 0."""
        return {"step": scalar(0.0), "exp_avg": zeros_like(parameter), "exp_avg_sq": zeros_like(parameter)}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, weight_decay, (beta1, beta2) = number(group["lr"], group), group["weight_decay"], group["betas"]
        step = state["step"].item()
        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * weight_decay)
            else:
                gradient = gradient.add(parameter, alpha=weight_decay)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        change = mean / (1 - beta1**step) * lr
        correction = 1 - beta2**step
        # The length of the simple moving average that the mean square amounts to, in the limit and now.
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * step * beta2**step / correction
        if length > 5.0:
            rectified = ((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) ** 0.5
            change = change * (correction**0.5 / square.sqrt().add(group["eps"])) * rectified
        parameter.add_(change, alpha=-1.0)
