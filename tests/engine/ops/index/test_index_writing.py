"""What is written at indices: wrong shapes, dtypes and counts are refused as PyTorch refuses them, in place and not."""

from __future__ import annotations

from typing import Any

import pytest

from backscope import torch

X = torch.arange(9.0).reshape(3, 3)
SQUARE = torch.tensor([[0, 1], [1, 0]])
AT = torch.tensor([0, 1, 2])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.index_copy(0, SQUARE, x), IndexError, "Index should have dimension 1 or 0 (got 2)"),
        (lambda x: x.clone().index_copy_(0, AT, x.double()), RuntimeError, "(self) Float and (source) Double"),
        (lambda x: x.index_copy(0, AT, x[:2]), IndexError, "should be equal to source.size(dim) (2)"),
        (lambda x: x.index_copy(0, AT, x[:, :2]), RuntimeError, "must have same slice shapes"),
        (lambda x: x.index_add(0, SQUARE, x), IndexError, "Index is supposed to be a vector"),
        (lambda x: x.index_add(0, AT, x.double()), RuntimeError, "must have the same scalar type"),
        (lambda x: x.index_fill(0, SQUARE, 1.0), RuntimeError, "Index has to be a vector/scalar"),
        (lambda x: x.clone().index_fill_(0, AT, x), RuntimeError, "only supports a 0-dimensional value tensor"),
        (lambda x: x.index_fill(0, AT > 0, 1.0), IndexError, "Expected dtype int64 for index"),
        (lambda x: x.put(AT, AT), RuntimeError, "self.dtype = Float and source.dtype = Long"),
        (lambda x: x.take(AT > 0), RuntimeError, "Expected a long tensor for index, but got Bool"),
        (lambda x: x.scatter_reduce(0, SQUARE, SQUARE, "sum"), RuntimeError, "Expected self.dtype to be equal"),
        (lambda x: x.select_scatter(x, 0, 1), RuntimeError, "src size = [3, 3], slice size = [3]"),
        (lambda x: x[:1, :1].gather(1, SQUARE), RuntimeError, "Size does not match at dimension 0 expected"),
        (lambda x: x.put(AT[:1], x), IndexError, "source.numel() = 9, index.numel() = 1"),
        (lambda x: x.index_fill(0, AT, 1j), RuntimeError, "Converting complex Scalar to non-complex type"),
        (lambda x: x.index_reduce(0, AT[:1], x, "mean"), RuntimeError, "Number of indices (1) should be equal to"),
        (lambda x: x.index_reduce(-1, AT[:1], x, "mean"), RuntimeError, "source.size(dim): (3), for dim: 1"),
        (lambda x: x.index_reduce(1, AT, x[0], "mean"), RuntimeError, "index_reduce_(): Indexing dim 1 is out of"),
        (lambda x: x.index_add(-1, AT, x[0, 0]), RuntimeError, "Indexing dim 1 is out of bounds of the source"),
        (lambda x: x.index_put((AT[:2],), AT[:2]), RuntimeError, "shape mismatch: value tensor of shape [2] cannot be"),
        (lambda x: x[:2, :2].scatter_reduce(0, AT.expand(3, 3), x, "sum"), RuntimeError, "Expected index [3, 3] to be"),
        (lambda x: x[0, 0].select_scatter(x, 0, 0), IndexError, "select() cannot be applied to a 0-dim tensor."),
        (lambda x: x[0, 0].slice_scatter(x, 0, 0), IndexError, "slice() cannot be applied to a 0-dim tensor."),
        (lambda x: x[:0].index_select(0, AT), RuntimeError, "self indexing axis dim should be positive"),
        (lambda x: x[0].expand(-1, 3), RuntimeError, "isn't allowed in a leading, non-existing dimension 0"),
        (lambda x: torch.cdist(x[0], x), RuntimeError, "cdist only supports at least 2D tensors, X1 got: 1D"),
        (lambda x: torch.linalg.multi_dot([x[0, 0], x]), RuntimeError, "the first tensor must be 1D or 2D but got 0D"),
        (lambda x: torch.linalg.lstsq(x, x[:2]), RuntimeError, "input.size(-2) should match other.size(-2)"),
        (lambda x: torch.cholesky_solve(x[:2], x), RuntimeError, "each A matrix is 3 by 3 but each b matrix is 2 by 3"),
        (lambda x: torch.addmv(x, x, x), RuntimeError, "vector + matrix @ vector expected, got 2, 2, 2"),
        (lambda x: torch.addmv(x[0], x, x[0, :2]), RuntimeError, "size mismatch, got input (3), mat (3x3), vec (2)"),
        (lambda x: x.clone().cumsum_(0, dtype=torch.float64), RuntimeError, "input tensor dtype float and output"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error) as caught:
        call(X)
    assert text in str(caught.value)


def test_singular_vectors_that_are_not_computed_are_zeros():
    u, s, v = torch.svd(X[:2], True, False)
    assert u.tolist() == [[0, 0], [0, 0]]
    assert v.shape == (3, 3)
    assert torch.allclose(s, torch.linalg.svdvals(X[:2]))


def test_results_go_into_out_wherever_a_signature_has_it():
    out = torch.empty(0)
    assert torch.special.logsumexp(X, 0, out=out) is out
    assert torch.hardshrink(X, 0.5, out=torch.empty(3, 3)).shape == (3, 3)
    assert torch.fft.fftfreq(3, out=torch.empty(0)).shape == (3,)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.__setitem__(x > 0, torch.ones(7)),
        lambda x: x.__setitem__(torch.tensor([9]), 1.0),
        lambda x: x.scatter_(9, AT, 1.0),
        lambda x: x.index_add_(0, AT, x.double()),
        lambda x: x.put_(AT, AT),
        lambda x: x.index_fill_(0, AT, x),
    ],
)
def test_a_leaf_that_requires_grad_is_refused_before_anything_else(change):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        change(torch.ones(3, requires_grad=True))


def test_numbers_wrap_around_and_are_refused_as_everywhere():
    x = torch.zeros(2, dtype=torch.uint8)
    assert x.scatter(0, torch.tensor([0]), -1).tolist() == [255, 0]
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        x.scatter(0, torch.tensor([0]), 300)


def test_an_index_without_dims_is_one_of_one_element():
    x = torch.zeros(3, requires_grad=True)
    src = torch.tensor([2.0, 3.0], requires_grad=True)
    assert x.scatter(0, torch.tensor(1), 5.0).tolist() == [0, 5, 0]
    assert x.scatter_add(0, torch.tensor(1), src).tolist() == [0, 2, 0]
    one = torch.tensor(2.0, requires_grad=True)
    x.scatter_add(0, torch.tensor([1]), one).sum().backward()
    assert one.grad.shape == () and one.grad.item() == 1


def test_places_of_elements_lie_column_by_column():
    assert torch.ones(2, 3).nonzero().stride() == (1, 6)


def test_rows_of_nothing():
    assert list(torch.zeros(0, 3, requires_grad=True)) == []


@pytest.mark.parametrize("key", [slice(None), slice(0, 2), slice(0, 9)])
def test_slice_of_everything_is_the_tensor_itself(torch: Any, key: slice) -> None:
    """No view is made for it: what was written is the tensor's own history, and a leaf is called one."""
    x = torch.ones(2, 3, requires_grad=True) * 2
    x[key] = 1.0
    assert x.grad_fn.name() == "FillBackward3"
    x[key] = torch.zeros(3)
    assert x.grad_fn.name() == "torch::autograd::CopyBackwards"
    with pytest.raises(RuntimeError, match=r"^a leaf Variable that requires grad is being used in an in-place"):
        torch.ones(2, requires_grad=True)[key] = 1.0
    with pytest.raises(RuntimeError, match=r"^a view of a leaf Variable that requires grad"):
        torch.ones(2, requires_grad=True)[:1] = 1.0
    assert torch.ones(2, requires_grad=True)[:].grad_fn.name() == "SliceBackward0"
