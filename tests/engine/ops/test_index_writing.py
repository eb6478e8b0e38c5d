"""What is written at indices: wrong shapes, dtypes and counts are refused as PyTorch refuses them, in place and not."""

from __future__ import annotations

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
        (lambda x: torch.addmv(x, x, x), RuntimeError, "vector + matrix @ vector expected, got 2, 2, 2"),
        (lambda x: torch.addmv(x[0], x, x[0, :2]), RuntimeError, "size mismatch, got input (3), mat (3x3), vec (2)"),
        (lambda x: x.clone().cumsum_(0, dtype=torch.float64), RuntimeError, "input tensor dtype float and output"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error) as caught:
        call(X)
    assert text in str(caught.value)


def test_singular_vectors_that_nobody_asked_for_are_zeros():
    u, s, v = torch.svd(X[:2], True, False)
    assert u.tolist() == [[0, 0], [0, 0]]
    assert v.shape == (3, 3)
    assert torch.allclose(s, torch.linalg.svdvals(X[:2]))


def test_results_go_into_out_wherever_a_signature_has_it():
    out = torch.empty(0)
    assert torch.special.logsumexp(X, 0, out=out) is out
    assert torch.hardshrink(X, 0.5, out=torch.empty(3, 3)).shape == (3, 3)
    assert torch.fft.fftfreq(3, out=torch.empty(0)).shape == (3,)
