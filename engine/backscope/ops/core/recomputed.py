"""Gradients of a fused op's gradient, computed with the ops that the fused op is composed of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.given import Option
from backscope.runtime.listening import hub


def gradients_through(
    function: Callable[..., Any], inputs: list[Any], needs: Option, outgoing: list[Any]
) -> tuple[Any, ...]:
    """Return the gradients of the inputs marked in `needs` as recorded Tensors, None for the others.

    `function` computes the op's differentiable outputs from `inputs` with recorded ops; `outgoing` are their gradients,
    None where there is none.  Nothing is reported to the listener.
    """
    from backscope.autograd.backward_and_grad import grad
    from backscope.autograd.transforms.transform_tensor import TransformTensor

    wanted = [i for i, needed in enumerate(needs) if needed]
    inputs = [x._live() if x.__class__ is TransformTensor else x for x in inputs]
    if not all(inputs[i]._requires_grad for i in wanted):
        return _in_a_level_of_its_own(function, inputs, wanted, outgoing)
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


def _in_a_level_of_its_own(
    function: Callable[..., Any], inputs: list[Any], wanted: list[int], outgoing: list[Any]
) -> tuple[Any, ...]:
    """Compute the gradients in a level of their own, for inputs tracked at no open level, such as a closed one."""
    from backscope.autograd.backward_and_grad import grad
    from backscope.autograd.transforms.level import differentiating
    from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped

    listener, hub.listener = hub.listener, None
    try:
        with differentiating() as level:
            raised = [wrapped(x, level) for x in inputs]
            for i in wanted:
                raised[i]._requires_grad = True
            pairs = [(o, wrapped(g, level)) for o, g in zip(function(*raised), outgoing, strict=True) if g is not None]
            found = grad(
                [o for o, _ in pairs],
                [raised[i] for i in wanted],
                [g for _, g in pairs],
                create_graph=True,
                allow_unused=True,
            )
    finally:
        hub.listener = listener
    gradients: list[Any] = [None] * len(inputs)
    for i, g in zip(wanted, found, strict=True):
        gradients[i] = g.inner if g.__class__ is TransformTensor and g.level is level else g
    return tuple(gradients)
