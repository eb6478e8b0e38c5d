"""Clipping gradients: by the norm of all of them, or each element."""

from __future__ import annotations

from collections.abc import Iterable
from types import GeneratorType
from typing import Any

from backscope.autograd.modes.grad_mode import no_grad
from backscope.ops.core.namespace import linalg, torch_functions as F
from backscope.runtime.given import Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor


def _listed(tensors: Values) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


@no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Value:
    """The norm of all tensors, as if they were one vector; RuntimeError for NaN and infinity if these are errors."""
    norm_type = float(norm_type)
    norms = [linalg["vector_norm"](t, norm_type) for t in _listed(tensors)]
    if not norms:
        return F["tensor"](0.0)
    total = linalg["vector_norm"](F["stack"](norms), norm_type)
    if error_if_nonfinite and (total.isnan() or total.isinf()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Value, foreach: bool | None = None
) -> None:
    """Scale gradients so that `total_norm` becomes at most `max_norm`."""
    gradients = [p.grad for p in _listed(parameters) if p.grad is not None]
    if gradients:
        factor = F["clamp"](float(max_norm) / (total_norm + 1e-6), max=1.0)
        for gradient in gradients:
            gradient.mul_(factor)


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Value:
    """Scale gradients so that the norm of all together is at most `max_norm`; returns the norm before."""
    given = _listed(parameters)
    if isinstance(parameters, GeneratorType) and not given:
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    gradients = [p.grad for p in given if p.grad is not None]
    total = get_total_norm(gradients, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(given, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Value:
    """Call clip_grad_norm_ with a deprecation warning."""
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Limit each element of the gradients to ± a value."""
    limit = float(clip_value)
    for parameter in _listed(parameters):
        if parameter.grad is not None:
            parameter.grad.clamp_(min=-limit, max=limit)
