"""Gradients of a fused op whose gradient is itself to be differentiated: by way of the ops that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.grad_mode import mode
from backscope.listening import hub


def gradients_through(
    function: Callable[..., Any], inputs: list[Any], needs: Any, outgoing: list[Any]
) -> tuple[Any, ...]:
    """The gradients of the inputs marked in `needs`, as recorded Tensors, None for the rest.

    `function` computes the op's differentiable outputs from `inputs` with recorded ops; `outgoing` are their
    gradients, None where nothing came in.  Listeners hear nothing of it.
    """
    from backscope.autograd.functions import grad

    wanted = [i for i, needed in enumerate(needs) if needed]
    listener, hub.listener = hub.listener, None
    before, mode.enabled = mode.enabled, True
    try:
        outputs = function(*inputs)
        pairs = [(o, g) for o, g in zip(outputs, outgoing, strict=True) if g is not None]
        found = grad(
            [o for o, _ in pairs],
            [inputs[i] for i in wanted],
            [g for _, g in pairs],
            create_graph=before,
            allow_unused=True,
        )
    finally:
        hub.listener = listener
        mode.enabled = before
    gradients: list[Any] = [None] * len(inputs)
    for i, gradient in zip(wanted, found, strict=True):
        gradients[i] = gradient
    return tuple(gradients)
