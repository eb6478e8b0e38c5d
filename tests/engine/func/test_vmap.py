"""vmap: every op on a batch is what it is on its examples; dims, randomness, what cannot be mapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

FUNCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "broadcasting": lambda t, x, y: x * y[0] + x[:, None] - 2,
    "promotion": lambda t, x, y: x * x.sum().double(),
    "reductions": lambda t, x, y: x.sum(-1) + x.mean() + x.max() + x.var() + x.prod(),
    "dims": lambda t, x, y: x.softmax(0).cumsum(-1).flip(0).t().reshape(-1),
    "views": lambda t, x, y: x.unsqueeze(1).expand(2, 3, 3).permute(2, 0, 1).diagonal(0, 1, 2).contiguous(),
    "joining": lambda t, x, y: t.cat([x, y], 1) + t.stack([x[0], y[1], x[1]]).sum(),
    "matmul": lambda t, x, y: x @ y.t() + t.mv(x, y[0]).sum() + t.dot(x[0], y[0]),
    "indexing": lambda t, x, y: x[:, t.tensor([2, 0])] + x[..., 1:] + x[0, -1],
    "picking": lambda t, x, y: x.gather(1, x.argsort(1)) + x.sort(-1).values + x.topk(3, 1).values,
    "masks": lambda t, x, y: t.where(x > 0, x, y).masked_fill(y > 0, 3.0) + x.clamp(-0.5, 0.5),
    "in_place": lambda t, x, y: x.clone().mul_(y).add_(1),
    "norms": lambda t, x, y: x.norm() + x.norm(dim=1) + t.logsumexp(x, 1),
    "comparisons": lambda t, x, y: (x > y).any() | (x > 0).all(1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("both", [True, False])
def test_agrees_with_a_loop(torch: Any, name: str, both: bool) -> None:
    """Mapped over both arguments, or only over the first, along another dim."""
    torch.manual_seed(0)
    x, y = torch.randn(4, 2, 3), torch.randn(4, 2, 3)

    def function(x: Any, y: Any) -> Any:
        return FUNCTIONS[name](torch, x, y)

    if both:
        expected = torch.stack([function(a, b) for a, b in zip(x, y, strict=True)])
        found = torch.vmap(function)(x, y)
    else:
        expected = torch.stack([function(a, y[0]) for a in x])
        found = torch.vmap(function, in_dims=(1, None))(x.movedim(0, 1), y[0])
    assert found.dtype == expected.dtype
    assert torch.allclose(found, expected)


def test_nested(torch: Any) -> None:
    """Each level maps over its own dim."""
    x, y = torch.arange(6.0).reshape(2, 3), torch.arange(4.0)
    found = torch.vmap(torch.vmap(lambda a, b: a * b, in_dims=(0, None)), in_dims=(None, 0))(x[0], y)
    assert torch.equal(found, y[:, None] * x[0])


def test_per_sample_gradients(torch: Any) -> None:
    """vmap of grad gives a gradient for each example."""
    w, batch = torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = torch.func.vmap(torch.func.grad(lambda w, x: (w @ x) ** 2), in_dims=(None, 0))(w, batch)
    assert found.tolist() == [[2.0, 0.0], [0.0, 4.0], [6.0, 6.0]]


def test_gradients_through_vmap(torch: Any) -> None:
    """backward() through a vmap sums over the batch what belongs to all examples."""
    w = torch.tensor(2.0, requires_grad=True)
    x = torch.ones(3, requires_grad=True)
    torch.vmap(lambda x: x * w)(x).sum().backward()
    assert w.grad.item() == 3.0 and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_dims_and_structures(torch: Any) -> None:
    """out_dims puts the batch anywhere; containers go in and out; None passes on."""
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.vmap(lambda x: x, in_dims=1, out_dims=1)(x).tolist() == x.tolist()
    found = torch.vmap(lambda d, k: {"s": d["a"] * k, "n": d["a"].sum()}, in_dims=({"a": 0}, None))({"a": x}, 2.0)
    assert found["s"].tolist() == (x * 2).tolist() and found["n"].tolist() == [3.0, 12.0]
    assert torch.vmap(lambda x: (x, torch.ones(1)), out_dims=(0, None))(x)[1].tolist() == [1.0]
    chunks = torch.vmap(lambda x: x * 2, chunk_size=2)(torch.arange(5.0))
    assert chunks.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_randomness(torch: Any) -> None:
    """Refused unless all examples are to get the same numbers, or different ones."""
    x = torch.zeros(3)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        torch.vmap(lambda x: x + torch.rand(()))(x)
    assert len(set(torch.vmap(lambda x: x + torch.rand(()), randomness="same")(x).tolist())) == 1
    assert len(set(torch.vmap(lambda x: x + torch.rand(()), randomness="different")(x).tolist())) == 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda t, x: t.vmap(lambda x: x.item())(x), RuntimeError, "calling .item\\(\\) on a Tensor"),
        (lambda t, x: t.vmap(lambda x: x if x > 0 else -x)(x), RuntimeError, "data-dependent control flow"),
        (lambda t, x: t.vmap(lambda x: 3)(x), ValueError, "must only return Tensors"),
        (lambda t, x: t.vmap(lambda x: x, in_dims=1)(x), ValueError, "dimensionality 1 so expected in_dim"),
        (lambda t, x: t.vmap(lambda x: x, in_dims=(0, 0))(x), ValueError, "is not compatible with the structure"),
        (lambda t, x: t.vmap(lambda x: x, in_dims=None)(x), ValueError, "expected `in_dims` to be int"),
        (lambda t, x: t.vmap(lambda x, y: x)(x, x[:1]), ValueError, "to have the same size in the mapped dimension"),
        (lambda t, x: t.vmap(lambda x: x, out_dims=None)(x), ValueError, "can not return a BatchedTensor"),
        (lambda t, x: t.vmap(lambda x: x, randomness="any"), RuntimeError, "Only allowed values"),
        (
            lambda t, x: t.vmap(lambda x: t.zeros(3).mul_(x))(x.expand(3, 2).t()),
            RuntimeError,
            "is not possible because",
        ),
    ],
)
def test_refusals(torch: Any, call: Callable[[Any, Any], Any], error: type[Exception], text: str) -> None:
    """PyTorch's errors."""
    with pytest.raises(error, match=text):
        call(torch, torch.ones(2))


def test_triangle_of_mapped_vectors_is_that_of_the_whole_batch(torch: Any) -> None:
    """PyTorch looks at what it maps over: a batch of vectors is a matrix, one of numbers is none."""
    x = torch.arange(1.0, 10.0).reshape(3, 3)
    assert torch.vmap(lambda v: v.tril())(x).tolist() == x.tril().tolist()
    assert torch.vmap(lambda v: v.triu(1), in_dims=1)(x).tolist() == x.T.triu(1).tolist()
    assert torch.func.jacrev(torch.vmap(lambda v: v.tril()))(x).sum((2, 3)).tolist() == torch.ones(3, 3).tril().tolist()
    with pytest.raises(RuntimeError, match="tril: The input tensor must have at least 2 dimensions"):
        torch.vmap(lambda v: v.tril())(torch.ones(3))
    for call in (x[0].tril, lambda: torch.tril(x[0].requires_grad_())):
        with pytest.raises(RuntimeError, match="tril: input tensor must have at least 2 dimensions"):
            call()
