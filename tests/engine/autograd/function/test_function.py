"""Custom Functions: what apply() returns, which gradients fit, second derivatives."""

import gc

import numpy as np
import pytest

from backscope import torch
from backscope.torch.autograd import Function
from backscope.torch.autograd.function import once_differentiable


class Square(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return 2 * a * g


class Returning(Function):
    """backward() returns what `returned` says."""

    returned = None

    @staticmethod
    def forward(ctx, a, b, number=None):
        return a * 1

    @staticmethod
    def backward(ctx, g):
        return Returning.returned


def leaf(*values, dtype=None):
    return torch.tensor(values, dtype=dtype or torch.float32, requires_grad=True)


def test_gradients_flow_through_a_function():
    x = leaf(1.0, -2.0)
    y = Square.apply(x * 3)
    y.sum().backward()
    assert x.grad.tolist() == [18.0, -36.0]
    assert repr(y) == "tensor([ 9., 36.], grad_fn=<SquareBackward>)"


def test_grad_fn_is_the_ctx_while_anybody_holds_it():
    seen = []

    class Keep(Function):
        @staticmethod
        def forward(ctx, a):
            ctx.shape, ctx.dtype, ctx.saved, ctx.next, ctx.grad = a.shape, "own", "own", "own", "own"
            seen.append(ctx)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            assert ctx is seen[0]
            assert ctx.dtype == ctx.saved == ctx.next == ctx.grad == "own"
            return g * 2

    x = leaf(1.0)
    y = Keep.apply(x)
    assert y.grad_fn is seen[0]
    assert y.grad_fn.shape == (1,)
    y.backward()
    assert x.grad.item() == 2


def test_attributes_outlive_the_ctx_that_set_them():
    class Scale(Function):
        @staticmethod
        def forward(ctx, a, k):
            ctx.k = k
            return a * k

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = leaf(1.0)
    y = Scale.apply(x, 5)
    gc.collect()
    y.backward()
    assert x.grad.item() == 5


def test_a_function_leaves_no_cycle():
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0)
        for _ in range(3):
            Square.apply(x).backward()
        assert gc.collect() == 0
    finally:
        if enabled:
            gc.enable()


def test_node_tells_its_edges_and_holds_its_graph():
    x = leaf(1.0)
    node = Square.apply(x * 1).grad_fn
    assert node.name() == type(node).__name__ == "SquareBackward"
    assert [n.name() for n, _ in node.next_functions] == ["MulBackward0"]
    assert node.saved_tensors[0].tolist() == [1.0]
    assert node.needs_input_grad == (True,)


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (None, "function ReturningBackward returned an incorrect number of gradients (expected 2, got 1)"),
        (
            (None,) * 3 + (3.0,),
            "function ReturningBackward returned an incorrect number of gradients (expected 2, got 4)",
        ),
        ((3.0, None), "expected Variable or None (got float)"),
        (
            (torch.ones(2, 3), None),
            "Function ReturningBackward returned an invalid gradient at index 0 - got [2, 3] but expected "
            "shape compatible with [2]",
        ),
        (
            (None, torch.ones(())),
            "Function ReturningBackward returned an invalid gradient at index 1 - got [] but expected "
            "shape compatible with [2]",
        ),
        (
            (torch.ones(2, dtype=torch.complex64), None),
            "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got "
            "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)",
        ),
    ],
)
def test_refuses_gradients_that_do_not_fit(returned, text):
    Returning.returned = returned
    with pytest.raises(RuntimeError) as caught:
        Returning.apply(leaf(1.0, 1.0), leaf(1.0, 1.0)).sum().backward()
    assert str(caught.value) == text


def test_refuses_a_gradient_for_what_was_no_tensor():
    Returning.returned = (None, None, torch.ones(1))
    with pytest.raises(RuntimeError, match="different than None at position 3, but the corresponding forward input"):
        Returning.apply(leaf(1.0), leaf(1.0), 3).backward()


@pytest.mark.parametrize(
    ("returned", "wanted"),
    [
        ((torch.ones(5, 2), None), [5.0, 5.0]),
        ((torch.ones(2, dtype=torch.float64), None, None, None), [1.0, 1.0]),
        ((torch.ones(2, dtype=torch.int64), None), [1.0, 1.0]),
    ],
)
def test_makes_gradients_fit_their_inputs(returned, wanted):
    Returning.returned = returned
    x = leaf(1.0, 1.0)
    Returning.apply(x, leaf(1.0, 1.0)).sum().backward()
    assert x.grad.dtype is torch.float32
    assert x.grad.tolist() == wanted


def test_undefined_gradients_stay_undefined_below_but_reach_functions_as_zeros():
    seen = []

    class Nothing(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 1

        @staticmethod
        def backward(ctx, g):
            seen.append(None if g is None else g.tolist())

    class Unmaterialized(Nothing):
        @staticmethod
        def forward(ctx, a):
            ctx.set_materialize_grads(False)
            return a * 1

    x = leaf(1.0)
    Nothing.apply(Nothing.apply(Unmaterialized.apply(Nothing.apply(x)))).backward()
    assert x.grad is None
    assert seen == [[1.0], [0.0], None, [0.0]]


def test_unused_and_unmarked_outputs_come_as_zeros_or_none():
    seen = []

    class Outputs(Function):
        @staticmethod
        def forward(ctx, a, materialize):
            ctx.set_materialize_grads(materialize)
            order = a.sort()[1]
            ctx.mark_non_differentiable(order)
            return a * 1, a * 2, order, "text", None

        @staticmethod
        def backward(ctx, *gradients):
            seen.append([None if g is None else g.tolist() for g in gradients])
            return gradients[0], None

    x = leaf(1.0)
    outputs = Outputs.apply(x, True)
    outputs[0].backward()
    Outputs.apply(x, False)[0].backward()
    assert [o.requires_grad for o in outputs[:3]] == [True, True, False]
    assert outputs[3:] == ("text", None)
    assert seen == [[[1.0], [0.0], [0], None, None], [[1.0], None, None, None, None]]


def test_both_forms_take_keywords():
    class Separate(Function):
        @staticmethod
        def forward(a, k=2):
            return a * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = leaf(1.0)
    Separate.apply(x).backward()
    Separate.apply(a=x, k=7).backward()
    assert x.grad.item() == 9
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'z'"):
        Separate.apply(x, z=1)
    Returning.returned = (torch.ones(1), torch.ones(1), None)
    with pytest.raises(TypeError, match=r"^forward\(\) missing required argument: 'b' \(position 1\)"):
        Returning.apply(x, number=1)
    Returning.apply(x, number=1, b=x).backward()
    assert x.grad.item() == 11


def test_double_backward_goes_through_a_differentiable_backward():
    x = leaf(3.0)
    (first,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (6.0, 2.0)


def test_once_differentiable_refuses_the_second_time_only():
    class Once(Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            assert not torch.is_grad_enabled()
            return 2 * ctx.saved_tensors[0] * g

    x, v = leaf(3.0), leaf(1.0)
    (untracked,) = torch.autograd.grad(Once.apply(x), x, create_graph=True)
    assert not untracked.requires_grad
    (first,) = torch.autograd.grad(Once.apply(x), x, v, create_graph=True)
    assert repr(first) == "tensor([6.], grad_fn=<Error>)"
    with pytest.raises(RuntimeError, match="differentiate twice a function that was marked with @once_differentiable"):
        first.backward()


def test_backward_and_vjp_are_one():
    class Vjp(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    class Both(Vjp):
        @staticmethod
        def backward(ctx, g):
            return g

    class Neither(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 1

    x = leaf(1.0)
    Vjp.apply(x).backward()
    assert x.grad.item() == 2
    with pytest.raises(
        RuntimeError, match="Implementing both 'backward' and 'vjp' for a custom Function is not allowed"
    ):
        Both.apply(x).backward()
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        Neither.apply(x).backward()


def test_forward_may_leave_for_numpy():
    class NumpyExp(Function):
        @staticmethod
        def forward(ctx, a):
            result = torch.from_numpy(np.exp(a.numpy()))
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    x = leaf(0.0)
    NumpyExp.apply(x).backward()
    assert x.grad.item() == 1


def test_instances_are_of_the_past():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Square()
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"):
        instance(leaf(1.0))


def test_errors_of_the_user_pass_through():
    class Fails(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 1

        @staticmethod
        def backward(ctx, g):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        Fails.apply(leaf(1.0)).backward()
    assert caught.traceback[-1].name == "backward"


def test_a_gradient_handed_through_is_taken_over_by_one_leaf():
    places = []

    class Add(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, g):
            places.append(g.data_ptr())
            return g, g

    a, b = leaf(1.0, 2.0), leaf(1.0, 2.0)
    (Add.apply(a, b) * torch.tensor([2.0, 3.0])).sum().backward()
    assert a.grad.data_ptr() != b.grad.data_ptr()
    assert places[0] in (a.grad.data_ptr(), b.grad.data_ptr())
