"""Sparse gradients: made by embedding, added to each other and to dense ones, printed, and used."""

from __future__ import annotations

from typing import Any

import pytest


def table(torch: Any) -> Any:
    """A table of four rows."""
    return torch.arange(8.0).reshape(4, 2).requires_grad_()


def looked_up(torch: Any, w: Any, *rows: int) -> Any:
    """The sum of the squares of rows, looked up with a sparse gradient."""
    return torch.nn.functional.embedding(torch.tensor(rows), w, sparse=True).pow(2).sum()


def test_embedding_gives_a_sparse_gradient_on_request(ours: Any) -> None:
    w = table(ours)
    looked_up(ours, w, 1, 3, 1).backward()
    assert w.grad.is_sparse and w.grad.layout is ours.sparse_coo and not w.is_sparse
    assert w.grad.to_dense().tolist() == [[0, 0], [8, 12], [0, 0], [12, 14]]
    assert not w.grad.is_coalesced() and w.grad._nnz() == 3
    merged = w.grad.coalesce()
    assert merged.indices().tolist() == [[1, 3]] and merged.values().tolist() == [[8, 12], [12, 14]]


def test_parts_of_an_uncoalesced_tensor_are_refused(ours: Any) -> None:
    w = table(ours)
    looked_up(ours, w, 1, 1).backward()
    with pytest.raises(RuntimeError, match="Cannot get indices on an uncoalesced tensor"):
        w.grad.indices()


def test_sparse_gradients_add_up_with_each_other_and_with_dense_ones(ours: Any) -> None:
    w = table(ours)
    looked_up(ours, w, 0).backward()
    looked_up(ours, w, 2).backward()
    assert w.grad.is_sparse and w.grad._indices().tolist() == [[0, 2]]
    w.sum().backward()
    assert not w.grad.is_sparse
    assert w.grad.tolist() == [[1, 3], [1, 1], [9, 11], [1, 1]]
    looked_up(ours, w, 3).backward()
    assert w.grad[3].tolist() == [13, 15]


def test_sparse_tensor_prints_as_pytorch_prints_it(ours: Any) -> None:
    made = ours.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.5], (2, 3), check_invariants=False)
    assert repr(made) == (
        "tensor(indices=tensor([[0, 1],\n                       [2, 0]]),\n       values=tensor([3.0000, 4.5000]),\n"
        "       size=(2, 3), nnz=2, layout=torch.sparse_coo)"
    )


def test_dense_tensor_becomes_sparse_and_back(ours: Any) -> None:
    x = ours.tensor([[0.0, 2.0], [3.0, 0.0]], requires_grad=True)
    back = x.to_sparse().to_dense()
    assert back.tolist() == x.tolist()
    back.pow(2).sum().backward()
    assert x.grad.tolist() == [[0, 4], [6, 0]]


def test_sgd_takes_a_sparse_gradient(ours: Any) -> None:
    w = table(ours)
    looked_up(ours, w, 1).backward()
    ours.optim.SGD([w], lr=0.5).step()
    assert w.tolist() == [[0, 1], [0, 0], [4, 5], [6, 7]]
