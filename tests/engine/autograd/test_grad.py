"""autograd.grad(): results instead of `.grad`, unused inputs, materialized and batched gradients."""

from __future__ import annotations

from typing import Any

import pytest


def test_touches_no_grad(torch: Any) -> None:
    """Results are returned in the order of the inputs; `.grad` stays empty."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    db, da = torch.autograd.grad(a * b, [b, a])
    assert (db.item(), da.item()) == (2.0, 3.0)
    assert a.grad is None and b.grad is None


def test_of_a_non_leaf(torch: Any) -> None:
    """The gradient of a tensor in the middle."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    assert torch.autograd.grad(y * 5, y)[0].item() == 5.0


def test_output_is_its_own_input(torch: Any) -> None:
    """The gradient of a tensor with respect to itself is the one that was passed."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    assert torch.autograd.grad(y, y)[0].item() == 1.0


def test_same_input_twice(torch: Any) -> None:
    """An input named twice gets its gradient twice."""
    x = torch.tensor(2.0, requires_grad=True)
    first, second = torch.autograd.grad(x * x, [x, x])
    assert first.item() == second.item() == 4.0


def test_dict_in_dict_out(torch: Any) -> None:
    """A dict of inputs gives a dict of gradients."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    found = torch.autograd.grad(a * b, {"a": a, "b": b})
    assert {k: v.item() for k, v in found.items()} == {"a": 3.0, "b": 2.0}


def test_allow_unused(torch: Any) -> None:
    """An unused input gives None where that is allowed."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    assert torch.autograd.grad(a * 2, [a, b], allow_unused=True)[1] is None


def test_materialize_grads(torch: Any) -> None:
    """With materialize_grads an unused input gives zeros of its own shape and dtype."""
    a = torch.ones(2, requires_grad=True)
    b = torch.ones(3, dtype=torch.float64, requires_grad=True)
    _, unused = torch.autograd.grad(a.sum(), [a, b], materialize_grads=True)
    assert unused.tolist() == [0.0, 0.0, 0.0]
    assert unused.dtype is torch.float64


def test_frees_the_graph(torch: Any) -> None:
    """Without retain_graph the saved tensors are gone after the call."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(y, x)


def test_nodes_off_the_path_keep_what_they_saved(torch: Any) -> None:
    """Only nodes that run let go of their saved tensors."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    p, q = a * a, b * b
    z = p + q
    torch.autograd.grad(z, a)
    assert q.grad_fn._saved_self.item() == 3.0
    with pytest.raises(RuntimeError):
        p.grad_fn._saved_self  # noqa: B018


def test_tensor_hooks_of_captured_tensors_run(torch: Any) -> None:
    """A hook on an input changes what grad() returns."""
    x = torch.tensor(2.0, requires_grad=True)
    x.register_hook(lambda g: g * 10)
    assert torch.autograd.grad(x * 3, x)[0].item() == 30.0


def test_batched_gradients(torch: Any) -> None:
    """is_grads_batched runs one pass for each entry of the leading dim."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (rows,) = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_result_is_tracked_only_with_create_graph(torch: Any) -> None:
    """A gradient of a gradient needs create_graph."""
    x = torch.tensor(2.0, requires_grad=True)
    assert not torch.autograd.grad(x * x, x)[0].requires_grad
    assert torch.autograd.grad(x * x, x, create_graph=True)[0].requires_grad


@pytest.mark.parametrize(
    ("function", "is_view"),
    [
        (lambda v: v.sum(), True),
        (lambda v: (v.t() * 2).sum(), True),
        (lambda v: (v.reshape(-1) * 2).sum(), True),
        (lambda v: (v + 1).sum(), True),
        (lambda v: (v * 2).sum(), False),
        (lambda v: v.exp().sum(), False),
        (lambda v: (v + v).sum(), False),
    ],
)
def test_gradients_are_views_where_the_formula_makes_one(torch: Any, function: Any, is_view: bool) -> None:
    """A pass runs under no_grad, so such a view can't be detached in place, nor changed by what is tracked."""
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (g,) = torch.autograd.grad(function(v), v)
    assert g._is_view() is is_view
    if is_view:
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            g.detach_()
        with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
            g.mul_(v)
    else:
        g.detach_()
        assert g.mul_(v).requires_grad


def test_real_gradient_of_a_conversion_to_complex_numbers_is_a_view_of_the_complex_one(torch: Any) -> None:
    v = torch.arange(1.0, 7.0, dtype=torch.float64).reshape(2, 3).requires_grad_()
    for function in (lambda v: v.type(torch.complex128), lambda v: v * 2j, lambda v: 2j - v):
        (g,) = torch.autograd.grad(function(v).abs().sum(), v)
        assert (g.dtype, g.stride(), g._is_view()) == (torch.float64, (6, 2), True)
    (g,) = torch.autograd.grad(v.to(torch.complex64).abs().sum(), v)
    assert (g.dtype, g.stride(), g._is_view()) == (torch.float64, (3, 1), False)


@pytest.mark.parametrize("create_graph", [False, True])
def test_where_sends_no_complex_gradient_to_real_numbers(torch: Any, create_graph: bool) -> None:
    """PyTorch's formula lets it through, and the check of what a node returns refuses it."""
    v, w = torch.tensor([1.0, -2.0], requires_grad=True), torch.tensor([1j, 2j], requires_grad=True)
    for out in (torch.where(v > 0, v, w), w.masked_fill(v > 0, v[0])):
        with pytest.raises(RuntimeError, match="input_is_complex == grad_is_complex"):
            torch.autograd.grad(out.abs().sum(), v, create_graph=create_graph)


def test_failed_pass_leaves_no_gradients(torch: Any) -> None:
    """Neither at the leaves nor, for a later pass, in the nodes."""

    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise KeyError("no gradient")

    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    late, early = Failing.apply(b), a * 2
    with pytest.raises(KeyError, match="no gradient"):
        torch.autograd.grad((early + late).sum(), (a, b))
    assert a.grad is None
    assert b.grad is None
    (gradient,) = torch.autograd.grad((a * 3).sum(), a)
    assert gradient.tolist() == [3, 3]


def test_strides_of_a_sum_are_those_of_the_gradient_that_arrived_first(torch: Any) -> None:
    x, ones = torch.ones((2, 2), requires_grad=True), torch.ones((2, 2))
    for out, strides in ((x.t() * ones + x * ones, (2, 1)), (x * ones + x.t() * ones, (1, 2))):
        (gradient,) = torch.autograd.grad(out, x, ones)
        assert gradient.stride() == strides
