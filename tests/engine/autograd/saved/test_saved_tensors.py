"""Saved tensors: which, when they are freed, how stale ones are noticed, hooks around them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest


def test_number_is_saved_as_a_tensor(torch: Any) -> None:
    """A Python operand reads back as a 0-d tensor of its own type."""
    x = torch.ones(2, requires_grad=True)
    saved = (x * 3).grad_fn._saved_other
    assert (saved.item(), saved.dtype, saved.shape) == (3, torch.int64, ())


def test_only_what_the_formula_needs(torch: Any) -> None:
    """An operand whose partner wants no gradient is not saved."""
    x = torch.ones(2, requires_grad=True)
    c = torch.full((2,), 5.0)
    node = (x * c).grad_fn
    assert node._saved_self is None
    assert node._saved_other.tolist() == [5.0, 5.0]


def test_sum_and_difference_save_nothing(torch: Any) -> None:
    """Their second backward pass works."""
    x = torch.ones(2, requires_grad=True)
    y = (x + x - 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_scalar_product_frees_its_number(torch: Any) -> None:
    """(x*2).sum() can't run backward twice: the number is a saved tensor too."""
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


def test_result_leads_back_to_its_node(torch: Any) -> None:
    """A saved result is the op's output again, with its grad_fn."""
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    saved = y.grad_fn._saved_result
    assert saved.grad_fn is y.grad_fn
    assert saved.tolist() == y.tolist()


def test_attributes_survive_the_freeing(torch: Any) -> None:
    """What is no tensor can be read after the pass, a negative dim as PyTorch shows it."""
    x = torch.ones(2, 3, requires_grad=True)
    y = torch.softmax(x, -1)
    y.sum().backward()
    assert y.grad_fn._saved_dim == 18446744073709551615
    with pytest.raises(RuntimeError, match="a second time"):
        y.grad_fn._saved_result  # noqa: B018


def test_unknown_slot(torch: Any) -> None:
    """A name that the node does not save is an AttributeError."""
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute '_saved_nothing'"):
        (x * 2).grad_fn._saved_nothing  # noqa: B018


@pytest.mark.parametrize(
    ("change", "made_by"),
    [("input", "output 0 of Add"), ("result", "output 0 of Exp"), ("view", "output 0 of AsStrided")],
)
def test_change_of_a_saved_tensor_is_noticed(torch: Any, change: str, made_by: str) -> None:
    """For an input, for the op's own result, and for a view whose base was changed: both versions are named."""
    x = torch.ones(3, requires_grad=True)
    a = x * 1
    if change == "input":
        y = a * a
        a.add_(1)
    elif change == "result":
        y = a.exp()
        y.add_(1)
    else:
        view = a[:2]
        y = view * view
        a.add_(1)
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    size = 2 if change == "view" else 3
    assert str(caught.value) == (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.FloatTensor [{size}]], which is {made_by}, is at version 1; expected version 0 instead. Hint: enable "
        "anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def test_saved_at_a_later_version(torch: Any) -> None:
    """A tensor changed before it was saved is fine; changed once more, the error counts from there."""
    x = torch.ones(3)
    x.add_(1)
    w = torch.ones(3, requires_grad=True)
    y = w * x
    y.sum().backward(retain_graph=True)
    x.add_(1)
    with pytest.raises(RuntimeError, match=r"\[torch.FloatTensor \[3\]\] is at version 2; expected version 1 instead"):
        y.sum().backward()


def test_saved_tensors_are_released_during_backward(ours: Any) -> None:
    """In a chain, what a node saved is free before the node below runs."""
    alive: list[int] = []
    x = ours.ones(4, requires_grad=True)
    held: list[weakref.ref[Any]] = []
    y = x
    nodes = []
    for _ in range(6):
        factor = ours.full((4,), 2.0)
        held.append(weakref.ref(factor))
        y = y * factor
        nodes.append(y.grad_fn)
        del factor
    gc.collect()
    for node in nodes:
        node.register_prehook(lambda g: alive.append(sum(ref() is not None for ref in held)))
    y.sum().backward()
    assert alive == [6, 5, 4, 3, 2, 1]
    assert all(ref() is None for ref in held)


def test_retain_graph_keeps_them(ours: Any) -> None:
    """With retain_graph the saved tensors live as long as the graph."""
    x = ours.ones(4, requires_grad=True)
    factor = ours.full((4,), 2.0)
    y = (x * factor).sum()
    ref = weakref.ref(factor)
    del factor
    y.backward(retain_graph=True)
    assert ref() is not None
    del y
    assert ref() is None


def test_pack_and_unpack(torch: Any) -> None:
    """Every tensor that a node saves goes through the hooks, numbers do not."""
    packed: list[Any] = []
    unpacked: list[Any] = []

    def pack(t: Any) -> Any:
        packed.append(t.tolist())
        return t * 10

    def unpack(t: Any) -> Any:
        unpacked.append(t.tolist())
        return t

    x = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
    y.backward()
    assert packed == [[2.0], [2.0]]
    assert unpacked == [[20.0], [20.0]]
    assert x.grad.tolist() == [40.0]


def test_unpack_must_give_a_tensor(torch: Any) -> None:
    """Anything else is a TypeError."""
    x = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x.exp()
    with pytest.raises(TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor"):
        y.backward()


def test_pack_may_not_change_its_input(torch: Any) -> None:
    """What is to be saved must stay as it is."""
    x = torch.ones(2, requires_grad=True)
    with (
        pytest.raises(RuntimeError, match=r"^A saved tensor pack hook is modifying its input in place\. "),
        torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t),
    ):
        x.exp()


def _after_relu(torch: Any) -> Any:
    return (torch.ones(2, requires_grad=True) * 2).relu_()


def _with_a_view(torch: Any) -> Any:
    h = torch.ones(2, requires_grad=True) * 2
    h.view_of_mine = h[:1]
    return h


@pytest.mark.parametrize("made", [_after_relu, _with_a_view])
@pytest.mark.parametrize("then", [lambda h: h, lambda h: h.requires_grad_(), lambda h: h.relu_()])
def test_a_tensor_detached_in_place_is_refused_whatever_its_version(torch: Any, made: Any, then: Any) -> None:
    """Its version alone says nothing: it was changed, or its memory shared, before it was saved."""
    h = made(torch)
    y = h * h
    then(h.detach_())
    with pytest.raises(RuntimeError, match="Trying to use a saved tensor that has been detached in-place"):
        y.sum().backward()


def test_a_tensor_saved_after_it_was_detached_is_used(torch: Any) -> None:
    """Detaching changes no version, and aliases go on counting together."""
    h = _after_relu(torch)
    alias = h.detach()
    h.detach_()
    w = torch.ones(2, requires_grad=True)
    y = h * w
    y.sum().backward(retain_graph=True)
    assert w.grad.tolist() == [2, 2]
    assert h._version == alias._version == 1
    alias.add_(1)
    assert h._version == 2
    with pytest.raises(RuntimeError, match="is at version 2; expected version 1 instead"):
        y.sum().backward()


def test_attributes_show_a_saved_tensor_that_was_detached_in_place(torch: Any) -> None:
    """Only the formula refuses it."""
    h = _after_relu(torch)
    y = h * torch.ones(2, requires_grad=True)
    h.detach_()
    assert y.grad_fn._saved_self.tolist() == [2, 2]
