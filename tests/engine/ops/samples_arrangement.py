"""Samples of signs, degrees, whole numbers, statistics, scattered parts and distances."""

from __future__ import annotations

from typing import Any

from backscope_op_samples import OTHER, SIGNED, SMALL, WIDE, Sample, values

INPUT = values(3, 4, low=-1.8, high=1.7, seed=60)
PART = values(3, 2, low=0.4, high=1.6, seed=61)
COLUMN = values(3, low=-0.6, high=0.7, seed=62)
SOURCE = values(3, 4, low=0.5, high=1.5, seed=63)
POINTS = values(2, 3, low=-0.9, high=0.8, seed=64)


def places(t: Any) -> Any:
    """For each element of SOURCE the row that it goes to; two meet in every column."""
    return t.tensor([[0, 1, 2, 0], [0, 2, 2, 1], [1, 1, 0, 0]])


def reduced(how: str, include_self: bool = True) -> Any:
    """A call of scatter_reduce."""

    def call(t: Any, a: Any, b: Any) -> Any:
        return t.scatter_reduce(a, 0, places(t), b, how, include_self=include_self)

    return call


def of_integers(name: str) -> Sample:
    """A row of an op of whole numbers."""

    def call(t: Any, a: Any) -> Any:
        return getattr(t, name)(t.tensor([12, 7]), t.tensor([3, 2]))

    return Sample(name, call, (SMALL,), kinds=(), differentiable=False)


def telling(name: str) -> Sample:
    """A row of a question about each element."""
    return Sample(name, lambda t, a: getattr(t, name)(a), (SIGNED,), differentiable=False)


SAMPLES = [
    Sample("copysign", lambda t, a, b: t.copysign(a, b), (SIGNED, OTHER), kinds=WIDE),
    Sample("copysign_number", lambda t, a: t.copysign(a, -2.0), (SIGNED,), kinds=WIDE),
    Sample("deg2rad", lambda t, a: t.deg2rad(a), (SIGNED,), kinds=WIDE),
    Sample("rad2deg", lambda t, a: t.rad2deg(a), (SIGNED,), kinds=WIDE),
    Sample("logaddexp2", lambda t, a, b: t.logaddexp2(a, b), (SIGNED, OTHER), kinds=WIDE),
    Sample("ldexp", lambda t, a, b: t.ldexp(a, b), (SIGNED, OTHER), kinds=WIDE),
    Sample("heaviside", lambda t, a: t.heaviside(a.detach(), a.detach()), (SIGNED,), kinds=WIDE, differentiable=False),
    Sample("nextafter", lambda t, a, b: t.nextafter(a, b), (SIGNED, OTHER), kinds=WIDE),
    Sample("frexp", lambda t, a: t.frexp(a)[0], (SIGNED,), kinds=WIDE),
    Sample("round_decimals", lambda t, a: t.round(a, decimals=0), (SMALL + 0.013,), kinds=WIDE),
    Sample("round_decimals", lambda t, a: t.round(a, decimals=1), (SMALL + 0.013,), kinds=WIDE),
    *[of_integers(name) for name in ("gcd", "lcm", "bitwise_left_shift", "bitwise_right_shift")],
    *[telling(name) for name in ("signbit", "isneginf", "isposinf", "isreal")],
    Sample("nansum", lambda t, a: t.nansum(a, 0), (SIGNED,)),
    Sample("nanmedian_all", lambda t, a: t.nanmedian(a), (SIGNED,), kinds=WIDE),
    Sample("nanmedian_dim", lambda t, a: t.nanmedian(a, 1).values, (SIGNED,), kinds=WIDE),
    Sample(
        "euclidean_dist",
        lambda t, a, b: t._euclidean_dist(a, b),
        (POINTS, INPUT[:, :3]),
        kinds=(),
    ),
    Sample("aminmax", lambda t, a: t.aminmax(a).max, (SIGNED,), kinds=WIDE),
    Sample("aminmax", lambda t, a: t.aminmax(a, dim=1).min, (SIGNED,), kinds=WIDE),
    Sample("rot90", lambda t, a: t.rot90(a, 3, (0, 1)), (SIGNED,)),
    Sample("select_scatter", lambda t, a, b: t.select_scatter(a, b, 1, 2), (INPUT, COLUMN), kinds=WIDE),
    Sample("slice_scatter", lambda t, a, b: t.slice_scatter(a, b, 1, 0, 4, 2), (INPUT, PART), kinds=WIDE),
    Sample("diagonal_scatter", lambda t, a, b: t.diagonal_scatter(a, b, 1), (INPUT, COLUMN), kinds=WIDE),
    *[
        Sample("scatter_reduce", reduced(how), (INPUT, SOURCE), kinds=())
        for how in ("sum", "prod", "mean", "amax", "amin")
    ],
    Sample("scatter_reduce", reduced("mean", include_self=False), (INPUT, SOURCE), kinds=WIDE),
    *[
        Sample("pdist_forward", lambda t, a, p=p: t.pdist(a, p), (POINTS,), kinds=(), twice=False)
        for p in (2.0, 1.0, 3.0)
    ],
    *[
        Sample("cdist_forward", lambda t, a, b, p=p: t.cdist(a, b, p), (POINTS, INPUT[:, :3]), kinds=())
        for p in (1.0, 2.0, 3.0, float("inf"))
    ],
]
