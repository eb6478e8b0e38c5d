"""Muon: momentum that is made nearly orthogonal before each step."""

from __future__ import annotations

import math
from typing import Any

from backscope.optim.rule import Group, Rule, State, number, zeros_like
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.dtype import bfloat16
from backscope.tensor.tensor import Tensor


class Muon(Rule):
    """Muon, for matrices only; ValueError for other parameters and for options out of range."""

    counts_steps = False

    def __init__(
        self,
        params: Values,
        lr: Value = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr._data.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn is not None and adjust_lr_fn not in ("original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
             "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn},
        )  # fmt: skip
        for p in self._parameters():
            if p.ndim != 2:
                raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {p.shape}")

    def check(self, parameter: Tensor, gradient: Tensor, group: Group) -> None:
        """Raise RuntimeError for complex parameters and sparse gradients."""
        if parameter._dtype.is_complex:
            raise RuntimeError("Muon does not support complex parameters")
        super().check(parameter, gradient, group)

    def begin(self, parameter: Value, group: Group) -> State:
        """Momentum 0."""
        return {"momentum_buffer": zeros_like(parameter._grad)}

    def update(self, parameter: Value, gradient: Value, state: dict[str, Any], group: Group) -> None:
        """Update one parameter and its state."""
        lr, momentum, buffer = number(group["lr"], {}), group["momentum"], state["momentum_buffer"]
        buffer.lerp_(gradient, 1 - momentum)
        update = gradient.lerp(buffer, momentum) if group["nesterov"] else buffer
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        parameter.mul_(1 - lr * group["weight_decay"])
        parameter.add_(update, alpha=-lr * _ratio(group["adjust_lr_fn"], parameter.shape))


def _orthogonal(matrix: Value, coefficients: Any, steps: int, eps: float) -> Any:
    """A matrix with singular values near 1, by Newton and Schulz's iteration in bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.to(bfloat16)
    x = x.T if tall else x
    x.div_(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        x = x.addmm(gram.addmm(gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


def _ratio(how: str | None, shape: Shape) -> float:
    rows, columns = shape[:2]
    if how == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))
