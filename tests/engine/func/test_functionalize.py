"""functionalize: what a function changes of its arguments is written back, and what it gives lies elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")


def through_a_view(x: Any) -> Any:
    """Change all elements by a view."""
    x.view(-1).add_(1)
    return x


def through_a_part(x: Any) -> Any:
    """Change the diagonal of the upper half."""
    x.split(2)[0].diagonal().mul_(3)
    return x


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize(
    ("change", "after"),
    [(through_a_view, [[2.0, 2.0]] * 4), (through_a_part, [[3.0, 1.0], [1.0, 3.0], [1.0, 1.0], [1.0, 1.0]])],
)
def test_argument_is_changed_at_the_end(torch: Any, change: Callable[..., Any], after: Any, remove: str) -> None:
    x = torch.ones(4, 2)
    out = torch.func.functionalize(change, remove=remove)(x)
    assert out is not x
    assert out.data_ptr() != x.data_ptr()
    assert out.tolist() == x.tolist() == after
    assert x._version == 1


@pytest.mark.parametrize("change", [through_a_view, through_a_part])
def test_it_runs_inside_other_transforms(torch: Any, change: Callable[..., Any]) -> None:
    func = torch.func
    once, batch = torch.ones(4, 2), torch.ones(3, 4, 2)
    expected = change(once).tolist()
    assert func.vmap(func.functionalize(change))(batch).tolist() == batch.tolist() == [expected] * 3

    def loss(x: Any) -> Any:
        y = x * x
        z = y.view(4, 2)
        y.mul_(2)
        return z.sum()

    assert func.grad(func.functionalize(loss))(torch.ones(8)).tolist() == [4.0] * 8
    assert func.functionalize(func.grad(loss))(torch.ones(8)).tolist() == [4.0] * 8


def test_argument_that_stays_as_it_was_is_returned(torch: Any) -> None:
    x = torch.ones(2)
    assert torch.func.functionalize(lambda x: [x, {"a": x}])(x)[1]["a"] is x
    assert torch.func.functionalize(lambda x: x.t(), remove="mutations_and_views")(torch.ones(2, 3))._is_view() is False


def test_argument_of_another_size_is_resized(torch: Any) -> None:
    x = torch.zeros(0)
    out = torch.func.functionalize(lambda x: x.resize_(3).fill_(2.0))(x)
    assert out.tolist() == x.tolist() == [2.0, 2.0, 2.0]


def test_an_error_leaves_arguments_alone(torch: Any) -> None:
    x = torch.ones(2)

    def failing(x: Any) -> Any:
        x.add_(1)
        raise KeyError("late")

    with pytest.raises(KeyError, match="late"):
        torch.func.functionalize(failing)(x)
    assert x.tolist() == [1.0, 1.0]


def test_view_of_several_keeps_its_rule(torch: Any) -> None:
    def first(x: Any) -> Any:
        base = x.clone()
        out = base.unbind(0)[0]
        base.add_(1)
        return out

    out = torch.func.functionalize(first)(torch.ones(2, 3, requires_grad=True))
    with pytest.raises(RuntimeError, match="output of a function that returns multiple views"):
        out.mul_(2)


def test_what_it_refuses(torch: Any) -> None:
    func = torch.func
    with pytest.raises(RuntimeError, match="received invalid argument for remove=views. Valid options are:"):  # noqa: RUF043
        func.functionalize(lambda x: x, remove="views")
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        func.functionalize(lambda x: x.add_(1))(leaf)
    with pytest.raises(RuntimeError, match=r"backward.. called inside a functorch transform"):
        func.functionalize(lambda x: x.sum().backward())(leaf)

    class Double(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    with pytest.raises(RuntimeError, match="NYI: Functionalize rule for custom_function_call"):
        func.functionalize(Double.apply)(leaf)
