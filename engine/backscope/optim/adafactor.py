"""Adafactor: for each matrix the mean squares of its rows and of its columns are kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.optim.rule import Group, Rule, State, number, scalar, zeros_like
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor, make


class Adafactor(Rule):
    """Steps relative to the size of the parameter; ValueError for options out of range."""

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr._data.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(
            params,
            {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
             "foreach": foreach, "maximize": maximize},
        )  # fmt: skip

    def check(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        """Raise RuntimeError for complex parameters and sparse gradients."""
        if parameter._dtype.is_complex:
            raise RuntimeError("Adafactor does not support complex parameters")
        super().check(parameter, gradient, group)

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps; row and column of a matrix, or the whole mean square of a vector, 0."""
        shape = parameter._grad._data.shape
        if len(shape) < 2:
            return {"step": scalar(0.0), "variance": zeros_like(parameter._grad)}
        kind = parameter._grad._dtype
        row, column = (*shape[:-1], 1), (*shape[:-2], 1, shape[-1])
        return {
            "step": scalar(0.0),
            "row_var": make(np.zeros(row, kind.np), kind),
            "col_var": make(np.zeros(column, kind.np), kind),
        }

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, (eps1, eps2), step = number(group["lr"], {}), group["eps"], state["step"].item()
        if eps1 is None:
            eps1 = float(np.finfo(parameter._dtype.np).eps)
        share = step ** group["beta2_decay"]
        size = parameter.norm(2).item() / math.sqrt(parameter.numel())
        alpha = max(eps2, size) * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"] != 0:
            parameter.mul_(1 - lr * group["weight_decay"])
        if gradient.ndim > 1:
            row, column = state["row_var"], state["col_var"]
            row.lerp_(gradient.norm(dim=-1, keepdim=True).square_().div_(gradient.shape[-1]), share)
            column.lerp_(gradient.norm(dim=-2, keepdim=True).square_().div_(gradient.shape[-2]), share)
            estimate = (row @ column).div_(row.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            state["variance"].lerp_(gradient * gradient, share)
            estimate = state["variance"].clone()
        update = estimate.clamp_(min=eps1 * eps1).rsqrt_().mul_(gradient)
        denominator = max(1.0, update.norm(2).item() / (math.sqrt(update.numel()) * group["d"]))
        parameter.add_(update, alpha=-alpha / denominator)
