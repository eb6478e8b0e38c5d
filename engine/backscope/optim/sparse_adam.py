"""SparseAdam: Adam for gradients that name just some rows."""

from __future__ import annotations

import math
from typing import Any

from backscope.optim.adagrad import _sparse
from backscope.optim.rule import Group, Rule, State, check_betas, number, zeros_like
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


class SparseAdam(Rule):
    """Adam for sparse gradients: updates only the rows that the gradient has.

    Raises: ValueError for options out of range.
    """

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr._data.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [[i, j, p] for i, g in enumerate(self.param_groups) for j, p in enumerate(g["params"])]
        sparse = [[i, j] for i, j, p in places if getattr(p, "is_sparse", False)]
        if sparse:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        complex_ones = [[i, j] for i, j, p in places if p._dtype.is_complex]
        if complex_ones:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex parameters"
            )

    def check(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        """Raise RuntimeError for dense gradients."""
        if not getattr(gradient, "is_sparse", False):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def begin(self, parameter: Value, group: Group) -> State:
        """No steps, and both means 0."""
        return {"step": 0, "exp_avg": zeros_like(parameter), "exp_avg_sq": zeros_like(parameter)}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update the rows of one parameter that the sparse gradient has."""
        beta1, beta2 = group["betas"]
        gradient = gradient.coalesce()
        rows, values = gradient._indices(), gradient._values()
        if not values.numel():
            return
        mean, square, step = state["exp_avg"], state["exp_avg_sq"], state["step"]
        old_mean, old_square = mean.sparse_mask(gradient)._values(), square.sparse_mask(gradient)._values()
        to_mean = values.sub(old_mean).mul_(1 - beta1)
        to_square = values.pow(2).sub_(old_square).mul_(1 - beta2)
        mean.add_(_sparse(rows, to_mean, gradient, False))
        square.add_(_sparse(rows, to_square, gradient, False))
        numerator, denominator = to_mean.add_(old_mean), to_square.add_(old_square).sqrt_().add_(group["eps"])
        rate = number(group["lr"], {}) * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        parameter.add_(_sparse(rows, -rate * numerator.div_(denominator), gradient, False))
