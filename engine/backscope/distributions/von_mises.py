"""VonMises: the normal distribution of angles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions import constraints
from backscope.distributions.distribution import Centered
from backscope.distributions.parameterization import broadcast_all, lazy_property
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.dtype import float64

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint

_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
     0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
     -0.420059e-2),
)  # fmt: skip


def _polynomial(y: Value, coefficients: tuple[float, ...]) -> Any:
    result: Any = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        result = c + y * result
    return result


def _log_bessel(x: Value, order: int) -> Any:
    """The logarithm of the modified Bessel function of order 0 or 1, by PyTorch's polynomials."""
    y = x / 3.75
    small = _polynomial(y * y, _SMALL[order])
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, _LARGE[order]).log()
    return torch_functions["where"](x < 3.75, small, large)


class VonMises(Centered):
    """Angles from -pi to pi around `loc`, the closer the larger `concentration`."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "concentration": constraints.positive}
    support: Constraint = constraints.real

    def __init__(self, loc: Value, concentration: Value, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, (), validate_args)

    def log_prob(self, value: Value) -> Value:
        """The log density."""
        if self._validate_args:
            self._validate_sample(value)
        density = self.concentration * (value - self.loc).cos()
        return density - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    def _proposal(self, concentration: Value) -> Any:
        tau = 1 + (1 + 4 * concentration**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * concentration)
        ratio = (1 + rho**2) / (2 * rho)
        return torch_functions["where"](concentration < 1e-5, 1 / concentration + concentration, ratio)

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Angles, by Best and Fisher's rejection, in double precision."""
        shape = tuple(self._extended_shape(sample_shape))
        where, zeros = torch_functions["where"], torch_functions["zeros"]
        with no_grad():
            loc, concentration = self.loc.to(float64), self.concentration.to(float64)
            ratio = self._proposal(concentration)
            x, done = torch_functions["empty"](shape, dtype=float64), zeros(shape) > 0
            while not done.all():
                u1, u2, u3 = torch_functions["rand"]((3, *shape), dtype=float64).unbind()
                z = (math.pi * u1).cos()
                f = (1 + ratio * z) / (ratio + z)
                c = concentration * (ratio - f)
                accept = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @lazy_property
    def variance(self) -> Value:
        """The circular variance."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()
