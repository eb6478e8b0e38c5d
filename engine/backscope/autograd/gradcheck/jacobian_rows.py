"""Jacobians from backward or forward passes, one for each row, in the form that gradcheck compares."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
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
from backscope.func import forward_ad
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


def analytical_jacobians(
    given: tuple[Any, ...], out: Value, nondet_tol: float, *, dtypes: bool, along: Value = None
) -> list[Any]:
    """Compute each tracked input's Jacobian of `out`, a column for each element of `out`, or just one for `along`.

    GradcheckError where two runs differ by more than `nondet_tol`, for gradients of a wrong size, and of a wrong dtype
    where `dtypes`.
    """
    first, same, sizes, kinds = repeated_jacobians(given, out, nondet_tol, along=along)
    # PyTorch's two checks have each other's text.
    if not sizes and dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not kinds:
        raise GradcheckError("Analytical gradient has incorrect size")
    if not same:
        raise GradcheckError(text.NOT_REENTRANT.format(nondet_tol))
    return first


def repeated_jacobians(
    given: tuple[Any, ...], out: Value, nondet_tol: float, *, along: Value = None
) -> tuple[list[Any], bool, bool, bool]:
    """Compute the Jacobians twice; return them, if both agree up to `nondet_tol`, and if sizes and dtypes are right."""
    by = list(tracked(given))
    rows, again = _rows(out, out.clone(), by, along), _rows(out, out.clone(), by, along)
    (first, sizes, kinds), (second, _, _) = _stacked(rows, by), _stacked(again, by)
    same = all(not a._data.size or not (a - b).abs().max() > nondet_tol for a, b in zip(first, second, strict=True))
    return first, same, sizes, kinds


def _rows(out: Value, sample: Value, by: list[Any], along: Value) -> list[list[Any]]:
    """Compute each input's gradients for all unit gradients of `out`, or for `along`; `sample` is a copy of `out`."""
    rows: list[list[Any]] = [[] for _ in by]

    def add(unit: Value) -> None:
        for row, g in zip(rows, grad(out, by, unit, retain_graph=True, allow_unused=True), strict=True):
            row.append(None if g is None else g.clone())

    if along is not None:
        add(along.reshape(sample.shape))
        return rows
    unit = torch["zeros"](sample.shape, dtype=sample.dtype)
    flat = unit.view(-1)
    for j in range(flat._data.size):
        flat.zero_()
        flat[j] = 1.0
        add(unit)
    return rows


def _stacked(rows: list[list[Any]], by: list[Any]) -> tuple[list[Any], bool, bool]:
    """Stack each input's gradients as columns of a matrix; return also if all sizes and all dtypes are the input's."""
    sizes = kinds = True
    matrices = []
    for row, x in zip(rows, by, strict=True):
        matrix = torch["zeros"]((x._data.size, len(row)), dtype=x.dtype)
        for j, g in enumerate(row):
            if g is None:
                continue
            if g.shape != x.shape:
                sizes = False
            elif g._dtype is not x._dtype:
                kinds = False
            matrix[:, j] = (g.to_dense() if is_sparse(g) else g).reshape(-1)
        matrices.append(matrix.detach())
    return matrices, sizes, kinds


def backward_projections(
    given: tuple[Any, ...], out: Value, nondet_tol: float, v: Value, us: list[Any], *, dtypes: bool
) -> list[Any]:
    """Compute vᵀJu for each tracked input: its gradient for `v` in the direction of its `u`."""
    found = []
    for column, u in zip(analytical_jacobians(given, out, nondet_tol, dtypes=dtypes, along=v), us, strict=True):
        vector = column.T.squeeze(0)
        if vector._dtype.is_complex:
            found.append(vector.real.dot(u[0]) + 1j * vector.imag.dot(u[1]))
        else:
            found.append(vector.dot(u))
    return found


def forward_jacobians(
    func: Callable[..., Any], given: tuple[Any, ...], outputs: tuple[Any, ...], *, dtypes: bool, along: Value = None
) -> list[list[Any]]:
    """Compute each tracked input's Jacobian with each output in forward mode: a row per element, or one for `along`."""
    kept = [o for o in outputs if is_differentiable_type(o)]
    chosen = [x for x in given if isinstance(x, Tensor) and x.requires_grad]
    if any(x._dtype.is_complex for x in chosen):
        raise ValueError("Expected inputs to be non-complex for _get_analytical_jacobian_forward_ad.")
    jacobians: list[list[Any]] = [
        [o.new_zeros((1 if along else x._data.size, o._data.size)) for o in kept] for x in chosen
    ]
    with forward_ad.dual_level():
        tangents: list[Any] = []
        duals: list[Any] = []
        for x in given:
            if isinstance(x, Tensor) and x.requires_grad:
                dual = forward_ad.make_dual(x.detach(), torch["zeros_like"](x))
                tangents.append(forward_ad.unpack_dual(dual).tangent)
                duals.append(dual)
            else:
                duals.append(x)
        for i, tangent in enumerate(tangents):
            if along:
                tangent.copy_(along[i].view_as(tangent))
                _fill(jacobians[i], 0, func(*duals), dtypes)
                jacobians[i] = [j.squeeze(0) for j in jacobians[i]]
                tangent.zero_()
                continue
            for row, at in enumerate(product(*[range(n) for n in tangent.shape])):
                tangent[at] = 1.0
                _fill(jacobians[i], row, func(*duals), dtypes)
                tangent[at] = 0.0
    return jacobians


def _fill(jacobians: list[Any], row: int, outputs: Values, dtypes: bool) -> None:
    """Write the tangents of the differentiable outputs into one row of their Jacobians."""
    for jacobian, out in zip(jacobians, [o for o in as_tuple(outputs) if is_differentiable_type(o)], strict=True):
        primal, tangent = forward_ad.unpack_dual(out)
        if dtypes and tangent is not None and primal.is_complex() != tangent.is_complex():
            raise GradcheckError("Forward AD gradient has dtype mismatch.")
        if tangent is None:
            jacobian[row].zero_()
        else:
            jacobian[row].copy_(tangent.detach().reshape(-1))
