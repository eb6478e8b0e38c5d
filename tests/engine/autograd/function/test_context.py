"""What a Function's ctx saves and marks: tensors for backward, inputs changed in place or returned as they are."""

import warnings

import pytest

from backscope import torch
from backscope.torch.autograd import Function


class Square(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return 2 * a * g


def leaf(*values, dtype=None):
    return torch.tensor(values, dtype=dtype or torch.float32, requires_grad=True)


def test_second_backward_needs_what_was_saved():
    x = leaf(2.0)
    y = Square.apply(x)
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.grad_fn.saved_tensors  # noqa: B018
    assert x.grad.item() == 8


def test_saved_tensors_notice_changes_in_place():
    a = leaf(1.0, 2.0) * 1
    y = Square.apply(a)
    a.add_(1)
    with pytest.raises(RuntimeError, match=r"\[2\]\], which is output 0 of Add, is at version 1; expected version 0"):
        y.sum().backward()


def test_saved_outputs_keep_no_cycle_and_their_history():
    class Exp(Function):
        @staticmethod
        def forward(ctx, a):
            result = a.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            (result,) = ctx.saved_tensors
            return g * result

    x = leaf(0.0)
    y = Exp.apply(x)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (1.0, 1.0)
    z = Exp.apply(x)
    z.mul_(2)
    with pytest.raises(RuntimeError, match="which is output 0 of Exp, is at version 1; expected version 0 instead"):
        z.backward()


@pytest.mark.parametrize("wrong", [3, "text", [torch.ones(1)]])
def test_saves_tensors_and_none_only(wrong):
    class Saves(Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(None, wrong)
            return a * 1

    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 1 is of type"):
        Saves.apply(leaf(1.0))
    assert Saves.apply(torch.ones(1)).item() == 1


def test_input_returned_as_is_becomes_a_view():
    class Same(Function):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 10

    x = leaf(1.0)
    y = Same.apply(x)
    assert y is not x
    assert y._is_view()
    y.backward()
    assert x.grad.item() == 10
    plain = torch.ones(1)
    assert Same.apply(plain) is not plain


def test_setup_context_may_not_save_an_input_returned_as_is():
    class Same(Function):
        @staticmethod
        def forward(a):
            return a

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)

    with pytest.raises(RuntimeError, match="An input that has been returned as-is as output is being saved"):
        Same.apply(leaf(1.0))


class AddOne(Function):
    @staticmethod
    def forward(ctx, a):
        a.add_(1)
        ctx.mark_dirty(a)
        return a

    @staticmethod
    def backward(ctx, g):
        return g * 5


def test_dirty_input_is_returned_and_tracked():
    x = leaf(1.0)
    y = x * 2
    z = AddOne.apply(y)
    assert z is y
    assert y._version == 2
    z.backward()
    assert x.grad.item() == 10


def test_dirty_view_rewrites_its_base():
    x = leaf(1.0, 1.0)
    base = x * 1
    part = base[:1]
    assert AddOne.apply(part) is part
    assert [part.grad_fn.name(), base.grad_fn.name()] == ["AsStridedBackward0", "torch::autograd::CopySlices"]
    base.sum().backward()
    assert x.grad.tolist() == [5.0, 1.0]


def test_dirty_leaf_is_refused():
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        AddOne.apply(leaf(1.0))


def test_dirty_must_be_returned():
    class Forgets(Function):
        @staticmethod
        def forward(ctx, a):
            ctx.mark_dirty(a)
            return a.clone()

    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned"):
        Forgets.apply(leaf(1.0) * 1)


def test_clearing_on_access():
    class Clears(Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * 1

        @staticmethod
        def backward(ctx, g):
            ctx.saved_tensors  # noqa: B018
            ctx.saved_tensors  # noqa: B018

    with pytest.raises(RuntimeError, match="saved_tensors can only be accessed once when"):
        Clears.apply(leaf(1.0)).backward()


def test_marking_what_is_no_input_warns():
    class Odd(Function):
        @staticmethod
        def forward(ctx, a):
            out = a * 1
            ctx.mark_dirty(out)
            return out

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Odd.apply(leaf(1.0))
    assert [str(w.message) for w in caught] == [
        "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
        "passed to ctx.mark_dirty()."
    ]
