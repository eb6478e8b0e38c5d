"""get_numerical_jacobian and get_analytical_jacobian: PyTorch's deprecated functions for one Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.gradcheck.finite_difference import as_tuple, numerical_jacobian, tracked
from backscope.autograd.gradcheck.jacobian_rows import repeated_jacobians
from backscope.runtime.given import Value, Values
from backscope.runtime.warning import warn


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Values, target: Value = None, eps: float = 1e-3, grad_out: float = 1.0
) -> list[Any]:
    """Compute the Jacobian of the first output of `fn(inputs)` by each tracked tensor of `target` (default: inputs)."""
    _deprecate("get_numerical_jacobian")
    _check_unit("get_numerical_jacobian", grad_out)
    given = as_tuple(inputs)
    wanted = given if target is None else as_tuple(target)
    outputs = as_tuple(fn(given))
    if any(o.is_complex() for o in outputs):
        raise ValueError(
            "Expected output to be non-complex. get_numerical_jacobian no longer supports functions that return "
            "complex outputs."
        )
    places = [next(i for i, x in enumerate(given) if x is t) for t in tracked(wanted)]
    return [numerical_jacobian(lambda *args: fn(args), i, given, outputs, eps, forward=False)[0] for i in places]


def get_analytical_jacobian(
    inputs: Values, output: Value, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Any, ...], bool, bool, bool]:
    """Compute the Jacobians of `output` by the tracked inputs; return also if two runs agree and sizes, dtypes fit."""
    _deprecate("get_analytical_jacobian")
    _check_unit("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return "
            "complex outputs."
        )
    jacobians, same, sizes, kinds = repeated_jacobians(as_tuple(inputs), output, nondet_tol)
    return tuple(jacobians), same, sizes, kinds


def _check_unit(name: str, grad_out: float) -> None:
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")


def _deprecate(name: str) -> None:
    warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
        "removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be "
        "a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
    )


for _public in (get_numerical_jacobian, get_analytical_jacobian):
    _public.__module__ = "torch.autograd.gradcheck"
