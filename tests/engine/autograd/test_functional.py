"""Jacobians, Hessians and products with them: values, shapes of results, what strict refuses."""

import pytest

from backscope import torch
from backscope.torch.autograd import functional


def cubes(x):
    return x**3


@pytest.mark.parametrize("options", [{}, {"vectorize": True}, {"create_graph": True}])
def test_jacobian_is_diagonal_for_an_elementwise_function(options):
    found = functional.jacobian(cubes, torch.tensor([1.0, 2.0]), **options)
    assert found.tolist() == [[3.0, 0.0], [0.0, 12.0]]


def test_jacobian_of_several_outputs_and_inputs_is_nested():
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0])
    found = functional.jacobian(lambda a, b: (a * b, a.sum()), (a, b))
    assert [[tuple(x.shape) for x in row] for row in found] == [[(2, 2), (2, 1)], [(2,), (1,)]]


def test_create_graph_lets_a_jacobian_be_differentiated():
    x = torch.tensor([2.0], requires_grad=True)
    functional.jacobian(cubes, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [12.0]


def test_products_agree_with_the_full_matrices():
    x, v = torch.tensor([1.0, 2.0, -1.0]), torch.tensor([1.0, -1.0, 0.5])

    def scalar(x):
        return (x**4).sum() + x.prod()

    whole = functional.hessian(scalar, x)
    assert torch.allclose(functional.hvp(scalar, x, v)[1], whole @ v)
    assert torch.allclose(functional.vhp(scalar, x, v)[1], v @ whole)
    rows = functional.jacobian(cubes, x)
    assert torch.allclose(functional.jvp(cubes, x, v)[1], rows @ v)
    assert torch.allclose(functional.vjp(cubes, x, v)[1], v @ rows)


def test_results_are_off_the_tape_unless_asked_for():
    x = torch.ones(2, requires_grad=True)
    out, product = functional.vjp(cubes, x, torch.ones(2))
    assert not out.requires_grad and not product.requires_grad


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: functional.jacobian(lambda x: torch.ones(2), x, strict=True), "Output 0 of the user-provided"),
        (lambda x: functional.hessian(lambda x: x.sum(), x, strict=True), "While computing the hessian"),
        (lambda x: functional.jvp(cubes, x, torch.ones(3)), "v has invalid size"),
        (lambda x: functional.vjp(cubes, x), "The vector v can only be None"),
        (lambda x: functional.hessian(cubes, x), "should contain a single element"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(RuntimeError, match=text):
        call(torch.ones(2))


def test_inputs_that_are_no_tensors_are_refused():
    with pytest.raises(TypeError, match="must be either a Tensor or a tuple of Tensors"):
        functional.vhp(cubes, [torch.ones(2)])
