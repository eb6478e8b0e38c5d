"""allow_mutation_on_saved_tensors: what nodes have saved is cloned before it is changed, once, while it is needed."""

from __future__ import annotations

from typing import Any

import pytest


def _counts(known: Any) -> tuple[int, int]:
    return len(known.cloned), len(known.tid_to_weakhandle)


def test_changing_the_saved_tensor_itself(torch: Any) -> None:
    """Its gradient is that of the value which was saved."""
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as known:
        b = a.clone()
        out = (b**2).sum()
        b.sin_()
        assert _counts(known)[0] == 1
        out.backward()
        assert _counts(known)[0] == 0
    assert a.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("saved", ["base", "view"])
def test_changing_by_way_of_a_view(torch: Any, saved: str) -> None:
    """Base and view share memory; whichever is saved is cloned when the other is changed."""
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        b = a.clone()
        c = b[:]
        out = ((b if saved == "base" else c) ** 2).sum()
        (c if saved == "base" else b).mul_(10)
        out.backward()
    assert a.grad.tolist() == [2.0, 4.0]


def test_no_clone_of_what_is_no_longer_saved(torch: Any) -> None:
    """After backward the memory may be changed without a copy."""
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as known:
        a = torch.ones(2, requires_grad=True).clone()
        out = (a**2).sum()
        assert _counts(known) == (0, 1)
        out.backward()
        a.sin_()
        assert _counts(known)[0] == 0


def test_one_clone_for_each_version(torch: Any) -> None:
    """Saved twice, cloned once; saved again after a change, cloned again; freed with the nodes."""
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as known:
        a = torch.ones(2, requires_grad=True).clone()
        b, c = a**2, a**2
        a.sin_()
        assert _counts(known)[0] == 1
        d = a**2
        a.sin_()
        assert _counts(known)[0] == 2
        del b, c
        assert _counts(known)[0] == 1
        del d
        assert _counts(known)[0] == 0


def test_writing_with_out(torch: Any) -> None:
    """out= is a change like any other."""
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as known:
        a, b = torch.tensor([1.0], requires_grad=True), torch.tensor([3.0])
        product = a * b
        torch.sin(torch.tensor([2.0]), out=b)
        assert _counts(known)[0] == 1
        product.backward()
    assert a.grad.item() == 3.0


def test_second_derivative(torch: Any) -> None:
    """The clone takes the place of the saved tensor on the tape."""
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        b = a.clone()
        out = (b**3).sum()
        b.sin_()
        (first,) = torch.autograd.grad(out, a, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), a)
    assert second.tolist() == [6.0, 12.0]


def test_outside_and_nested(torch: Any) -> None:
    """Forward and backward pass belong into the same context, and one context into no other."""
    allowed = torch.autograd.graph.allow_mutation_on_saved_tensors
    a = torch.ones(2, requires_grad=True)
    with allowed():
        out = (a**2).sum()
    with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors' context"):
        out.backward()
    with allowed(), pytest.raises(RuntimeError, match="contexts cannot be nested"), allowed():
        pass


def test_what_changes_an_inference_tensor_is_refused(torch: Any) -> None:
    """Inference tensors have no version to find saved ones by: neither elements, shapes nor outputs may change."""
    x = torch.ones(2, 3, requires_grad=True)
    with torch.inference_mode():
        known = torch.zeros(2, 3)
        with torch.autograd.graph.allow_mutation_on_saved_tensors():
            for change in (
                lambda: known.add_(1), lambda: known[0].mul_(2), lambda: known.t_(), lambda: known.unsqueeze_(0),
                lambda: known.resize_(2), lambda: known.set_(), lambda: known.detach_(), lambda: known.zero_(),
                lambda: torch.add(x, x, out=known), lambda: torch.stack([x, x], out=torch.zeros(24)[::2]),
                lambda: torch.tensor([1.0]), lambda: x.new_tensor([1.0]), lambda: torch.nn.Linear(2, 2),
            ):  # fmt: skip
                with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
                    change()
            assert torch.as_tensor([1.0]).tolist() == torch.scalar_tensor(1.0)[None].tolist() == [1.0]
            assert (x + torch.zeros_like(x)).tolist() == [[1.0] * 3] * 2
        assert known.shape == (2, 3)


def test_parameters_made_in_inference_mode_are_inference_tensors(torch: Any) -> None:
    with torch.inference_mode():
        layer = torch.nn.Linear(2, 2)
    assert layer.weight.is_inference()
    assert not torch.nn.Linear(2, 2).weight.is_inference()
    with torch.no_grad(), pytest.raises(RuntimeError, match="Inplace update to inference tensor outside Inference"):
        layer.weight.mul_(2)
