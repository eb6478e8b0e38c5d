"""Adam and AdamW: running means of the gradient and of its square."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import (
    Group,
    Rule,
    State,
    check,
    check_betas,
    check_fused,
    check_learning_rate,
    number,
    scalar,
    zeros_like,
)
from backscope.runtime.given import Option, Value, Values
from backscope.tensor.dtype import float32
from backscope.tensor.tensor import Tensor


class Adam(Rule):
    """Steps along the mean gradient over the root of its mean square; ValueError for options out of range."""

    sparse_text = "Adam does not support sparse gradients, please consider SparseAdam instead"

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        eager = bool(foreach) and not capturable
        if isinstance(lr, Tensor) and eager:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_learning_rate(lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        _check_kinds(betas, eager)
        betas = (number(betas[0], {"differentiable": True}), number(betas[1], {"differentiable": True}))
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
             "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
             "fused": fused, "decoupled_weight_decay": decoupled_weight_decay},
        )  # fmt: skip
        check_fused(self.defaults)

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, and both means 0."""
        state = {
            "step": scalar(0.0, float32 if group["fused"] else None),
            "exp_avg": zeros_like(parameter),
            "exp_avg_sq": zeros_like(parameter),
        }
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(parameter)
        return state

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, weight_decay, differentiable = number(group["lr"], group), group["weight_decay"], group["differentiable"]
        betas: list[Any] = [number(b, group) for b in group["betas"]]
        beta1, beta2 = betas
        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * weight_decay)
            elif isinstance(weight_decay, Tensor) and weight_decay._requires_grad:
                gradient = gradient.addcmul_(parameter.clone(), weight_decay)
            else:
                gradient = gradient.add(parameter, alpha=weight_decay)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(gradient, 1 - beta1)
        learned = isinstance(beta2, Tensor) and beta2._requires_grad
        if learned:
            square.lerp_(gradient * gradient, 1 - beta2)
        else:
            square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        step = state["step"].clone() if differentiable else state["step"].item()
        step_size = lr / (1 - beta1**step)
        correction = (1 - beta2**step) ** 0.5
        if group["amsgrad"]:
            most = state["max_exp_avg_sq"]
            most.copy_((most.clone() if differentiable else most).maximum(square))
            square = most
        if differentiable:
            denominator = (square.sqrt() / (correction * -step_size)).add_(group["eps"] / -step_size)
            parameter.addcdiv_(mean.clone(), denominator)
        else:
            parameter.addcdiv_(mean, (square.sqrt() / correction).add_(group["eps"]), value=-step_size)


def _check_kinds(betas: Option, eager: bool) -> None:
    tensors = [isinstance(b, Tensor) for b in betas]
    if not all(tensors) and not all(isinstance(b, float) for b in betas):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, b in enumerate(betas):
        if isinstance(b, Tensor):
            if eager:
                raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
            if b._data.size != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")


class AdamW(Adam):
    """Adam with weight decay of the parameter itself, not through the gradient."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
