"""How gamma and Beta numbers move with their parameters is near the derivative of their quantiles."""

from __future__ import annotations

import numpy as np
import pytest

from backscope.ops.random.gamma_slopes import dirichlet_slope, gamma_slope
from backscope.ops.special.special_values import gammainc


@pytest.mark.parametrize("alpha", [0.3, 1.0, 3.0, 7.0, 9.0, 40.0])
@pytest.mark.parametrize("quantile", [0.2, 0.9, 1.0, 1.3])
def test_gamma_slope_keeps_the_probability_of_at_most_x(alpha: float, quantile: float) -> None:
    x, step = alpha * quantile, 1e-5
    slope = float(gamma_slope(np.float64(alpha), np.float64(x)))
    by_alpha = (gammainc(alpha + step, x) - gammainc(alpha - step, x)) / (2 * step)
    by_x = (gammainc(alpha, x + step) - gammainc(alpha, x - step)) / (2 * step)
    assert slope == pytest.approx(float(-by_alpha / by_x), rel=1e-2)


@pytest.mark.parametrize(("alpha", "beta"), [(0.4, 2.0), (2.0, 3.0), (8.0, 9.0), (30.0, 12.0)])
@pytest.mark.parametrize("x", [0.02, 0.3, 0.5, 0.7, 0.98])
def test_dirichlet_slope_keeps_the_probability_of_at_most_x(alpha: float, beta: float, x: float) -> None:
    def reached(a: float, end: float) -> float:
        grid = np.linspace(0, 1, 200_001)[1:-1] ** 3  # Dense near 0, where the density may be infinite.
        density = np.exp((a - 1) * np.log(grid) + (beta - 1) * np.log1p(-grid))
        pieces = np.diff(grid) * (density[1:] + density[:-1]) / 2
        middle = (grid[1:] + grid[:-1]) / 2
        first = grid[0] ** a / a
        return float((first + pieces[middle <= end].sum()) / (first + pieces.sum()))

    step = 1e-3
    slope = float(dirichlet_slope(np.float64(x), np.float64(alpha), np.float64(alpha + beta)))
    by_alpha = (reached(alpha + step, x) - reached(alpha - step, x)) / (2 * step)
    by_x = (reached(alpha, x + step) - reached(alpha, x - step)) / (2 * step)
    if abs(by_x) > 1e-6:
        # A Dirichlet point moves by this slope times what it leaves to the other parts.
        assert slope * (1 - x) == pytest.approx(-by_alpha / by_x, rel=3e-2, abs=1e-4)
