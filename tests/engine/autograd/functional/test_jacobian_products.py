"""Jacobians, Hessians and products with them: values, shapes of results, what strict refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def cubes(x: Any) -> Any:
    return x**3


@pytest.mark.parametrize("options", [{}, {"vectorize": True}, {"create_graph": True}])
def test_jacobian_is_diagonal_for_an_elementwise_function(torch: Any, options: dict[str, bool]) -> None:
    """Each output depends on its own input alone."""
    found = torch.autograd.functional.jacobian(cubes, torch.tensor([1.0, 2.0]), **options)
    assert found.tolist() == [[3.0, 0.0], [0.0, 12.0]]


def test_jacobian_of_several_outputs_and_inputs_is_nested(torch: Any) -> None:
    """A row for each output, an entry for each input."""
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0])
    found = torch.autograd.functional.jacobian(lambda a, b: (a * b, a.sum()), (a, b))
    assert [[tuple(x.shape) for x in row] for row in found] == [[(2, 2), (2, 1)], [(2,), (1,)]]


def test_create_graph_lets_a_jacobian_be_differentiated(torch: Any) -> None:
    """The second derivative through the first."""
    x = torch.tensor([2.0], requires_grad=True)
    torch.autograd.functional.jacobian(cubes, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [12.0]


def test_products_agree_with_the_full_matrices(torch: Any) -> None:
    """What the products leave out is only the matrix."""
    x, v = torch.tensor([1.0, 2.0, -1.0]), torch.tensor([1.0, -1.0, 0.5])

    def scalar(x: Any) -> Any:
        return (x**4).sum() + x.prod()

    whole = torch.autograd.functional.hessian(scalar, x)
    assert torch.allclose(torch.autograd.functional.hvp(scalar, x, v)[1], whole @ v)
    assert torch.allclose(torch.autograd.functional.vhp(scalar, x, v)[1], v @ whole)
    rows = torch.autograd.functional.jacobian(cubes, x)
    assert torch.allclose(torch.autograd.functional.jvp(cubes, x, v)[1], rows @ v)
    assert torch.allclose(torch.autograd.functional.vjp(cubes, x, v)[1], v @ rows)


def test_results_are_off_the_tape_unless_asked_for(torch: Any) -> None:
    """A tracked input alone does not make results tracked."""
    x = torch.ones(2, requires_grad=True)
    out, product = torch.autograd.functional.vjp(cubes, x, torch.ones(2))
    assert not out.requires_grad and not product.requires_grad


REFUSED = [
    ("jacobian", lambda x: x.detach(), {"strict": True}, "Output 0 of the user-provided"),
    ("hessian", lambda x: x.sum(), {"strict": True}, "While computing the hessian"),
    ("jvp", cubes, {}, "The vector v can only be None"),
    ("vjp", cubes, {}, "The vector v can only be None"),
    ("hessian", cubes, {}, "should contain a single element"),
]


@pytest.mark.parametrize(("name", "function", "options", "text"), REFUSED)
def test_refusals(torch: Any, name: str, function: Callable[[Any], Any], options: dict[str, bool], text: str) -> None:
    """PyTorch's errors."""
    with pytest.raises(RuntimeError, match=text):
        getattr(torch.autograd.functional, name)(function, torch.ones(2), **options)


def test_inputs_that_are_no_tensors_are_refused(torch: Any) -> None:
    """A list is no tuple."""
    with pytest.raises(TypeError, match="must be either a Tensor or a tuple of Tensors"):
        torch.autograd.functional.vhp(cubes, [torch.ones(2)])
