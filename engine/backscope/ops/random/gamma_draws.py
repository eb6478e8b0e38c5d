"""Gamma, Dirichlet, binomial and Poisson numbers, and how the first two move with their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.random.gamma_slopes import dirichlet_slope, gamma_slope
from backscope.random import default_generator
from backscope.runtime.given import Option
from backscope.tensor.tensor import Tensor, of_raw

_NO_SLOPE = "is an error: PyTorch has no derivative for it"


@op(
    symbol="Γ",
    latex={"self": r"g \cdot \frac{\partial \text{result}}{\partial \text{self}}"},
    summary={"self": "multiplies the incoming {g} by how {result} moves with {self} along its quantile"},
)
class standard_gamma:
    """Numbers of gamma distributions of rate 1 by their shape parameters."""

    def forward(self: A, generator: Option) -> A:
        return (generator or default_generator).standard_gamma(np.asarray(self))[()]

    def grad_self(g: V, self: V, result: V) -> V:
        return g * xp.standard_gamma_grad(self, result)


@op(
    symbol="∂Γ",
    latex={"self": r"\text{no derivative}", "output": r"\text{no derivative}"},
    summary={"self": _NO_SLOPE, "output": _NO_SLOPE},
)
class standard_gamma_grad:
    """The derivatives of gamma numbers by their shape parameters."""

    def forward(self: A, output: A) -> A:
        return gamma_slope(self, output)

    def grad_self(g: V) -> V:
        raise no_derivative("_standard_gamma_grad")

    def grad_output(g: V) -> V:
        raise no_derivative("_standard_gamma_grad")


@op(
    symbol="Poisson",
    latex={"self": "0"},
    summary={"self": "sends 0: what is drawn has no slope"},
)
class poisson:
    """Numbers of events where each element of the input is to be expected."""

    def forward(self: A, generator: Option) -> A:
        return (generator or default_generator).poisson(np.asarray(self))[()]

    def grad_self(g: V, self: V) -> V:
        return xp.zeros_like(self)


@export("_standard_gamma", method=False)
def _standard_gamma(input: Tensor, generator: Option = None) -> Any:  # noqa: A002
    """Numbers of gamma distributions of rate 1; gradients flow to the shape parameters."""
    return apply(primitives["standard_gamma"], input, generator)


@export("_standard_gamma_grad", method=False)
def _standard_gamma_grad(input: Tensor, output: Tensor) -> Any:  # noqa: A002
    """Return the derivatives of gamma numbers by their shape parameters."""
    return apply(primitives["standard_gamma_grad"], input, output)


@export("poisson", method=False)
def _poisson(input: Tensor, generator: Option = None) -> Any:  # noqa: A002
    """Draw Poisson numbers with the means in input."""
    return apply(primitives["poisson"], input, generator)


@export("_sample_dirichlet", method=False)
def _sample_dirichlet(input: Tensor, generator: Option = None) -> Any:  # noqa: A002
    """Points of simplexes over the last dim; no gradient."""
    return of_raw((generator or default_generator).dirichlet(input._array()))


@export("_dirichlet_grad", method=False)
def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Any:
    """Return the derivative of each part of Dirichlet points by its own parameter; it has no gradient."""
    return of_raw(dirichlet_slope(x._array(), alpha._array(), total._array()))


@export("binomial", method=False)
def _binomial(count: Tensor, prob: Tensor, generator: Option = None) -> Any:
    """Draw the number of successes in `count` trials of probability `prob`; it has no gradient."""
    counts, chances = np.broadcast_arrays(count._array(), prob._array())
    return of_raw((generator or default_generator).binomial(counts, chances)[()])
