"""backward(): which gradients arrive where, in which order nodes run, and how deep a graph may be."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest


def test_scalar_gradients(torch: Any) -> None:
    """Product and sum rule, and a leaf without requires_grad gets nothing."""
    x = torch.tensor(3.0)
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    (w * x + b).backward()
    assert (w.grad.item(), b.grad.item(), x.grad) == (3.0, 1.0, None)


def test_one_tensor_used_many_times(torch: Any) -> None:
    """Contributions of every use are added up before the node below runs."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    (y * y + y + x).backward()
    assert x.grad.item() == 4 * 8 + 4 + 1


def test_broadcast_is_folded_back(torch: Any) -> None:
    """The gradient of a broadcast input has the input's shape: it is summed over the repeated dims."""
    a = torch.ones(3, 1, requires_grad=True)
    b = torch.ones(4, requires_grad=True)
    c = torch.tensor(2.0, requires_grad=True)
    (a * b * c).sum().backward()
    assert a.grad.tolist() == [[8.0]] * 3
    assert b.grad.tolist() == [6.0] * 4
    assert c.grad.item() == 12.0
    assert c.grad.shape == ()


def test_mixed_dtypes_give_each_input_its_own(torch: Any) -> None:
    """A gradient is cast back to the dtype of the input that it belongs to."""
    a = torch.ones(2, dtype=torch.float64, requires_grad=True)
    b = torch.ones(2, requires_grad=True)
    (a * b).sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (torch.float64, torch.float32)


def test_gradient_weights_the_outputs(torch: Any) -> None:
    """gradient= is the vector of the vector-Jacobian product."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * x).backward(gradient=torch.tensor([1.0, 0.0, 10.0]))
    assert x.grad.tolist() == [2.0, 0.0, 60.0]


def test_gradient_of_another_dtype_is_cast(torch: Any) -> None:
    """gradient= may be of any real dtype."""
    x = torch.ones(2, requires_grad=True)
    (x * 3).backward(torch.tensor([1, 2]))
    assert x.grad.tolist() == [3.0, 6.0]
    assert x.grad.dtype is torch.float32


def test_several_roots(torch: Any) -> None:
    """autograd.backward starts from several tensors at once, also from leaves."""
    x = torch.tensor(2.0, requires_grad=True)
    torch.autograd.backward([x * 3, x * x, x], [None, torch.tensor(10.0), torch.tensor(100.0)])
    assert x.grad.item() == 3 + 40 + 100


def test_backward_of_a_leaf(torch: Any) -> None:
    """A leaf's own gradient is the gradient that was passed."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.backward(torch.tensor([5.0, 6.0]))
    assert x.grad.tolist() == [5.0, 6.0]


def test_inputs_restricts_what_is_accumulated(torch: Any) -> None:
    """Only the tensors named get a gradient; a non-leaf among them too."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    y = a * b
    (y * y).backward(inputs=[a, y])
    assert (a.grad.item(), b.grad, y.grad.item()) == (36.0, None, 12.0)


def test_second_derivative(torch: Any) -> None:
    """With create_graph the pass is itself recorded, to any order."""
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x**4, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    (third,) = torch.autograd.grad(second, x)
    assert (first.item(), second.item(), third.item()) == (108.0, 108.0, 72.0)
    assert first.grad_fn is not None
    assert third.grad_fn is None


def test_nodes_run_newest_first(torch: Any) -> None:
    """The order is by descending sequence number, over all branches."""
    order: list[str] = []
    x = torch.tensor(0.5, requires_grad=True)
    early = x * 2
    first = early.exp()
    second = early.sin()
    third = first.cos()
    for name, t in (("mul", early), ("exp", first), ("sin", second), ("cos", third)):
        t.grad_fn.register_prehook(lambda g, name=name: order.append(name))
    (second + third).backward()
    assert order == ["cos", "sin", "exp", "mul"]


def test_unreached_branch_gets_no_gradient(torch: Any) -> None:
    """An op whose output the root does not use sends nothing."""
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(1.0, requires_grad=True)
    unused = y * 2
    (x * 2).backward()
    assert unused is not None and y.grad is None


def test_output_of_several(torch: Any) -> None:
    """A node of several outputs takes zeros for those that were not used."""
    x = torch.arange(6.0, requires_grad=True)
    parts = x.split(2)
    (parts[0].sum() + 2 * parts[2].sum()).backward()
    assert x.grad.tolist() == [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]


def test_leaf_that_no_longer_wants_a_gradient(torch: Any) -> None:
    """requires_grad switched off between forward and backward: the leaf receives nothing."""
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    y = a * b
    a.requires_grad_(False)
    y.backward()
    assert (a.grad, b.grad.item()) == (None, 1.0)


def test_nested_backward_in_a_hook(torch: Any) -> None:
    """A hook may run a backward pass of its own; the outer one goes on unharmed."""
    inner = torch.tensor(5.0, requires_grad=True)
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x

    def hook(grad: Any) -> Any:
        with torch.enable_grad():
            (inner * inner).backward()
        return grad + inner.grad

    y.register_hook(hook)
    (y * 3).backward()
    assert (inner.grad.item(), x.grad.item()) == (10.0, 52.0)


def test_nested_backward_through_the_same_leaf(torch: Any) -> None:
    """The same AccumulateGrad may be part of the outer and of the inner pass."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x

    def hook(grad: Any) -> None:
        with torch.enable_grad():
            (x * 100).backward()

    y.register_hook(hook)
    y.backward()
    assert x.grad.item() == 104.0


@pytest.mark.parametrize("shape", [(), (2,)])
def test_deep_chain_needs_no_recursion(ours: Any, shape: tuple[int, ...]) -> None:
    """A chain of 200,000 ops runs backward and is released without recursion."""
    x = ours.ones(shape, requires_grad=True)
    y = x
    for _ in range(200_000 if not shape else 20_000):
        y = y * 1.0
    y.sum().backward()
    assert x.grad.sum().item() == x.numel()
    below = weakref.ref(y.grad_fn)
    del y
    assert below() is None


def test_graph_goes_with_its_last_tensor(torch: Any) -> None:
    """A graph is held by its outputs alone: no cycle keeps it until the garbage collector comes."""
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).exp().sigmoid()
    gc.disable()
    try:
        middle = y.grad_fn.next_functions[0][0]
        seen = weakref.ref(middle) if hasattr(type(middle), "__weakref__") else None
        del y, middle
        assert seen is None or seen() is None
    finally:
        gc.enable()


def test_failed_backward_leaves_the_rest_usable(torch: Any) -> None:
    """What a failed pass left waiting in nodes is gone in the next one."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    z = y * y

    def fail(grad: Any) -> None:
        raise ValueError("no")

    handle = y.register_hook(fail)
    with pytest.raises(ValueError, match="no"):
        z.backward(retain_graph=True)
    handle.remove()
    assert x.grad is None
    z.backward()
    assert x.grad.item() == 36.0
