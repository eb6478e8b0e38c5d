"""Hooks around saved tensors: which pair is used, what it is given and when, and what its answers become."""

from __future__ import annotations

import threading
from typing import Any

import pytest


def test_inputs_in_order_of_their_names_then_results(torch: Any) -> None:
    """The very tensors are given, without recording; unpacking keeps the order."""
    seen: list[Any] = []
    x, y = torch.ones(2, requires_grad=True), torch.full((2,), 2.0, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: seen.append((t, torch.is_grad_enabled())) or t, lambda t: t
    ):
        product = x * y
        power = product.exp()
    assert [t is o for (t, _), o in zip(seen, (y, x, power), strict=True)] == [True, True, True]
    assert not any(enabled for _, enabled in seen)
    assert seen[2][0].grad_fn is power.grad_fn


def test_unpacked_tensor_stands_where_the_saved_one_stood(torch: Any) -> None:
    """So a second derivative runs through it."""
    x = torch.tensor([2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = (x * 1) ** 3
    saved = y.grad_fn._saved_self
    assert saved.requires_grad and saved.grad_fn is y.grad_fn.next_functions[0][0]
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_in_place_op_packs_what_it_overwrites_before_it_does(torch: Any) -> None:
    """y.mul_(y) can't run backward, except where a hook has copied y in time."""
    x = torch.tensor([3.0], requires_grad=True)
    y = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y.mul_(y)
    y.backward()
    assert x.grad.item() == 6.0


def test_hooks_of_one_saved_tensor(torch: Any) -> None:
    """At most one pair, on what is still kept."""
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    with pytest.raises(RuntimeError, match="saved tensor with value None is forbidden"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    y.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: t * 2)
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        y.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: t)
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor after it has been freed"):
        y.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: t)


def test_saved_tensors_are_not_made_by_hand(torch: Any) -> None:
    """Only nodes have them."""
    kind = type(torch.ones(1, requires_grad=True).exp().grad_fn._raw_saved_result)
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        kind()


def test_indices_are_saved_tensors(torch: Any) -> None:
    """They are packed, checked for changes, and freed."""
    x = torch.ones(3, requires_grad=True)
    index = torch.tensor([0, 2])
    picked = x[index]
    assert picked.grad_fn._saved_indices[0] is index
    assert len(picked.grad_fn._raw_saved_indices) == 1
    index.add_(0)
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[2\]\] is at version 1; expected version 0"):
        picked.sum().backward()


def test_disabled(torch: Any) -> None:
    """The innermost message counts; hooks that are active forbid it."""
    graph = torch.autograd.graph
    with graph.disable_saved_tensors_hooks("outer"):
        with (
            graph.disable_saved_tensors_hooks("inner"),
            pytest.raises(RuntimeError, match="inner"),
            graph.save_on_cpu(),
        ):
            pass
        with pytest.raises(RuntimeError, match="outer"), graph.save_on_cpu():
            pass
    with (
        graph.save_on_cpu(pin_memory=True),
        pytest.raises(RuntimeError, match="late"),
        graph.disable_saved_tensors_hooks("late"),
    ):
        pass


def test_hooks_are_the_threads_own(torch: Any) -> None:
    """Another thread saves as ever."""
    seen: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        thread = threading.Thread(target=x.exp)
        thread.start()
        thread.join()
    assert not seen


@pytest.mark.parametrize("answer", [None, 1])
def test_unpack_hook_gives_a_tensor(torch: Any, answer: Any) -> None:
    """Anything else is a TypeError."""
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: answer):
        y = torch.ones(2, requires_grad=True).exp()
    with pytest.raises(TypeError, match=f"got result of type {type(answer).__name__}"):
        y.sum().backward()


def test_packing_is_told(record: Any) -> None:
    """A recording names the hook, the node's slot and what the hook made of the tensor."""
    from backscope.protocol import events as ev

    recording = record(
        "def keep(t):\n    return t\nx = torch.ones(2, requires_grad=True) * 1\n"
        "with torch.autograd.graph.saved_tensors_hooks(keep, keep):\n    x.mul_(x)\nx.sum().backward()\n"
    )
    packed = recording.of(ev.SavedTensorPacked)
    assert [(e.slot, e.hook) for e in packed] == [("_saved_other", "keep"), ("_saved_self", "keep")]
    assert recording.of(ev.SavedTensorUnpacked)
