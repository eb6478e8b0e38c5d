"""`out=` beside tensors that require grad: the refused calls, the names in the errors, and the history of `out`."""

from __future__ import annotations

from typing import Any

import pytest

REFUSED = "functions with out=... arguments don't support automatic differentiation, but one of the arguments requires"


def leaf(torch: Any, *shape: int) -> Any:
    """A tensor of halves that requires grad."""
    return torch.full(shape, 0.5, requires_grad=True)


@pytest.mark.parametrize(
    ("name", "title", "arguments"),
    [
        ("add", "add", 2), ("divide", "div", 2), ("square", "pow", 1), ("fix", "trunc", 1), ("outer", "mul", 2),
        ("hstack", "cat", 0), ("norm", "linalg_vector_norm", 1), ("matrix_power", "matmul", 1), ("sin", "sin", 1),
    ],
)  # fmt: skip
def test_refusal_names_the_op_that_the_function_is_made_of(torch: Any, name: str, title: str, arguments: int) -> None:
    x = leaf(torch, 2, 2) if name == "matrix_power" else leaf(torch, 2)
    given = [[x, x]] if not arguments else [x] * arguments
    if name == "matrix_power":
        given.append(2)
    with pytest.raises(RuntimeError) as raised:
        getattr(torch, name)(*given, out=torch.zeros(0))
    assert str(raised.value).startswith(f"{title}(): {REFUSED}")


@pytest.mark.parametrize("name", ["eq", "gt", "logical_and", "isin"])
def test_result_without_gradients_refuses_nothing(torch: Any, name: str) -> None:
    out = torch.zeros(2, dtype=torch.bool)
    getattr(torch, name)(leaf(torch, 2), leaf(torch, 2), out=out)
    assert not out.requires_grad
    tracked = leaf(torch, 2)
    assert torch.eq(torch.ones(2), torch.ones(2), out=tracked) is tracked
    assert tracked.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("name", "arguments"), [("softmax", (0,)), ("conj_physical", ()), ("floor_divide", (2,))])
def test_function_without_a_derivative_leaves_a_node_that_says_so(torch: Any, name: str, arguments: Any) -> None:
    out = getattr(torch, name)(leaf(torch, 2), *arguments, out=torch.zeros(2))
    assert out.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match="is not implemented"):
        out.sum().backward()
    with pytest.raises(RuntimeError) as raised:
        getattr(torch, name)(torch.ones(2), *arguments, out=leaf(torch, 2))
    assert str(raised.value).startswith(f"aten::{name}(): {REFUSED}")


@pytest.mark.parametrize(("name", "other"), [("quantile", False), ("inner", True)])
def test_function_that_copies_its_result_is_differentiated(torch: Any, name: str, other: bool) -> None:
    x = leaf(torch, 2)
    out = getattr(torch, name)(x, x if other else 0.5, out=torch.zeros(0))
    assert out.grad_fn.name() == "torch::autograd::CopyBackwards"
    out.backward()
    assert x.grad.tolist() == ([1.0, 1.0] if other else [0.5, 0.5])


def test_what_is_to_be_resized_first_is_refused_for_that(torch: Any) -> None:
    with pytest.raises(RuntimeError, match=r"^cannot resize variables that require grad$"):
        torch.empty(3, out=leaf(torch, 3))
