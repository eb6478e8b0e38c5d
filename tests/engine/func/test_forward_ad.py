"""Forward mode: dual tensors through ops, views and in-place changes, levels, and reverse mode on top."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit")


def tangent(torch: Any, function: Any, x: Any, t: Any) -> Any:
    """The tangent of a function's output."""
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        return forward.unpack_dual(function(forward.make_dual(x, t))).tangent


@pytest.mark.parametrize(
    "name",
    "sin exp tanh sqrt sum mean prod cumsum softmax var norm logsumexp flip max abs reciprocal sigmoid".split(),  # noqa: SIM905
)
def test_agrees_with_reverse_mode(torch: Any, name: str) -> None:
    """The tangent is the Jacobian times the tangent of the input, whichever rule an op has."""
    x = torch.tensor([[0.5, 1.5, -0.3], [2.0, 0.1, 0.7]], dtype=torch.float64).abs()
    t = torch.tensor([[1.0, -1.0, 0.5], [0.25, 2.0, -3.0]], dtype=torch.float64)
    arguments = {"cumsum": (1,), "softmax": (1,), "logsumexp": (1,), "flip": (0,)}.get(name, ())

    def function(x: Any) -> Any:
        return getattr(x, name)(*arguments)

    rows = torch.autograd.functional.jacobian(function, x)
    expected = (rows * t).sum((-1, -2))
    assert torch.allclose(tangent(torch, function, x, t), expected)


def test_products_of_two_duals(torch: Any) -> None:
    """Both factors contribute."""
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        a = forward.make_dual(torch.tensor([2.0]), torch.tensor([1.0]))
        b = forward.make_dual(torch.tensor([3.0]), torch.tensor([10.0]))
        assert forward.unpack_dual(a * b).tangent.item() == 23.0
        assert forward.unpack_dual(a / b).tangent.item() == pytest.approx((3.0 - 20.0) / 9.0)


def test_in_place_changes_move_the_tangent(torch: Any) -> None:
    """The tangent changes in its own memory, also by way of a view, and a plain tensor can become dual."""
    forward = torch.autograd.forward_ad
    t = torch.tensor([1.0, 2.0, 3.0])
    with forward.dual_level():
        d = forward.make_dual(torch.ones(3), t)
        d.mul_(2)
        d[0] = 5.0
        d[1:].mul_(3)
        assert t.tolist() == [0.0, 12.0, 18.0]
        plain = torch.zeros(2, 2)
        plain[0].add_(d[:2])
        assert forward.unpack_dual(plain).tangent.tolist() == [[0.0, 12.0], [0.0, 0.0]]


def test_complex_functions_that_are_not_holomorphic(torch: Any) -> None:
    """abs and conj have no complex derivative, but tangents."""
    z, t = torch.tensor([3 + 4j]), torch.tensor([1j])
    assert tangent(torch, torch.abs, z, t).item() == pytest.approx(0.8)
    assert tangent(torch, lambda z: z * z.conj(), z, t).item() == pytest.approx(8.0)


def test_forward_over_reverse(torch: Any) -> None:
    """The tangent of a gradient is a product with the Hessian, with and without create_graph."""
    forward = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for recorded in (False, True):
        with forward.dual_level():
            d = forward.make_dual(x, torch.tensor([1.0, 10.0]))
            (g,) = torch.autograd.grad((d**3).sum(), d, create_graph=recorded)
            assert forward.unpack_dual(g).tangent.tolist() == [6.0, 120.0]


def test_saved_results_keep_their_tangent(torch: Any) -> None:
    """exp saves its own output: its gradient has a tangent too."""
    forward = torch.autograd.forward_ad
    x = torch.tensor([0.0], requires_grad=True)
    with forward.dual_level():
        d = forward.make_dual(x, torch.tensor([2.0]))
        (g,) = torch.autograd.grad(d.exp().sum(), d, create_graph=True)
        assert forward.unpack_dual(g).tangent.item() == 2.0


def test_levels(torch: Any) -> None:
    """One level at a time; tangents are gone when it closes."""
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        d = forward.make_dual(torch.ones(1), torch.ones(1))
        with pytest.raises(RuntimeError, match="Nested forward mode AD"):
            forward.enter_dual_level()
        with pytest.raises(RuntimeError, match="already has a forward gradient"):
            forward.make_dual(d, torch.ones(1))
        with pytest.raises(RuntimeError, match="different size"):
            forward.make_dual(torch.ones(1), torch.ones(2))
    assert "tangent" not in repr(d)
    with pytest.raises(RuntimeError, match="no level exists"):
        forward.make_dual(torch.ones(1), torch.ones(1))


def test_detach_and_no_grad(torch: Any) -> None:
    """detach() drops the tangent, no_grad does not."""
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        d = forward.make_dual(torch.ones(1), torch.ones(1))
        assert forward.unpack_dual(d.detach()).tangent is None
        with torch.no_grad():
            assert forward.unpack_dual(d * 2).tangent.item() == 2.0


def test_tangents_are_told(record: Any) -> None:
    """Each tangent is recorded once, and none of the ops that computed it."""
    run = record(
        "import torch.autograd.forward_ad as fw\n"
        "with fw.dual_level():\n"
        "    d = fw.make_dual(torch.tensor(2.0), torch.tensor(1.0))\n"
        "    y = d * d\n"
    )
    told = [(e.op, e.value.values) for e in run.events if type(e).__name__ == "TangentComputed"]
    assert [op for op, _ in told] == [None, "mul"]
    assert [e.op for e in run.events if type(e).__name__ == "OpApplied"].count("mul") == 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: d.mul_(d), [2.99, 1.12]),
        (lambda d: d.mul_(d[:]), [2.99, 1.12]),
        (lambda d: d.mul_(d.detach()), [1.69, 0.32]),
        (lambda d: d.hypot_(d), [1.7071067811865475, 3.414213562373095]),
        (lambda d: d.addcmul_(d, d), [6.98, 4.24]),
        (lambda d: d.div_(d), [0.0, 0.0]),
        (lambda d: d.add_(d), [2.0, 4.0]),
        (lambda d: d.mul_(d.clone()), [2.6, 1.6]),
    ],
)
def test_an_operand_that_is_the_target_is_read_after_the_change(torch: Any, change: Any, expected: Any) -> None:
    """PyTorch's formulas keep the target as it was, but no other operand: where both are one, that one has changed."""
    x, t = torch.tensor([1.3, 0.4], dtype=torch.float64), torch.tensor([1.0, 2.0], dtype=torch.float64)
    found = tangent(torch, change, x.clone(), t.clone())
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    assert torch.func.jvp(lambda d: change(d.clone()), (x,), (t,))[1].tolist() == pytest.approx(expected, abs=1e-12)


def test_an_operand_that_is_the_conjugate_of_the_target_is_read_after_the_change(torch: Any) -> None:
    x, t = torch.tensor([1 + 2j, 3 - 1j]), torch.tensor([1j, 1j])
    assert tangent(torch, lambda d: d.mul_(d.conj()), x.clone(), t.clone()).tolist() == [2 + 4j, -1 + 7j]
    assert torch.func.jvp(lambda d: d.mul_(d.conj()), (x,), (t,))[1].tolist() == [2 + 4j, -1 + 7j]


def test_the_primal_of_a_lazy_view_is_one_too(torch: Any) -> None:
    forward = torch.autograd.forward_ad
    x = torch.tensor([1 + 2j, 3 - 1j])
    with forward.dual_level():
        dual = forward.make_dual(x, torch.ones_like(x))
        for view in (dual.conj(), dual[0].conj(), torch._neg_view(dual), dual.conj().imag):
            primal, t = forward.unpack_dual(view)
            assert (primal.is_conj(), primal.is_neg()) == (view.is_conj(), view.is_neg()) == (t.is_conj(), t.is_neg())
            assert primal.tolist() == view.tolist()
        made = forward.unpack_dual(forward.make_dual(x.conj(), torch.ones_like(x)))
        assert (made.primal.is_conj(), made.tangent.is_conj()) == (True, True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_tangent_lies_in_memory_as_its_primal(torch: Any) -> None:
    """One whose whole memory is of another size is copied, so that what is read around the primal is there."""
    forward = torch.autograd.forward_ad
    primal, tangent = torch.arange(5.0)[:4].detach(), torch.ones(4)
    with forward.dual_level():
        dual = forward.make_dual(primal, tangent)
        found = forward.unpack_dual(dual).tangent
        assert found is not tangent
        assert (found.tolist(), len(found.untyped_storage())) == ([1.0] * 4, 20)
        whole = forward.unpack_dual(dual.as_strided((5,), (1,), 0))
        assert (whole.primal.tolist(), whole.tangent.tolist()) == ([0, 1, 2, 3, 4], [1, 1, 1, 1, 0])
        alike = torch.zeros(5)[:4].detach()
        assert forward.unpack_dual(forward.make_dual(primal, alike)).tangent is alike


def test_zeros_with_the_same_meta(torch: Any) -> None:
    """They lie as the other tensor does in memory as large, once for each place of the batch dims."""
    of = torch.ops.aten._new_zeros_with_same_feature_meta
    found = of(torch.ones(3), torch.arange(6.0).view(2, 3).t()[1:], self_num_batch_dims=0)
    assert (tuple(found.shape), found.stride(), found.storage_offset()) == ((2, 2), (1, 3), 1)
    found = of(torch.ones(3, 4), torch.arange(5.0)[1:3], self_num_batch_dims=1)
    assert (tuple(found.shape), found.stride(), len(found.untyped_storage())) == ((3, 2), (5, 1), 60)


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize(
    "write",
    [
        lambda x, i: x.scatter(0, i, x * 2),
        lambda x, i: x.clone().scatter_(0, i, x * 2),
        lambda x, i: x.index_copy(0, i, x * 2),
        lambda x, i: x.index_put((i,), x * 2),
        lambda x, i: x.put(i, x * 2),
    ],
)
def test_of_several_values_written_to_one_place_the_tangent_of_the_last_stays(torch: Any, write: Any) -> None:
    x, i = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2, 0])
    assert torch.func.jacfwd(lambda x: write(x, i))(x).tolist() == [[0, 0, 2], [0, 1, 0], [0, 2, 0]]
    assert tangent(torch, lambda x: write(x, i), x, torch.tensor([1.0, 10.0, 100.0])).tolist() == [200, 10, 20]


def test_source_larger_than_its_indices_has_a_tangent(torch: Any) -> None:
    x, i = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2])
    assert tangent(torch, lambda x: x.scatter(0, i, x * 2), x, torch.tensor([1.0, 10.0, 100.0])).tolist() == [2, 10, 20]
