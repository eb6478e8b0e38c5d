"""gradcheck and gradgradcheck: the gradients that the tape gives, compared with finite differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backscope.autograd.backward_and_grad import grad
from backscope.autograd.gradcheck import gradcheck_text as text
from backscope.autograd.gradcheck.finite_difference import (
    GradcheckError,
    as_tuple,
    directional_derivatives,
    filled_up,
    is_differentiable_type,
    is_sparse,
    numerical_jacobians,
    tracked,
)
from backscope.autograd.gradcheck.gradcheck_batched import check_batched_backward, check_batched_forward
from backscope.autograd.gradcheck.gradcheck_undefined import check_undefined_backward, check_undefined_forward
from backscope.autograd.gradcheck.jacobian_rows import analytical_jacobians, backward_projections, forward_jacobians
from backscope.ops.core.namespace import torch_functions as torch
from backscope.random import Generator
from backscope.runtime.warning import warn
from backscope.tensor.dtype import complex128, float64
from backscope.tensor.tensor import Tensor

Function = Callable[..., Any]


@dataclass(slots=True)
class Tolerances:
    """How far apart the two may be, and how far finite differences step."""

    eps: float
    rtol: float
    atol: float
    nondet: float
    dtypes: bool
    masked: bool


@dataclass(slots=True)
class Part:
    """What is compared at a time: all of a function, or the real or imaginary part of its complex outputs or inputs."""

    complex_indices: list[int] | None = None
    imaginary: bool = False
    forward: bool = False


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """True where the gradients of `func` at `inputs` are those of finite differences.

    GradcheckError where they are not (False unless `raise_exception`), ValueError where no input requires grad.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    limits = Tolerances(eps, rtol, atol, nondet_tol, check_grad_dtypes, bool(masked))
    compare = _compare_projections if fast_mode else _compare_jacobians
    try:
        given = as_tuple(inputs)
        _check_inputs(given)
        found = func(*given)
        outputs = differentiable(found)
        if any(is_sparse(o) for o in outputs):
            raise ValueError(text.SPARSE_OUTPUT)
        if check_backward_ad:
            _check_backward(compare, func, found, given, outputs, limits)
        if check_forward_ad:
            _check_forward(compare, func, found, given, outputs, limits, check_undefined_grad)
        if check_batched_forward_grad:
            check_batched_forward(func, given)
        if not check_backward_ad:
            return True
        for i, out in enumerate(outputs):
            if check_batched_grad:
                check_batched_backward(given, out, i)
        _check_scales(outputs, given, masked)
        if check_undefined_grad:
            check_undefined_backward(lambda: differentiable(func(*given)), len(outputs), list(tracked(given)))
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """gradcheck of the gradients of `func` as a function of its inputs and of `grad_outputs`, random unless given."""
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    given = as_tuple(inputs)
    if grad_outputs is None:
        outgoing = tuple(
            [_random_gradient(x, spread=gen_non_contig_grad_outputs) for x in differentiable(func(*given))]
        )
    else:
        outgoing = as_tuple(grad_outputs)
    count = len(outgoing)
    tracked_inputs = {i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad}
    tracked_gradients = {i for i, x in enumerate(outgoing) if x.requires_grad}

    def gradients(*args: Any) -> tuple[Any, ...]:
        first = tuple([x.requires_grad_() if i in tracked_inputs else x for i, x in enumerate(args[:-count])])
        outputs = differentiable(func(*first))
        second = tuple([x.requires_grad_() if i in tracked_gradients else x for i, x in enumerate(args[-count:])])
        by = tuple([x for i, x in enumerate(first) if i in tracked_inputs])
        found = grad(outputs, by, second, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(
        gradients,
        given + outgoing,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def _random_gradient(like: Any, *, spread: bool) -> Any:
    """A tracked tensor of numbers between -1 and 1; where `spread`, with gaps in memory between its elements."""
    shape = tuple(like.shape)
    kind = like.dtype if is_differentiable_type(like) else float64
    drawn = torch["empty"](shape, dtype=kind)
    parts = torch["view_as_real"](drawn) if kind.is_complex else drawn
    parts.uniform_(-1, 1)
    if spread and like._data.size > 1:
        drawn = torch["repeat_interleave"](drawn, 2, dim=-1)[..., ::2]
    return drawn.requires_grad_()


def differentiable(outputs: Any) -> tuple[Any, ...]:
    """The outputs that require grad."""
    return tuple([o for o in as_tuple(outputs) if o.requires_grad])


def _check_inputs(given: tuple[Any, ...]) -> None:
    wanted = False
    for i, x in enumerate(given):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue
        if x._dtype is not float64 and x._dtype is not complex128:
            warn(text.NOT_DOUBLE.format(i), UserWarning)
        held = x._data.values if is_sparse(x) else x._data
        if not all(s > 0 or n <= 1 for s, n in zip(held.strides, held.shape, strict=True)):
            raise RuntimeError(text.STRIDE_ZERO.format(i))
        wanted = True
    if not wanted:
        raise ValueError(text.NOTHING_TRACKED)


def _check_backward(
    compare: Any, func: Function, found: Any, given: tuple[Any, ...], outputs: tuple[Any, ...], limits: Tolerances
) -> None:
    """Compare in reverse mode; complex outputs part by part, since their gradients are of real functions."""
    if not any(isinstance(o, Tensor) and o._dtype.is_complex for o in as_tuple(found)):
        compare(func, found, given, outputs, limits, Part())
        return
    indices = [i for i, o in enumerate(outputs) if o._dtype.is_complex]
    for imaginary in (True, False):
        part = _part_of_outputs(func, imaginary)
        values = part(*given)
        compare(part, values, given, differentiable(values), limits, Part(indices, imaginary))


def _check_forward(
    compare: Any,
    func: Function,
    found: Any,
    given: tuple[Any, ...],
    outputs: tuple[Any, ...],
    limits: Tolerances,
    undefined: bool,
) -> None:
    """Compare in forward mode; complex inputs part by part."""
    indices = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x._dtype.is_complex]
    if not indices:
        compare(func, found, given, outputs, limits, Part(forward=True))
        if undefined:
            check_undefined_forward(func, given)
        return
    cases = []
    for imaginary in (True, False):
        part = _part_of_inputs(func, indices, given, imaginary)
        values = tuple([(x.imag if imaginary else x.real) if i in indices else x for i, x in enumerate(given)])
        out = part(*values)
        compare(part, out, values, differentiable(out), limits, Part(indices, imaginary, forward=True))
        cases.append((part, values))
    for part, values in cases if undefined else ():
        check_undefined_forward(part, values)


def _part_of_outputs(func: Function, imaginary: bool) -> Function:
    def part(*given: Any) -> tuple[Any, ...]:
        name = "imag" if imaginary else "real"
        return tuple([torch[name](o) if o._dtype.is_complex else o for o in as_tuple(func(*given))])

    return part


def _part_of_inputs(func: Function, indices: list[int], whole: tuple[Any, ...], imaginary: bool) -> Function:
    def part(*given: Any) -> tuple[Any, ...]:
        values = list(given)
        for i in indices:
            values[i] = whole[i].real + given[i] * 1j if imaginary else given[i] + whole[i].imag * 1j
        return as_tuple(func(*values))

    return part


def _compare_jacobians(
    func: Function, found: Any, given: tuple[Any, ...], outputs: tuple[Any, ...], limits: Tolerances, part: Part
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


def _compare_projections(
    func: Function, found: Any, given: tuple[Any, ...], outputs: tuple[Any, ...], limits: Tolerances, part: Part
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


def _unit(like: Any, generator: Any, *, pairs: bool) -> Any:
    """A random vector of length 1 for a tensor's elements; two real ones for a complex input."""
    complex_ = like._dtype.is_complex

    def draw(kind: Any) -> Any:
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
    """The whole Jacobians of one pair, for the message of a failed comparison in fast mode."""
    n = numerical_jacobians(func, given, outputs, limits.eps, forward=part.forward)[i][j]
    if part.forward:

        def one(x: Any) -> Any:
            return as_tuple(func(*given[:position], x, *given[position + 1 :]))[j]

        a = forward_jacobians(one, (given[position],), (outputs[j],), dtypes=False)[0][0]
    else:
        a = analytical_jacobians(given, outputs[j], float("inf"), dtypes=False)[i]
    report = text.SLOW_MODE.format(n, a, (n - a).abs().max())
    return report + text.FAST_FAILED if torch["allclose"](a, n, limits.rtol, limits.atol) else report


def _close(a: Any, n: Any, rtol: float, atol: float) -> bool:
    kind = torch["promote_types"](a.dtype, n.dtype) if "promote_types" in torch else _wider(a, n)
    return bool(torch["allclose"](a.to(kind), n.to(kind), rtol, atol))


def _wider(a: Any, n: Any) -> Any:
    from backscope.tensor.dtype import promote_types

    return promote_types(a._dtype, n._dtype)


def _mismatch(a: Any, n: Any, output: int, position: int, part: Part) -> str:
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


def _check_scales(outputs: tuple[Any, ...], given: tuple[Any, ...], masked: bool | None) -> None:
    """GradcheckError where the gradients of a zero gradient are not zero, or of a wrong type or size."""
    by = list(tracked(given))
    if not by:
        raise GradcheckError("no Tensors requiring grad found in input")
    found = grad(outputs, by, [torch["zeros_like"](o) for o in outputs], allow_unused=True)
    for g, x in zip(found, by, strict=True):
        if g is None:
            continue
        if is_sparse(g):
            if not is_sparse(x):
                raise GradcheckError(text.WRONG_LAYOUT)
            for what in ("sparse_dim", "dense_dim"):
                own, wanted = getattr(g, what)(), getattr(x, what)()
                if own != wanted:
                    raise GradcheckError(text.WRONG_DIMS.format(what, own, wanted))
            g, x = g.to_dense(), x.detach().to_dense()  # type: ignore[attr-defined]
        zero = torch["allclose"](g, torch["zeros_like"](g)) if masked else bool((g == 0).all())
        if not zero:
            raise GradcheckError("backward not multiplied by grad_output")
        if g._dtype is not x._dtype:
            raise GradcheckError("grad is incorrect type")
        if g.shape != x.shape:
            raise GradcheckError("grad is incorrect size")
