"""A line search by cubic interpolation for a point that satisfies the strong Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backscope.runtime.given import Dim, Value

SUFFICIENT, CURVATURE = 1e-4, 0.9


@dataclass(slots=True)
class Point:
    """A point on the line: distance, loss there, gradient, and slope along the line."""

    t: Value
    loss: Value
    gradient: Value
    slope: Value


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Value:
    """Return the minimum of the cubic through two points with their slopes, clamped to bounds; else their middle."""
    low, high = bounds if bounds is not None else (a.t, b.t) if a.t <= b.t else (b.t, a.t)
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square**0.5
    first, second = (a, b) if a.t <= b.t else (b, a)
    found = second.t - (second.t - first.t) * ((second.slope + d2 - d1) / (second.slope - first.slope + 2 * d2))
    return min(max(found, low), high)


def strong_wolfe(
    evaluate: Callable[[Any], Any],
    t: Value,
    direction: Value,
    loss: Value,
    gradient: Value,
    slope: Value,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[Any, Any, Any, int]:
    """Search along a line; return loss, gradient and distance of the point found, and the number of evaluations."""
    start = Point(0, loss, gradient.clone(), slope)

    def visit(at: Dim) -> Point:
        value, found = evaluate(at)
        return Point(at, value, found, found.dot(direction))

    def too_high(p: Point) -> bool:
        return bool(p.loss > loss + SUFFICIENT * p.t * slope)

    previous, point = start, visit(t)
    evaluations, iteration = 1, 0
    bracket = None
    while iteration < max_ls:
        if too_high(point) or (iteration > 1 and point.loss >= previous.loss):
            bracket = [previous, point]
            break
        if abs(point.slope) <= -CURVATURE * slope:
            return point.loss, point.gradient, point.t, evaluations
        if point.slope >= 0:
            bracket = [previous, point]
            break
        bounds = (point.t + 0.01 * (point.t - previous.t), point.t * 10)
        following = cubic_minimum(previous, point, bounds)
        previous, point = point, visit(following)
        evaluations += 1
        iteration += 1
    if bracket is None:
        bracket = [start, point]
    best, used = _zoom(
        bracket, visit, too_high, slope, float(direction.abs().max()), tolerance_change, max_ls - iteration
    )
    return best.loss, best.gradient, best.t, evaluations + used


def _zoom(
    bracket: list[Point],
    visit: Callable[[Any], Point],
    too_high: Callable[[Point], bool],
    slope: Value,
    reach: float,
    tolerance_change: float,
    left: int,
) -> tuple[Point, int]:
    """Narrow a bracket until its lower end satisfies the conditions; return that end and the number of points tried."""
    low, high = (0, 1) if bracket[0].loss <= bracket[-1].loss else (1, 0)
    stalled = False
    used = 0
    while used < left and not abs(bracket[1].t - bracket[0].t) * reach < tolerance_change:
        t = cubic_minimum(bracket[0], bracket[1])
        least, most = min(bracket[0].t, bracket[1].t), max(bracket[0].t, bracket[1].t)
        margin = 0.1 * (most - least)
        if min(most - t, t - least) < margin:
            if stalled or t >= most or t <= least:
                t = most - margin if abs(t - most) < abs(t - least) else least + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        point = visit(t)
        used += 1
        if too_high(point) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        done = abs(point.slope) <= -CURVATURE * slope
        if not done and point.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
        if done:
            break
    return bracket[low], used
