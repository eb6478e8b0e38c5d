"""Views: shared memory and version counters, and how the tape follows an in-place change through them."""

from __future__ import annotations

from typing import Any

import pytest


def test_views_share_memory_and_version(torch: Any) -> None:
    """A change of the base is a change of its views, with one version counter."""
    base = torch.zeros(2, 3)
    view = base[1]
    assert view._is_view() and view._base is base
    base.add_(1)
    view.mul_(2)
    assert base.tolist() == [[1.0] * 3, [2.0] * 3]
    assert base._version == view._version == 2


def test_view_of_a_view_has_the_same_base(torch: Any) -> None:
    """`_base` is the tensor that owns the memory, however many views lie between."""
    base = torch.zeros(2, 3)
    assert base.t()[0].view(2)._base is base


def test_detach_shares_the_version_and_data_does_not(torch: Any) -> None:
    """Both share memory; only detach() lets a stale saved tensor be noticed."""
    x = torch.ones(2)
    d, p = x.detach(), x.data
    x.add_(1)
    assert (d._version, p._version) == (1, 0)
    assert d.tolist() == p.tolist() == [2.0, 2.0]
    assert not d._is_view() or d._base is x


def test_in_place_on_a_view_rewrites_the_base(torch: Any) -> None:
    """The base's history becomes CopySlices, the view's AsStrided."""
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    v = y[1:3]
    v.mul_(5)
    assert type(y.grad_fn).__name__ == "CopySlices"
    assert type(v.grad_fn).__name__ == "AsStridedBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 5.0, 5.0, 1.0]


def test_in_place_on_the_base_renews_views(torch: Any) -> None:
    """A view made before its base was changed computes on the new history."""
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    v = y[:2]
    y.mul_(3)
    assert type(v.grad_fn).__name__ == "AsStridedBackward0"
    v.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 0.0, 0.0]


def test_gradient_of_the_overwriting_value(torch: Any) -> None:
    """copy_ into a view cuts the overwritten part off and leads to the source."""
    x = torch.ones(3, requires_grad=True)
    s = torch.tensor(7.0, requires_grad=True)
    y = x * 2
    y[1] = s
    (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 200.0]
    assert s.grad.item() == 10.0


def test_second_derivative_through_copy_slices(torch: Any) -> None:
    """CopySlices can itself be recorded."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x
    y[:2].mul_(x[:2])
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [3.0, 12.0, 6.0]
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [6.0, 12.0, 2.0]


def test_two_views_of_one_base(torch: Any) -> None:
    """Changes of two overlapping views follow each other in the base's history."""
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    first, second = y[:2], y[1:]
    first.mul_(2)
    second.mul_(10)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 20.0, 10.0]
    assert first.tolist() == [2.0, 20.0]


def test_transposed_view(torch: Any) -> None:
    """The changed part may have any strides."""
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 1
    y.t()[0].mul_(4)
    y.sum().backward()
    assert x.grad.tolist() == [[4.0, 1.0, 1.0], [4.0, 1.0, 1.0]]


def test_base_in_column_order(torch: Any) -> None:
    """The changed part is found by the base's own strides, not by those of the gradient."""
    weights = torch.arange(1.0, 7.0).view(3, 2)
    x = torch.ones(2, 3, requires_grad=True)
    y = x.t() * 1
    y[0].mul_(4)
    assert y.stride() == (1, 3)
    (y * weights).sum().backward()
    assert x.grad.tolist() == [[4.0, 3.0, 5.0], [8.0, 4.0, 6.0]]


def test_second_derivative_in_column_order(torch: Any) -> None:
    """The same where the pass is recorded."""
    weights = torch.arange(1.0, 7.0).view(3, 2)
    x = torch.ones(2, 3, requires_grad=True)
    y = x.t() * 1
    y[0].mul_(x[:, 0])
    (first,) = torch.autograd.grad((y * weights).sum(), x, create_graph=True)
    assert first.tolist() == [[2.0, 3.0, 5.0], [4.0, 4.0, 6.0]]
    assert torch.autograd.grad((first * first).sum(), x)[0].tolist() == [[8.0, 0.0, 0.0], [32.0, 0.0, 0.0]]


def test_renewed_view_of_a_base_in_column_order(torch: Any) -> None:
    """AsStrided puts the gradient where the view's elements are in the base."""
    x = torch.ones(2, 3, requires_grad=True)
    y = x.t() * 1
    v = y[:, 1]
    y.mul_(2)
    (first,) = torch.autograd.grad((v * torch.tensor([1.0, 10.0, 100.0]) * v).sum(), x, create_graph=True)
    assert first.tolist() == [[0.0, 0.0, 0.0], [8.0, 80.0, 800.0]]
    (first * first).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0, 0.0], [128.0, 12800.0, 1280000.0]]


@pytest.mark.parametrize("shape", [(), (1,), (2, 2)])
def test_real_part_changed_in_place(torch: Any, shape: tuple[int, ...]) -> None:
    """A view of another dtype than its base."""
    x = torch.full(shape, 1 + 2j, requires_grad=True)
    y = x * 1
    y.real.mul_(3)
    (y.real * 2 + y.imag).sum().backward()
    assert (x.grad == 6 + 1j).all()


def test_empty_base(torch: Any) -> None:
    """Nothing to change, nothing to fail."""
    x = torch.ones(0, 3, requires_grad=True)
    y = x * 1
    y[:, 0].mul_(2)
    y.sum().backward()
    assert x.grad.shape == (0, 3)


def test_view_of_a_leaf_is_refused(torch: Any) -> None:
    """In-place on a view of a leaf that requires grad is PyTorch's error."""
    x = torch.ones(3, requires_grad=True)
    v = x[:2]
    with pytest.raises(RuntimeError) as caught:
        v.add_(1)
    assert str(caught.value) == "a view of a leaf Variable that requires grad is being used in an in-place operation."


def test_output_of_split_is_refused(torch: Any) -> None:
    """Outputs of functions that return several views can't be changed in place."""
    x = torch.ones(4, requires_grad=True)
    first, _ = (x * 1).split(2)
    with pytest.raises(RuntimeError) as caught:
        first.mul_(2)
    assert str(caught.value) == (
        "Output 0 of Split is a view and is being modified inplace. This view is the output of a function that returns "
        "multiple views. Such functions do not allow the output views to be modified inplace. You should replace the "
        "inplace operation by an out-of-place one."
    )


def test_view_made_in_no_grad_is_refused(torch: Any) -> None:
    """A view made in no_grad can't be changed in place outside, where that would be recorded."""
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    with torch.no_grad():
        v = y[:2]
    with pytest.raises(RuntimeError) as caught:
        v.mul_(2)
    assert str(caught.value) == (
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use "
        "case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and "
        "the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both "
        "outside (if you want the inplace to be tracked)."
    )


def test_view_without_history_that_requires_grad(torch: Any) -> None:
    """A view made without recording requires grad because its base does, and gradients go nowhere from it."""
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    with torch.no_grad():
        view = y[1:]
    product = view * 2
    assert view.requires_grad and view.is_leaf and product.grad_fn.next_functions[0] == (None, 0)
    product.sum().backward()
    assert x.grad is None


def test_stale_view_counts_as_a_leaf_in_place(torch: Any) -> None:
    """Its history is renewed only when it is read."""
    base = torch.zeros(2)
    view, w = base[:], torch.ones(2, requires_grad=True)
    base.copy_(w)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        view.mul_(2)
    assert not view.is_leaf
    view.mul_(2)
    base.sum().backward()
    assert w.grad.tolist() == [2.0, 2.0]


def test_views_of_another_dtype_are_replayed(torch: Any) -> None:
    """Strides can't lead from complex numbers to their parts."""
    x = torch.tensor([1 + 2j, 3 + 1j], requires_grad=True)
    y = x * 1
    parts = torch.view_as_real(y)
    y.real.mul_(3)
    assert parts.grad_fn.name() == "ViewAsRealBackward0"
    assert y.real.grad_fn.name() == "SelectBackward0"
    (parts * torch.tensor([[0.0, 1.0], [2.0, 3.0]])).sum().backward()
    assert x.grad.tolist() == [1j, 6 + 3j]


def test_saved_view_of_the_changed_memory_is_stale(torch: Any) -> None:
    """An operand that shares memory with the target is saved as it was before the change."""
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 1
    y.mul_(y[:])
    with pytest.raises(RuntimeError, match=r"which is output 0 of AsStrided, is at version 1; expected version 0"):
        y.sum().backward()


def test_copy_slices_is_freed_even_if_nothing_was_saved(torch: Any) -> None:
    """Its second run is refused."""
    x = torch.ones(2, requires_grad=True)
    y = x.clone()
    y[0].add_(1)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()


def test_shapes_changed_in_place(torch: Any) -> None:
    """A tensor becomes a view of what it was; its views follow it."""
    x = torch.arange(6.0, requires_grad=True)
    y = (x * 1).reshape(2, 3)
    y.t_()
    assert (y.grad_fn.name(), y.stride(), y._version) == ("TBackward1", (1, 3), 1)
    (y * torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]


def test_splits_that_are_no_views(torch: Any) -> None:
    """They may be changed, and their base does not know."""
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    first, second = torch.unsafe_chunk(y, 2)
    first.mul_(second)
    assert y._version == 0 and not first._is_view()
    first.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0, 1.0]


def test_partly_shared_memory_is_refused(torch: Any) -> None:
    """Reading and writing places that overlap has no order."""
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
        x[1:].add_(x[:-1])
    x[:].add_(x)
    assert x.tolist() == [0.0, 2.0, 4.0, 6.0]


def test_resize_and_set(torch: Any) -> None:
    """Other memory under the same tensor; tracked tensors refuse resize_."""
    x = torch.arange(4.0)
    assert x.resize_(2, 2)._version == 1 and x.resize_(2, 2)._version == 1
    y = torch.zeros(3)
    x.set_(y)
    y.add_(1)
    assert x.tolist() == [1.0, 1.0, 1.0] and x.data_ptr() == y.data_ptr()
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        (torch.ones(2, requires_grad=True) * 1).resize_(1)
    tracked = torch.ones(2, requires_grad=True) * 1
    tracked.set_(torch.ones(2))
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        tracked.sum().backward()
