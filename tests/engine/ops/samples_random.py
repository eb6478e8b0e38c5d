"""Samples of ops that draw random numbers, each from a generator with the same seed."""

from __future__ import annotations

from typing import Any

from backscope_op_samples import OTHER, SIGNED, SMALL, Sample, in_place, values

ABOVE = values(2, 3, low=1.2, high=4.7, seed=60)


def seeded(t: Any) -> Any:
    """A generator that draws the same numbers every time."""
    return t.Generator().manual_seed(3)


def redrawn(op: str, *args: Any, name: str = "", **options: Any) -> Sample:
    """A tensor whose numbers are drawn anew."""
    change = in_place(lambda t, x: getattr(x, name or op + "_")(*args, generator=seeded(t)))
    return Sample(op, change, (SMALL,), **options)


SAMPLES = [
    redrawn("uniform"),
    redrawn("normal"),
    redrawn("exponential"),
    redrawn("geometric", 0.5),
    redrawn("cauchy"),
    redrawn("log_normal"),
    redrawn("random"),
    redrawn("random_to", 5, name="random_"),
    redrawn("random_from", 2, 5, name="random_"),
    redrawn("bernoulli_number", 0.4, name="bernoulli_"),
    Sample("bernoulli", lambda t, a: t.bernoulli(a, generator=seeded(t)), (SMALL,)),
    Sample("bernoulli_tensor", in_place(lambda t, x, p: x.bernoulli_(p, generator=seeded(t))), (SIGNED, SMALL)),
    Sample("normal_around", lambda t, a: t.normal(a, 1.0, generator=seeded(t)), (SMALL,), differentiable=False),
    Sample("normal_spread", lambda t, a: t.normal(1.0, a, generator=seeded(t)), (SMALL,), differentiable=False),
    Sample("normal_both", lambda t, a, b: t.normal(a, b, generator=seeded(t)), (SMALL, OTHER), differentiable=False),
    Sample(
        "standard_gamma",
        lambda t, a: t._standard_gamma(a, generator=seeded(t)),
        (ABOVE,),
        differentiable=False,
    ),
    Sample("standard_gamma_grad", lambda t, a, b: t._standard_gamma_grad(a, b), (ABOVE, SMALL), differentiable=False),
    Sample("poisson", lambda t, a: t.poisson(a, generator=seeded(t)), (ABOVE,)),
]
