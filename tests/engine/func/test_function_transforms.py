"""Custom Functions inside transforms: their own formulas count at every level, and vmap runs them on whole batches."""

import pytest

from backscope import torch
from backscope.torch.autograd import Function
from backscope.torch.func import grad, hessian, jacrev, jvp, vmap


class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, k):
        return x**3 * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, k = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        ctx.k = k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g * ctx.k, None

    @staticmethod
    def jvp(ctx, t, _):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * t * ctx.k


def cube(x):
    return Cube.apply(x, 2)


V = torch.tensor([1.0, 2.0, 3.0])


def test_gradients_of_gradients():
    x = torch.tensor(2.0)
    assert [grad(cube)(x).item(), grad(grad(cube))(x).item(), grad(grad(grad(cube)))(x).item()] == [24.0, 24.0, 12.0]
    assert [t.tolist() for t in jvp(cube, (V,), (torch.ones(3),))] == [[2.0, 16.0, 54.0], [6.0, 24.0, 54.0]]


def test_a_batch_has_one_node():
    x = V.clone().requires_grad_()
    y = vmap(cube)(x)
    assert y.grad_fn.name() == "VmappedCubeBackward"
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [6.0, 24.0, 54.0]


def test_batches_of_gradients():
    assert vmap(grad(cube))(V).tolist() == [6.0, 24.0, 54.0]
    assert jacrev(cube)(V).diag().tolist() == [6.0, 24.0, 54.0]
    assert [hessian(cube)(V)[i, i, i].item() for i in range(3)] == [12.0, 24.0, 36.0]


def test_the_formula_counts_at_every_level():
    class Straight(Function):
        @staticmethod
        def forward(x):
            return (x > 0).float()

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 3

    w = torch.tensor(5.0, requires_grad=True)
    inner = grad(lambda x: Straight.apply(x) * x * w)(torch.tensor(2.0))
    assert inner.item() == 35.0
    assert torch.autograd.grad(inner, w)[0].item() == 7.0


def test_refuses_what_has_no_setup_context_or_no_rule():
    class WithCtx(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    class NoRule(Cube):
        generate_vmap_rule = False

    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        grad(WithCtx.apply)(torch.tensor(1.0))
    with pytest.raises(RuntimeError, match="You tried to vmap over NoRule, but it does not have vmap support"):
        vmap(lambda x: NoRule.apply(x, 2))(V)


def test_own_rule_sees_whole_batches():
    seen = []

    class Product(Function):
        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x, y):
            seen.append((info.batch_size, in_dims, tuple(x.shape), tuple(y.shape)))
            return Product.apply(x, y), 0

    assert vmap(Product.apply, in_dims=(0, None))(V, torch.tensor(2.0)).tolist() == [2.0, 4.0, 6.0]
    assert seen == [(3, (0, None), (3,), ())]
