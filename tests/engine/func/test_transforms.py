"""grad, vjp, jvp and Jacobians: values, nesting, what they refuse, what becomes of the ordinary tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit")


def test_gradients_by_arguments(torch: Any) -> None:
    """argnums chooses; nested containers keep their structure; aux comes along."""
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    assert torch.func.grad(lambda x, y: (x * y**2).sum(), argnums=1)(x, y).tolist() == [6.0, 16.0]
    found = torch.func.grad(lambda p: (p["a"] * p["b"][0]).sum())({"a": x, "b": [y]})
    assert found["b"][0].tolist() == [1.0, 2.0]
    gradient, aux = torch.func.grad(lambda x: (x.sum(), x * 2), has_aux=True)(x)
    assert gradient.tolist() == [1.0, 1.0] and aux.tolist() == [2.0, 4.0] and not aux.requires_grad


def test_levels_do_not_see_each_other(torch: Any) -> None:
    """The derivative of x · d/dy (x + y) by x is 1, in reverse and in forward mode."""
    one, two = torch.tensor(1.0), torch.tensor(2.0)
    assert torch.func.grad(lambda x: x * torch.func.grad(lambda y: x + y)(one))(two).item() == 1.0

    def push(f: Callable[[Any], Any], x: Any) -> Any:
        return torch.func.jvp(f, (x,), (one,))[1]

    assert push(lambda x: x * push(lambda y: x + y, one), two).item() == 1.0


def test_any_order_of_modes_gives_the_second_derivative(torch: Any) -> None:
    """Forward over reverse, reverse over forward, and each over itself."""
    x = torch.tensor([1.0, 2.0, 3.0])
    func = torch.func

    def f(x: Any) -> Any:
        return (x**3).sum() + x.prod()

    expected = [[6.0, 3.0, 2.0], [3.0, 12.0, 1.0], [2.0, 1.0, 18.0]]
    for outer in (func.jacrev, func.jacfwd):
        for inner in (func.jacrev, func.jacfwd, func.grad):
            assert outer(inner(f))(x).tolist() == expected
    assert func.hessian(f)(x).tolist() == expected


def test_no_grad_holds_for_the_level_that_it_is_in(torch: Any) -> None:
    """Around grad it is ignored; inside it makes constants."""
    x = torch.tensor(2.0)
    with torch.no_grad():
        assert torch.func.grad(lambda x: x**2)(x).item() == 4.0

    def shifted(x: Any) -> Any:
        with torch.no_grad():
            shift = torch.func.grad(lambda x: 0.25 * x**4)(x)
        return torch.func.grad(lambda x: x**2)(x) - shift

    assert shifted(x).item() == -4.0
    assert torch.func.grad(shifted)(x).item() == 2.0


def test_results_belong_to_the_ordinary_tape_just_where_inputs_do(torch: Any) -> None:
    """A gradient by func.grad can be differentiated by backward() through captured tensors."""
    w = torch.tensor(2.0, requires_grad=True)
    found = torch.func.grad(lambda x: (w * x**2).sum())(torch.ones(2))
    found.sum().backward()
    assert w.grad.item() == 4.0
    assert not torch.func.grad(lambda x: x**2)(torch.tensor(1.0)).requires_grad


def test_pullbacks_outlive_their_level(torch: Any) -> None:
    """A vjp's function works later, also under vmap, and leaves nothing on the tape."""
    _, pull = torch.func.vjp(torch.sin, torch.tensor([0.0, 1.0]))
    (row,) = pull(torch.ones(2))
    (rows,) = torch.func.vmap(pull)(torch.eye(2))
    assert not row.requires_grad and torch.equal(rows.sum(0), row)


def test_in_place_changes_of_what_the_function_made(torch: Any) -> None:
    """They are differentiated; captured tensors must not be changed."""

    def f(x: Any) -> Any:
        y = torch.zeros(2)
        y[0] = x[1]
        y.add_(x).mul_(x)
        return y.sum()

    x = torch.tensor([2.0, 3.0])
    assert torch.func.grad(f)(x).tolist() == [7.0, 8.0]
    assert torch.func.jvp(f, (x,), (torch.ones(2),))[1].item() == 15.0
    w = torch.ones(2)
    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        torch.func.grad(lambda x: w.add_(x).sum())(x)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda func, x: func.grad(lambda x: x * 2)(x), "to return a scalar Tensor, got tensor with 1 dims"),
        (lambda func, x: func.grad(lambda x: 3.0)(x), "to return a Tensor, got <class 'float'>"),
        (lambda func, x: func.grad(lambda x: x.sum(), argnums=3)(x), "Got argnum=3, but only 1"),
        (lambda func, x: func.grad(lambda x: x.requires_grad_().sum())(x), "attempting to call Tensor.requires_grad_"),
        (lambda func, x: func.grad(lambda x: x.sum().backward())(x), "called inside a functorch transform"),
        (lambda func, x: func.vjp(lambda x: x > 0, x), "must be floating-point or complex"),
        (lambda func, x: func.jvp(lambda x: x, x, x), "Expected primals to be a tuple"),
        (lambda func, x: func.jvp(lambda x: x, (x,), (x[:1],)), "different size"),
        (lambda func, x: func.jacrev(lambda x: x)(x + 0j), "to be real but received complex"),
    ],
)
def test_refusals(torch: Any, call: Callable[[Any, Any], Any], text: str) -> None:
    """PyTorch's errors."""
    with pytest.raises(RuntimeError, match=text):
        call(torch.func, torch.ones(2))


def test_wrappers_print_their_levels(torch: Any) -> None:
    """What a print inside a transform shows."""
    seen: list[str] = []

    def f(x: Any) -> Any:
        seen.append(repr(x))
        return x.sum()

    torch.func.vmap(torch.func.grad(f))(torch.ones(1, 1))
    assert seen == [
        "GradTrackingTensor(lvl=2, value=\n    BatchedTensor(lvl=1, bdim=0, value=\n        tensor([[1.]])\n    )\n)"
    ]


def test_functional_call_and_stacked_models(torch: Any) -> None:
    """A module with other parameters, one set for each model; its own stay as they were."""
    models = [torch.nn.Linear(2, 1) for _ in range(3)]
    params, buffers = torch.func.stack_module_state(models)
    x = torch.ones(4, 2)

    def call(params: Any, buffers: Any) -> Any:
        return torch.func.functional_call(models[0], (params, buffers), (x,))

    found = torch.func.vmap(call)(params, buffers)
    assert torch.allclose(found, torch.stack([m(x) for m in models]))
    assert isinstance(models[0].weight, torch.nn.Parameter)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        torch.func.functional_call(models[0], {"other": x}, x, strict=True)
