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


def _graphs(torch: Any) -> dict[str, Any]:
    """Return functions of three leaves by name; their nodes have several outputs, lists of inputs or other shapes."""
    return {
        "elementwise": lambda a, b, c: ((a * b).tanh() * c - a / c).sum(),
        "broadcast": lambda a, b, c: ((a * b[0] + c[:, :1]) * a).sum(),
        "listed": lambda a, b, c: (torch.cat([a, b * c, c]) ** 2).sum(),
        "several outputs": lambda a, b, c: sum(
            (x * y).sum() for x, y in zip(a.unbind(), (b * c).split(1), strict=True)
        ),
        "matrices": lambda a, b, c: torch.linalg.solve(a @ b + 9 * torch.eye(3), c).sum(),
        "without a gradient": lambda a, b, c: (torch.sort(a * b, 1).values + (c * a).sign()).sum(),
        "in place": lambda a, b, c: (a * b).mul_(c).add_(b).exp().mean(),
    }


@pytest.mark.parametrize("name", list(_graphs(None)))
@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (2, 0), (1, 2), (1, 1)])
def test_some_leaves_get_what_a_whole_pass_gives_them(torch: Any, name: str, wanted: tuple[int, ...]) -> None:
    """The nodes that lead to other leaves alone do not run, and keep what they saved."""
    function = _graphs(torch)[name]
    torch.manual_seed(1)
    leaves = [torch.randn(3, 3, requires_grad=True) for _ in range(3)]
    whole = torch.autograd.grad(function(*leaves), leaves)
    out = function(*leaves)
    for retain_graph in (True, False):
        found = torch.autograd.grad(out, [leaves[i] for i in wanted], retain_graph=retain_graph)
        for i, gradient in zip(wanted, found, strict=True):
            assert (gradient.tolist(), gradient.stride()) == (whole[i].tolist(), whole[i].stride())
    assert [leaf.grad for leaf in leaves] == [None] * 3
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(out, [leaves[i] for i in wanted])


def test_of_tensors_on_the_way_and_of_outputs_of_one_node(torch: Any) -> None:
    a, b = (torch.tensor([[x, 1.0], [2.0, 3.0]], requires_grad=True) for x in (2.0, 4.0))
    p = a * b
    first, second = p.unbind()
    q = first * second
    out = (q * q).sum() + second.sum()
    for retain_graph in (True, False):
        found = torch.autograd.grad(out, (second, p, q, a, first, out), retain_graph=retain_graph)
        dq = 2 * q.detach()
        expected = (dq * first + 1, torch.stack([dq * second, dq * first + 1]), dq)
        for gradient, right in zip(found, expected, strict=False):
            assert gradient.tolist() == right.tolist()
        assert found[3].tolist() == (found[1] * b).tolist()
        assert found[4].tolist() == (dq * second).tolist() and found[5].tolist() == 1.0
    (unused,) = torch.autograd.grad((a * 2).sum(), (p,), allow_unused=True)
    assert unused is None


def test_roots_that_lead_to_no_wanted_leaf_do_not_run(torch: Any) -> None:
    a, b = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    first, second = (a * a).sum(), (b * b).sum()
    (found,) = torch.autograd.grad((first, second, b), (a,), (None, None, torch.ones(1)))
    assert found.tolist() == [4.0]
    second.backward()
    assert b.grad.tolist() == [6.0]


def test_a_pass_to_some_leaves_that_fails_leaves_no_gradients_at_nodes(torch: Any) -> None:
    a, b, c = (torch.full((2,), x, requires_grad=True) for x in (2.0, 3.0, 4.0))
    p = a * b
    out = (p.exp() * c).sum() + (a * c).sum()
    with torch.no_grad():
        b.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(out, (a,), retain_graph=True)
    with torch.no_grad():
        b.sub_(1)
    assert torch.autograd.grad(out, (c,))[0].tolist() == (p.exp() + a).tolist()
