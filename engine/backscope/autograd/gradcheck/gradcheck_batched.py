"""gradcheck's check that gradients and tangents are the same one by one and as a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.backward_and_grad import grad
from backscope.autograd.gradcheck.finite_difference import GradcheckError, as_tuple, is_differentiable_type, tracked
from backscope.autograd.gradcheck.gradcheck_text import BATCHED_DIFFERS, BATCHED_FAILED, BATCHED_FORWARD_FAILED
from backscope.func import forward_ad
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


def check_batched_backward(given: tuple[Any, ...], out: Value, number: int) -> None:
    """Raise GradcheckError where one batched pass and two passes from random gradients of `out` differ."""
    from backscope.func.vmap import mapped_by_autograd

    by = list(tracked(given))

    def product(v: Value) -> tuple[Any, ...]:
        found = grad(out, by, v, retain_graph=True, allow_unused=True)
        return tuple(
            [
                torch["zeros"]((), dtype=x.dtype).expand(x.shape) if g is None else g
                for g, x in zip(found, by, strict=True)
            ]
        )

    vectors = [torch["randn_like"](out) for _ in range(2)]
    one_by_one = [product(v) for v in vectors]
    try:
        expected = _stack_each(one_by_one)
        found = mapped_by_autograd(product)(torch["stack"](vectors))
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{BATCHED_FAILED}") from error
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if not torch["allclose"](a, b):
            raise GradcheckError(BATCHED_DIFFERS.format(number, i, BATCHED_FAILED, a, b))


def check_batched_forward(func: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """Raise GradcheckError where one batched pass and two passes from random tangents of an input differ."""
    from backscope.func.vmap import mapped_by_autograd

    for position, x in enumerate(given):
        if not (isinstance(x, Tensor) and x.requires_grad and is_differentiable_type(x)):
            continue

        def product(tangent: Value, position: int = position, x: Value = x) -> tuple[Any, ...]:
            with forward_ad.dual_level():
                values = [y.detach() if isinstance(y, Tensor) else y for y in given]
                values[position] = forward_ad.make_dual(x.detach(), tangent)
                parts = [forward_ad.unpack_dual(o) for o in as_tuple(func(*values)) if o is not None]
                return tuple(
                    [
                        torch["zeros"]((), dtype=p.primal.dtype).expand(p.primal.shape)
                        if p.tangent is None
                        else p.tangent
                        for p in parts
                    ]
                )

        tangents = [torch["randn_like"](x) for _ in range(2)]
        expected = _stack_each([product(t) for t in tangents])
        try:
            found = mapped_by_autograd(product)(torch["stack"](tangents))
        except RuntimeError as error:
            raise GradcheckError(
                f"While computing batched gradients, got: {error}\n\n{BATCHED_FORWARD_FAILED}"
            ) from error
        for i, (a, b) in enumerate(zip(found, expected, strict=True)):
            if not torch["allclose"](a, b):
                raise GradcheckError(BATCHED_DIFFERS.format(i, i, BATCHED_FORWARD_FAILED, a, b))


def _stack_each(rows: list[tuple[Any, ...]]) -> list[Any]:
    return [torch["stack"](list(column)) for column in zip(*rows, strict=True)]
