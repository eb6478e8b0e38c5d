"""Rprop: steps by the sign of the gradient alone, larger while the sign stays."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, State, check_learning_rate, filled_like, number, scalar, zeros_like
from backscope.runtime.given import Value, Values


class Rprop(Rule):
    """Each element has a step size: it grows by etas[1] while the gradient's sign stays, else it shrinks by etas[0]."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {"lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
             "differentiable": differentiable, "capturable": capturable},
        )  # fmt: skip

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, no gradient before, and the same step size everywhere."""
        rate = number(group["lr"], {})
        first = complex(rate, rate) if parameter._dtype.is_complex else rate
        return {"step": scalar(0.0), "prev": zeros_like(parameter), "step_size": filled_like(parameter, first)}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        smaller, larger = group["etas"]
        previous = state["prev"].clone() if group["differentiable"] else state["prev"]
        sign = gradient.mul(previous).sign()
        factor = sign.detach().clone()
        factor[sign.gt(0)] = larger
        factor[sign.lt(0)] = smaller
        factor[sign.eq(0)] = 1
        size = state["step_size"]
        size.mul_(factor).clamp_(*group["step_sizes"])
        gradient = gradient.clone()
        gradient[factor.eq(smaller)] = 0
        parameter.addcmul_(gradient.sign(), size, value=-1)
        state["prev"].copy_(gradient)
