"""Sparse gradients: the memory that `.grad` shares or copies, and sparse tensors without sparse dims."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks")


def passing(torch: Any, kept: list[Any], same: Any = None) -> Any:
    """A sum whose formula gives one sparse gradient, `same` or the one that came, to both inputs."""

    class Sum(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            g = g if same is None else same()
            kept.append(g._values().data_ptr())
            return g, g

    return Sum.apply


def grads_of(torch: Any, combine: Any) -> tuple[int, int]:
    a, b = torch.zeros(4, 2, requires_grad=True), torch.zeros(4, 2, requires_grad=True)
    at = torch.tensor([1, 2, 1])
    (torch.nn.functional.embedding(at, combine(a, b), sparse=True) * 2).sum().backward()
    assert a.grad.to_dense().tolist() == b.grad.to_dense().tolist()
    return a.grad._values().data_ptr(), b.grad._values().data_ptr()


def test_one_of_two_leaves_gets_the_gradient_itself(torch: Any) -> None:
    """The other gets a copy, so that a change of one does not reach the other."""
    kept: list[Any] = []
    first, second = grads_of(torch, passing(torch, kept))
    assert first != second
    assert kept[0] in (first, second)


def test_expanded_values_are_copied(torch: Any) -> None:
    """Values and indices that are not contiguous are copied before they become a `.grad`."""

    def expanded() -> Any:
        at = torch.ones(1, 1, dtype=torch.long).expand(1, 3)
        return torch.sparse_coo_tensor(at, torch.ones(1, 2).expand(3, 2), (4, 2))

    kept: list[Any] = []
    made = grads_of(torch, passing(torch, kept, expanded))
    assert kept
    assert not set(kept) & set(made)


@pytest.mark.parametrize("count", [0, 3])
def test_without_sparse_dims_values_are_summed(torch: Any, count: int) -> None:
    """All values lie at the one place there is, and each gets the gradient of it."""
    values = torch.ones(count, 1, 2, requires_grad=True)
    made = torch.sparse_coo_tensor(torch.zeros(0, count, dtype=torch.long), values, (1, 2))
    once = (made + made.detach()).coalesce()
    assert tuple(once.values().shape) == (min(count, 1), 1, 2)
    assert made.to_dense().tolist() == [[float(count)] * 2]
    once.values().sum().backward()
    assert values.grad.tolist() == [[[1.0, 1.0]]] * count


def test_second_derivative_of_a_product_with_two_zeros(torch: Any) -> None:
    """PyTorch refuses it, by a node in the graph of the first."""
    start, source = torch.tensor([2.0], requires_grad=True), torch.tensor([0.0, 0.0], requires_grad=True)
    out = torch.scatter_reduce(start, 0, torch.tensor([0, 0]), source, "prod")
    _, second = torch.autograd.grad(out, (start, source), create_graph=True)
    with pytest.raises(RuntimeError, match="Double backward is unsupported for src when >1 zeros"):
        second.sum().backward()


def test_a_convolutions_gradients_by_themselves(torch: Any) -> None:
    """The internal op takes its arguments by position and gives those that its mask names."""
    image, kernel, above = torch.ones(1, 1, 3, 3), torch.ones(2, 1, 2, 2), torch.ones(1, 2, 2, 2)
    window = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    found = torch.ops.aten.convolution_backward(above, image, kernel, [2], *window, [False, True, True])
    assert found[0] is None
    assert (tuple(found[1].shape), found[2].tolist()) == ((2, 1, 2, 2), [4.0, 4.0])


@pytest.mark.parametrize("fast_mode", [True, False])
def test_batches_of_sparse_gradients_fail_the_check(torch: Any, fast_mode: bool) -> None:
    """What a batch of gradients is not computed for is a failure of gradcheck, which may return False for it."""
    x = torch.rand(4, dtype=torch.float64, requires_grad=True).to_sparse()
    options = {"masked": True, "check_batched_grad": True, "fast_mode": fast_mode}
    with pytest.raises(RuntimeError, match="gradcheck or gradgradcheck failed while testing batched gradient"):
        torch.autograd.gradcheck(lambda x: x.to_dense(), (x,), **options)
    assert torch.autograd.gradcheck(lambda x: x.to_dense(), (x,), raise_exception=False, **options) is False
