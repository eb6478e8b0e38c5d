"""get_numerical_jacobian and get_analytical_jacobian of torch.autograd.gradcheck."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


def page(torch: Any) -> Any:
    """The module, which `torch.autograd.gradcheck` hides behind the function."""
    return importlib.import_module(f"{torch.__name__}.autograd.gradcheck")


def leaves(torch: Any) -> tuple[Any, Any]:
    return tuple(torch.tensor([[0.3, 1.2]], dtype=torch.float64, requires_grad=True) for _ in range(2))  # type: ignore[return-value]


def test_numerical_is_of_the_first_output(torch: Any) -> None:
    """A matrix for each input of the target, a row for each of its elements."""
    a, b = leaves(torch)
    with pytest.warns(FutureWarning, match="`get_numerical_jacobian` was part of PyTorch's private API"):
        both = page(torch).get_numerical_jacobian(lambda i: (3 * i[0] + i[1], i[1]), (a, b), eps=1e-6)
    with pytest.warns(FutureWarning):
        one = page(torch).get_numerical_jacobian(lambda i: (3 * i[0] + i[1], i[1]), (a, b), target=b, eps=1e-6)
    assert [m.round(decimals=4).tolist() for m in both] == [[[3, 0], [0, 3]], [[1, 0], [0, 1]]]
    assert [m.round(decimals=4).tolist() for m in one] == [[[1, 0], [0, 1]]]


def test_analytical_says_what_it_saw(torch: Any) -> None:
    """The matrices, and whether two runs agree, sizes and dtypes are right."""
    a, b = leaves(torch)
    with pytest.warns(FutureWarning, match="get_analytical_jacobian"):
        matrices, *seen = page(torch).get_analytical_jacobian((a, b), 2 * a + b * b)
    assert [m.tolist() for m in matrices] == [[[2, 0], [0, 2]], [[0.6, 0], [0, 2.4]]]
    assert seen == [True, True, True]


def test_analytical_notices_that_runs_differ(torch: Any) -> None:
    """A formula that gives another gradient each time is not reentrant."""

    class Growing(torch.autograd.Function):  # type: ignore[misc,name-defined]
        scale = 1.0

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            Growing.scale += 1
            return g * Growing.scale

    a, _ = leaves(torch)
    with pytest.warns(FutureWarning):
        assert page(torch).get_analytical_jacobian((a,), Growing.apply(a))[1] is False


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_refuses_other_gradients_and_complex_outputs(torch: Any) -> None:
    """Only real outputs and a gradient of 1."""
    a, _ = leaves(torch)
    numerical, analytical = page(torch).get_numerical_jacobian, page(torch).get_analytical_jacobian
    with pytest.raises(ValueError, match=r"Expected grad_out to be 1.0. get_numerical_jacobian"):
        numerical(lambda i: i[0], (a,), grad_out=2.0)
    with pytest.raises(ValueError, match=r"Expected grad_out to be 1.0. get_analytical_jacobian"):
        analytical((a,), a * 2, grad_out=2.0)
    with pytest.raises(ValueError, match="no longer supports functions that return complex outputs"):
        numerical(lambda i: i[0] * 1j, (a,))
    with pytest.raises(ValueError, match="no longer supports functions that return complex outputs"):
        analytical((a,), a * 1j)
