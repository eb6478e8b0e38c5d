"""Adagrad: steps shrink with the sum of all squared gradients."""

from __future__ import annotations

from typing import Any

from backscope.optim.rule import Group, Rule, check, check_fused, check_learning_rate, filled_like, number, scalar
from backscope.runtime.given import Value, Values
from backscope.tensor.dtype import float32
from backscope.tensor.tensor import Tensor


class Adagrad(Rule):
    """p -= lr * gradient / (sqrt(sum of squares) + eps); the state exists from the start."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        check("lr_decay value", lr_decay)
        check("weight_decay value", weight_decay)
        check("initial_accumulator_value value", initial_accumulator_value)
        check("epsilon value", eps)
        super().__init__(
            params,
            {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
             "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
             "differentiable": differentiable, "fused": fused},
        )  # fmt: skip
        check_fused(self.defaults)
        for group in self.param_groups:
            for p in group["params"]:
                first = initial_accumulator_value
                self.state[p]["step"] = scalar(0.0, float32 if group["fused"] else None)
                self.state[p]["sum"] = filled_like(p, complex(first, first) if p._dtype.is_complex else first)

    def share_memory(self) -> None:
        """Do nothing: the state is in this process alone."""

    def check(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        """Raise RuntimeError for weight decay with a sparse gradient."""
        if getattr(gradient, "is_sparse", False) and group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        if group["weight_decay"] != 0:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        rate = number(group["lr"], group) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        total = state["sum"]
        if getattr(gradient, "is_sparse", False):
            gradient = gradient.coalesce()
            rows, values = gradient._indices(), gradient._values()
            total.add_(_sparse(rows, values.pow(2), gradient))
            root = total.sparse_mask(gradient)._values().sqrt_().add_(group["eps"])
            parameter.add_(_sparse(rows, values / root, gradient), alpha=-rate)
            return
        total.addcmul_(gradient, gradient, value=1)
        parameter.addcdiv_(gradient, total.sqrt() + group["eps"], value=-rate)


def _sparse(indices: Values, values: Values, like: Value, check_invariants: bool | None = None) -> Any:
    from backscope.ops.core.namespace import torch_functions

    return torch_functions["sparse_coo_tensor"](indices, values, like.shape, check_invariants=check_invariants)
