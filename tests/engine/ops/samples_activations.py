"""Samples of the activations."""

from __future__ import annotations

from typing import Any

import numpy as np
from backscope_op_samples import OTHER, SIGNED, WIDE, Sample, gradient_of, in_place, values

CURVED = values(2, 3, low=-2.9, high=2.7, seed=30)
PAIRS = values(2, 4, low=-1.4, high=1.3, seed=31)
HALF = values(2, 2, low=0.3, high=0.9, seed=32)
WEIGHTS = values(3, low=0.2, high=0.4, seed=33)


def seeded(t: Any) -> Any:
    """A generator that draws the same numbers every time."""
    return t.Generator().manual_seed(5)


def activation(name: str, *given: Any, x: np.ndarray[Any, Any] = CURVED, **options: Any) -> Sample:
    """A function of torch.nn.functional of one tensor."""
    return Sample(name, lambda t, a: getattr(t.nn.functional, name)(a, *given), (x,), **options)


def sloped(op: str, name: str, *given: Any, **named: Any) -> Sample:
    """The op that the gradient of an activation is."""
    call = gradient_of(lambda t, x: getattr(t.nn.functional, name)(x, *given, **named))
    return Sample(op, call, (OTHER, CURVED), kinds=WIDE)


def changed(op: str, name: str, *given: Any) -> Sample:
    """An activation in place."""
    return Sample(op, in_place(lambda t, x: getattr(t.nn.functional, name)(x, *given)), (CURVED,))


SAMPLES = [
    Sample("leaky_relu", lambda t, a: t.nn.functional.leaky_relu(a, 0.1), (SIGNED,)),
    Sample("leaky_relu_backward", gradient_of(lambda t, x: t.nn.functional.leaky_relu(x)), (OTHER, SIGNED)),
    changed("leaky_relu_in_place", "leaky_relu_", 0.2),
    changed("threshold_in_place", "threshold_", 0.4, 2.0),
    activation("silu"),
    activation("mish"),
    Sample("softplus", lambda t, a: t.nn.functional.softplus(a, 2.0), (SIGNED,)),
    Sample("softplus_backward", gradient_of(lambda t, x: t.nn.functional.softplus(x)), (OTHER, SIGNED)),
    Sample("log_sigmoid", lambda t, a: t.nn.functional.logsigmoid(a), (CURVED,)),
    sloped("log_sigmoid_backward", "logsigmoid"),
    activation("gelu"),
    Sample("gelu", lambda t, a: t.nn.functional.gelu(a, approximate="tanh"), (CURVED,)),
    sloped("gelu_backward", "gelu"),
    sloped("gelu_backward", "gelu", approximate="tanh"),
    activation("elu", 0.7),
    sloped("elu_backward", "elu", 0.7),
    changed("elu_in_place", "elu_", 0.7),
    activation("celu", 0.7),
    changed("celu_in_place", "celu_", 0.7),
    Sample("elu", lambda t, a: t.nn.functional.selu(a), (CURVED,)),
    Sample("hardtanh", lambda t, a: t.nn.functional.hardtanh(a, -0.5, 0.75), (SIGNED,)),
    Sample("hardtanh_backward", gradient_of(lambda t, x: t.nn.functional.hardtanh(x)), (OTHER, SIGNED)),
    activation("hardsigmoid", twice=False),
    Sample("hardsigmoid_backward", gradient_of(lambda t, x: t.nn.functional.hardsigmoid(x)), (OTHER, SIGNED),
           differentiable=False),
    activation("hardswish"),
    sloped("hardswish_backward", "hardswish"),
    activation("hardshrink", 0.6),
    sloped("hardshrink_backward", "hardshrink"),
    activation("softshrink", 0.6),
    sloped("softshrink_backward", "softshrink"),
    Sample("prelu_kernel", lambda t, a, w: t.nn.functional.prelu(a, w), (CURVED, WEIGHTS)),
    Sample("prelu_kernel_backward", gradient_of(lambda t, x, w: t.nn.functional.prelu(x, w)), (OTHER, CURVED, WEIGHTS),
           kinds=WIDE),
    Sample("rrelu_with_noise", lambda t, a: t.rrelu(a, training=True, generator=seeded(t)), (CURVED,),
           kinds=("float32", "bfloat16")),
    Sample("rrelu_with_noise", lambda t, a: t.nn.functional.rrelu(a), (CURVED,)),
    sloped("rrelu_with_noise_backward", "rrelu"),
    changed("rrelu_with_noise_in_place", "rrelu_"),
    activation("glu", x=PAIRS),
    Sample("glu_backward", gradient_of(lambda t, x: t.nn.functional.glu(x)), (HALF, PAIRS), kinds=WIDE),
]  # fmt: skip
