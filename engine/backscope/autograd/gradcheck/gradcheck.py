"""gradcheck and gradgradcheck: the gradients that the tape gives, compared with finite differences."""

from __future__ import annotations

from typing import Any

from backscope.autograd.backward_and_grad import grad
from backscope.autograd.gradcheck import gradcheck_text as text
from backscope.autograd.gradcheck.finite_difference import (
    GradcheckError,
    as_tuple,
    is_differentiable_type,
    is_sparse,
    tracked,
)
from backscope.autograd.gradcheck.gradcheck_batched import check_batched_backward, check_batched_forward
from backscope.autograd.gradcheck.gradcheck_undefined import check_undefined_backward, check_undefined_forward
from backscope.autograd.gradcheck.jacobian_comparison import (
    Comparison,
    Function,
    Part,
    Tolerances,
    compare_jacobians,
    compare_projections,
)
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.dtype import complex128, float64
from backscope.tensor.tensor import Tensor


def gradcheck(
    func: Function,
    inputs: Values,
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
    """Return True if the gradients of `func` at `inputs` are those of finite differences.

    GradcheckError where they are not (False unless `raise_exception`), ValueError where no input requires grad.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    limits = Tolerances(eps, rtol, atol, nondet_tol, check_grad_dtypes, bool(masked))
    compare = compare_projections if fast_mode else compare_jacobians
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
    inputs: Values,
    grad_outputs: Values = None,
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
    """Run gradcheck on the gradients of `func` as a function of its inputs and of `grad_outputs`, by default random."""
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

    def gradients(*args: Value) -> tuple[Any, ...]:
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


def _random_gradient(like: Value, *, spread: bool) -> Any:
    """Return a tracked tensor of numbers between -1 and 1; if `spread`, with gaps in memory between its elements."""
    shape = tuple(like.shape)
    kind = like.dtype if is_differentiable_type(like) else float64
    drawn = torch["empty"](shape, dtype=kind)
    parts = torch["view_as_real"](drawn) if kind.is_complex else drawn
    parts.uniform_(-1, 1)
    if spread and like._data.size > 1:
        drawn = torch["repeat_interleave"](drawn, 2, dim=-1)[..., ::2]
    return drawn.requires_grad_()


def differentiable(outputs: Values) -> tuple[Any, ...]:
    """Return the outputs that require grad."""
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
    compare: Comparison,
    func: Function,
    found: Values,
    given: tuple[Any, ...],
    outputs: tuple[Any, ...],
    limits: Tolerances,
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
    compare: Comparison,
    func: Function,
    found: Values,
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
    def part(*given: Values) -> tuple[Any, ...]:
        name = "imag" if imaginary else "real"
        return tuple([torch[name](o) if o._dtype.is_complex else o for o in as_tuple(func(*given))])

    return part


def _part_of_inputs(func: Function, indices: list[int], whole: tuple[Any, ...], imaginary: bool) -> Function:
    def part(*given: Values) -> tuple[Any, ...]:
        values = list(given)
        for i in indices:
            values[i] = whole[i].real + given[i] * 1j if imaginary else given[i] + whole[i].imag * 1j
        return as_tuple(func(*values))

    return part


def _check_scales(outputs: tuple[Any, ...], given: tuple[Any, ...], masked: bool | None) -> None:
    """Raise GradcheckError where zero gradients of the outputs give gradients that are not zero, or of a wrong type."""
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
