"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, State, check, check_betas, check_learning_rate, number, scalar, zeros_like
from backscope.runtime.given import Value, Values


class NAdam(Rule):
    """Adam with Nesterov momentum that grows from step to step."""

    capturable_text = "params, mu_products and state_steps must be on supported devices"

    def __init__(
        self,
        params: Values,
        lr: Value = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        check("momentum_decay value", momentum_decay)
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
             "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
             "capturable": capturable, "differentiable": differentiable},
        )  # fmt: skip

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, both means 0, the product of all momenta 1."""
        return {
            "step": scalar(0.0),
            "mu_product": scalar(1.0),
            "exp_avg": zeros_like(parameter),
            "exp_avg_sq": zeros_like(parameter),
        }

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, weight_decay, (beta1, beta2) = number(group["lr"], group), group["weight_decay"], group["betas"]
        step, decay = state["step"].item(), group["momentum_decay"]
        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * weight_decay)
            else:
                gradient = gradient.add(parameter, alpha=weight_decay)
        momentum = beta1 * (1.0 - 0.5 * (0.96 ** (step * decay)))
        following = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * decay)))
        state["mu_product"].mul_(momentum)
        product = state["mu_product"].clone() if group["differentiable"] else state["mu_product"].item()
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        denominator = square.div(1 - beta2**step).sqrt().add(group["eps"])
        now, ahead = -lr * (1.0 - momentum) / (1.0 - product), -lr * following / (1.0 - product * following)
        if group["differentiable"]:
            parameter.addcdiv_(gradient * now, denominator)
            parameter.addcdiv_(mean * ahead, denominator)
        else:
            parameter.addcdiv_(gradient, denominator, value=now)
            parameter.addcdiv_(mean, denominator, value=ahead)
