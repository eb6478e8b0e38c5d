"""gradcheck's checks of missing gradients of outputs, and of missing tangents of inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.backward_and_grad import grad
from backscope.autograd.gradcheck.finite_difference import GradcheckError, as_tuple, is_differentiable_type
from backscope.autograd.gradcheck.gradcheck_text import UNDEFINED_FAILED, UNDEFINED_NOT_ZERO, UNDEFINED_WARNING
from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.autograd.plan import Plan
from backscope.func import forward_ad
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor, alias


class UndefinedGrad(Node):
    """A node that sends no gradient on."""

    __slots__ = ()

    composite = True

    def run_tensors(self, node: Node, g: Value) -> list[Any]:
        """Return no gradient."""
        return [None]


def undefined_grad(tensor: Tensor) -> Value:
    """Return a tensor with the same value that sends no gradient on."""
    out = alias(tensor, tensor._data)
    node: Any = object.__new__(UndefinedGrad)
    edge, nr = gradient_edge(tensor)
    node.sequence_nr = next_sequence_nr()
    node.next, node.next_nr = (edge,), (nr,) if nr else None
    node.plan = _PLAN
    node.saved = node.attrs = ()
    node.versions = node.grad = node.hooks = node.token = None
    node.shape, node.dtype = out._data.shape, out._dtype
    out._grad_fn, out._requires_grad = node, True
    return out


def _nothing(node: Node, g: Value) -> list[Any]:
    return [None]


_PLAN = Plan(_nothing)


def check_undefined_backward(run: Callable[[], tuple[Any, ...]], count: int, by: list[Any]) -> None:
    """Raise GradcheckError where zero or missing gradients of the outputs give other gradients than zero or none."""
    _check_zero([undefined_grad(o) for o in run()], by)
    if count > 1:
        for missing in range(count):
            _check_zero([undefined_grad(o) if i == missing else o for i, o in enumerate(run())], by)


def _check_zero(outputs: list[Any], by: list[Any]) -> None:
    try:
        found = grad(outputs, by, [torch["zeros_like"](o) for o in outputs], allow_unused=True)
    except RuntimeError as error:
        warn(UNDEFINED_WARNING, UserWarning)
        raise GradcheckError(UNDEFINED_FAILED) from error
    for g in found:
        if g is not None and not (g == 0).all():
            warn(UNDEFINED_WARNING, UserWarning)
            raise GradcheckError(UNDEFINED_NOT_ZERO)


def check_undefined_forward(func: Callable[..., Any], given: tuple[Any, ...]) -> None:
    """Raise GradcheckError where a zero tangent of an input and a missing one give different tangents of outputs."""
    places = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]
    with forward_ad.dual_level():
        duals = list(given)
        for i in places:
            tangent = torch["rand"](given[i].shape).to(given[i].dtype)
            duals[i] = forward_ad.make_dual(given[i].detach(), tangent)
        for i in places:
            kept = duals[i]
            duals[i] = forward_ad.make_dual(given[i].detach(), torch["zeros_like"](given[i]))
            first = _tangents(func(*duals))
            duals[i] = given[i].detach()
            second = _tangents(func(*duals))
            duals[i] = kept
            for number, (a, b) in enumerate(zip(first, second, strict=False)):
                if a is not None and b is not None and not torch["allclose"](a, b):
                    raise GradcheckError(
                        "Mismatch in tangent values for output with index: ",
                        number,
                        " when input: ",
                        given[i],
                        " has an undefined tangent value. ",
                        " Got: ",
                        a,
                        " but expected: ",
                        b,
                    )


def _tangents(outputs: Values) -> list[Any]:
    return [forward_ad.unpack_dual(o).tangent for o in as_tuple(outputs) if is_differentiable_type(o)]
