"""gradcheck's comparison of analytical with numerical Jacobians, whole or projected on random vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backscope.autograd.gradcheck import gradcheck_text as text
from backscope.autograd.gradcheck.finite_difference import (
    GradcheckError,
    as_tuple,
    directional_derivatives,
    filled_up,
    is_differentiable_type,
    is_sparse,
    numerical_jacobians,
)
from backscope.autograd.gradcheck.jacobian_rows import analytical_jacobians, backward_projections, forward_jacobians
from backscope.ops.core.namespace import torch_functions as torch
from backscope.random import Generator
from backscope.runtime.given import Dtype, Value, Values
from backscope.tensor.dtype import promote_types
from backscope.tensor.tensor import Tensor

Function = Callable[..., Any]
Comparison = Callable[[Function, Any, tuple[Any, ...], tuple[Any, ...], "Tolerances", "Part"], None]


@dataclass(slots=True)
class Tolerances:
    """The tolerances of a comparison, and the step of the finite differences, `eps`."""

    eps: float
    rtol: float
    atol: float
    nondet: float
    dtypes: bool
    masked: bool


@dataclass(slots=True)
class Part:
    """The part of a function that one comparison covers: all, or a real or imaginary part of outputs or inputs."""

    complex_indices: list[int] | None = None
    imaginary: bool = False
    forward: bool = False


def compare_jacobians(
    func: Function, found: Values, given: tuple[Any, ...], outputs: tuple[Any, ...], limits: Tolerances, part: Part
) -> None:
    """Compare whole Jacobians, element by element."""
    found = as_tuple(found)
    moved = given if limits.masked else filled_up(given)
    numerical = numerical_jacobians(func, moved, found, limits.eps, forward=part.forward)
    if not outputs:
        if any((jacobian != 0).any() for row in numerical for jacobian in row):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    kept = [
        [row[k] for row in numerical]
        for k, o in enumerate([o for o in found if is_differentiable_type(o)])
        if o.requires_grad
    ]
    if part.forward:
        analytical = forward_jacobians(func, given, found, dtypes=limits.dtypes)
        for i, row in enumerate(kept):
            for j, n in enumerate(row):
                if not _close(analytical[j][i], n, limits.rtol, limits.atol):
                    raise GradcheckError(_mismatch(analytical[j][i], n, i, j, part))
        return
    for i, out in enumerate(outputs):
        rows = analytical_jacobians(given, out, limits.nondet, dtypes=limits.dtypes)
        for j, (a, n) in enumerate(zip(rows, kept[i], strict=True)):
            if not _close(a, n, limits.rtol, limits.atol):
                raise GradcheckError(_mismatch(a, n, i, j, part))


def compare_projections(
    func: Function, found: Values, given: tuple[Any, ...], outputs: tuple[Any, ...], limits: Tolerances, part: Part
) -> None:
    """Compare vᵀJu for one random pair of vectors for each output and input."""
    positions = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]
    generator = Generator()
    us = [_unit(given[i], generator, pairs=True) for i in positions]
    vs = None if part.forward else [_unit(o, generator, pairs=False) for o in outputs]
    numerical = []
    moved = given if limits.masked else filled_up(given)
    for i, u in zip(positions, us, strict=True):
        along = directional_derivatives(func, i, moved, u, limits.eps, forward=part.forward)
        along = [d for d, o in zip(along, as_tuple(found), strict=True) if is_differentiable_type(o)]
        numerical.append(along if vs is None else [(v * d).sum() for v, d in zip(vs, along, strict=False)])
    if part.forward:
        analytical = forward_jacobians(func, given, as_tuple(found), dtypes=limits.dtypes, along=us)
    else:
        if not outputs:
            for i, u in zip(positions, us, strict=True):
                for d in directional_derivatives(func, i, given, u, limits.eps, forward=False):
                    if d._data.size and (d.abs().max() > limits.nondet):
                        raise GradcheckError("Numerical gradient for function expected to be zero")
        assert vs is not None
        by_output = [
            backward_projections(given, o, limits.nondet, v, us, dtypes=limits.dtypes)
            for o, v in zip(outputs, vs, strict=True)
        ]
        analytical = [[row[i] for row in by_output] for i in range(len(positions))]
    for i, row in enumerate(numerical):
        for j, n in enumerate(row):
            a = analytical[i][j]
            u = us[i]
            total = float(u[0].sum()) + float(u[1].sum()) if isinstance(u, tuple) else float(u.sum())
            atol = (
                limits.atol
                * total
                * (1.0 if vs is None else abs(complex(vs[j].sum())) if vs[j]._dtype.is_complex else float(vs[j].sum()))
            )
            if not _close(a, n, limits.rtol, atol):
                slow = _slow_report(func, given, outputs, i, j, positions[i], limits, part)
                raise GradcheckError(_mismatch(a, n, j, i, part) + slow)


def _unit(like: Value, generator: Any, *, pairs: bool) -> Any:
    """Return a random vector of length 1 over a tensor's elements; two real ones for a complex input."""
    complex_ = like._dtype.is_complex

    def draw(kind: Dtype) -> Any:
        vector = torch["rand"](like._data.size, generator=generator).to(dtype=kind)
        if is_sparse(like):
            vector *= (
                torch["sparse_coo_tensor"](
                    like.detach()._indices(), torch["ones_like"](like.detach()._values()), like.shape
                )
                .to_dense()
                .reshape(-1)
                != 0
            )
        vector /= vector.norm()
        return vector

    if complex_ and pairs:
        real = torch["real"](like.detach())._dtype
        return draw(real), draw(real)
    return draw(like._dtype)


def _slow_report(
    func: Function,
    given: tuple[Any, ...],
    outputs: tuple[Any, ...],
    i: int,
    j: int,
    position: int,
    limits: Tolerances,
    part: Part,
) -> str:
    """Return the text with the whole Jacobians of one pair, for a comparison that failed in fast mode."""
    n = numerical_jacobians(func, given, outputs, limits.eps, forward=part.forward)[i][j]
    if part.forward:

        def one(x: Value) -> Any:
            return as_tuple(func(*given[:position], x, *given[position + 1 :]))[j]

        a = forward_jacobians(one, (given[position],), (outputs[j],), dtypes=False)[0][0]
    else:
        a = analytical_jacobians(given, outputs[j], float("inf"), dtypes=False)[i]
    report = text.SLOW_MODE.format(n, a, (n - a).abs().max())
    return report + text.FAST_FAILED if torch["allclose"](a, n, limits.rtol, limits.atol) else report


def _close(a: Value, n: Value, rtol: float, atol: float) -> bool:
    kind = promote_types(a._dtype, n._dtype)
    return bool(torch["allclose"](a.to(kind), n.to(kind), rtol, atol))


def _mismatch(a: Value, n: Value, output: int, position: int, part: Part) -> str:
    at = position if part.forward else output
    prefix = ""
    if part.complex_indices and at in part.complex_indices:
        half = "imaginary" if part.imaginary else "real"
        prefix = f"While considering the {half} part of complex {'inputs' if part.forward else 'outputs'} only, "
    mode = "computed with forward mode " if part.forward else ""
    return (
        f"{prefix}Jacobian {mode}mismatch for output {output} with respect to input {position},\n"
        f"numerical:{n}\nanalytical:{a}\n"
    )
