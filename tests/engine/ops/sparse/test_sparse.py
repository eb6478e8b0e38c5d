"""Sparse gradients: made by embedding, added to each other and to dense ones, printed, and used."""

from __future__ import annotations

import copy
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


@pytest.mark.parametrize(
    ("compute", "values"),
    [
        (lambda s, d: s + s, [4, 6]),
        (lambda s, d: s - s, [0, 0]),
        (lambda s, d: s * d, [4, 9]),
        (lambda s, d: s * 2, [4, 6]),
        (lambda s, d: s / 2, [1, 1.5]),
        (lambda s, d: s**2, [4, 9]),
        (lambda s, d: (-s).abs(), [2, 3]),
        (lambda s, d: (-s).relu(), [0, 0]),
        (lambda s, d: s.double().sqrt().square().round(), [2, 3]),
    ],
)
def test_what_leaves_zeros_zeros_stays_sparse(torch: Any, compute: Any, values: list[float]) -> None:
    dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    found = compute(dense.to_sparse(), dense)
    assert found.layout is torch.sparse_coo and found.shape == (2, 2)
    assert found._values().tolist() == values and found._indices().tolist() == [[0, 1], [1, 0]]


def test_gradients_are_emptied_in_place_and_filled_again(torch: Any) -> None:
    w = table(torch)
    looked_up(torch, w, 1, 3).backward()
    kept = w.grad
    torch.optim.SGD([w]).zero_grad(set_to_none=False)
    assert w.grad is kept and kept.is_sparse and kept._nnz() == 0 and kept._indices().shape == (1, 0)
    looked_up(torch, w, 2).backward()
    assert w.grad.is_sparse and w.grad.to_dense()[2].tolist() == [8, 10]


def test_copies_and_questions_of_sparse_tensors(torch: Any) -> None:
    sparse = torch.eye(2).to_sparse()
    copied = copy.deepcopy(sparse)
    copied._values()[0] = 5
    assert copied.is_sparse and sparse._values().tolist() == [1, 1] and len(sparse) == 2
    for compute in (lambda: sparse - torch.eye(2), lambda: torch.eye(2).to_sparse() - 1 * torch.eye(2)):
        with pytest.raises(
            RuntimeError, match=r"add\(sparse, dense\) is not supported. Use add\(dense, sparse\) instead"
        ):
            compute()


def test_products_with_arrays_and_sums_of_all_are_arrays(torch: Any) -> None:
    dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    sparse = dense.to_sparse()
    for found in (sparse @ dense, dense @ sparse, torch.mm(sparse, dense)):
        assert found.layout is torch.strided and found.tolist() == [[6, 0], [0, 6]]
    assert sparse.sum().item() == 5 and (dense + sparse).tolist() == [[0, 4], [6, 0]]
    assert torch.zeros(2, 3, layout=torch.sparse_coo)._nnz() == 0 == torch.zeros_like(sparse)._nnz()
    with pytest.raises(TypeError, match="can't convert Sparse layout tensor to numpy"):
        sparse.numpy()


REFUSED = {
    "exp": lambda torch, s: s.exp(),
    "sigmoid": lambda torch, s: torch.sigmoid(s),
    "comparison": lambda torch, s: s > 0,
    "max": lambda torch, s: s.max(),
    "where": lambda torch, s: torch.where(s, s, s),
    "view": lambda torch, s: s.view(4),
    "narrow": lambda torch, s: s.narrow(0, 0, 1),
    "softmax": lambda torch, s: s.softmax(1),
    "count_nonzero": lambda torch, s: torch.count_nonzero(s),
    "mean": lambda torch, s: s.mean(),
    "copy of a dense one": lambda torch, s: s.copy_(torch.eye(2)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_pytorch_refuses_of_sparse_tensors_is_refused(torch: Any, name: str) -> None:
    with pytest.raises((NotImplementedError, RuntimeError)):
        REFUSED[name](torch, torch.eye(2).to_sparse())


@pytest.mark.parametrize(
    "compute",
    [
        lambda torch, s: s[0],
        lambda torch, s: s.sum(0),
        lambda torch, s: torch.cat([s, s]),
        lambda torch, s: s.unsqueeze(0),
        lambda torch, s: s @ s,
        lambda torch, s: s.index_select(0, torch.tensor([0])),
    ],
)
def test_what_would_be_sparse_again_is_refused_in_words_and_never_dense(ours: Any, compute: Any) -> None:
    with pytest.raises(
        NotImplementedError, match=r"does not compute this with sparse tensors. Call .to_dense\(\) first"
    ):
        compute(ours, ours.eye(2).to_sparse())


PRODUCTS = {
    "times dense": lambda torch, s, d: s * d,
    "times itself": lambda torch, s, d: s * s,
    "power": lambda torch, s, d: s**3,
    "number": lambda torch, s, d: 2 * s / 4,
    "difference": lambda torch, s, d: 3 * s - s,
    "coalesced": lambda torch, s, d: s.coalesce(),
    "transposed": lambda torch, s, d: s.t().transpose(0, 1),
    "sparse.mm": lambda torch, s, d: torch.sparse.mm(s, d.t()),
    "sparse.addmm": lambda torch, s, d: torch.sparse.addmm(d[:, :2], s, d.t(), alpha=2),
    "sparse.sum along": lambda torch, s, d: torch.sparse.sum(s, 0),
    "sparse.sum": lambda torch, s, d: torch.sparse.sum(s),
    "values": lambda torch, s, d: s.coalesce().values(),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_gradients_stay_at_the_coordinates(torch: Any, name: str) -> None:
    indices, dense = torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    values = torch.tensor([3.0, 4.0, 5.0])
    found = {}
    for kind in ("sparse", "dense"):
        s = torch.sparse_coo_tensor(indices, values, (2, 3), check_invariants=False)
        s = s.requires_grad_() if kind == "sparse" else s.to_dense().requires_grad_()
        d = dense.clone().requires_grad_()
        if kind == "sparse":
            out = PRODUCTS[name](torch, s, d)
        else:
            ways = {"coalesced": s * 1, "sparse.mm": s @ d.t(), "sparse.addmm": d[:, :2] + 2 * (s @ d.t())}
            ways |= {"sparse.sum along": s.sum(0), "sparse.sum": s.sum(), "values": s[tuple(indices)]}
            out = ways[name] if name in ways else PRODUCTS[name](torch, s, d)
        out = out.to_dense()
        (out * torch.arange(1.0, out.numel() + 1).reshape(out.shape)).sum().backward()
        found[kind] = out, s.grad, d.grad
    (out, grad, other), (as_dense, whole, besides) = found["sparse"], found["dense"]
    assert torch.equal(out, as_dense)
    assert grad.layout is torch.sparse_coo
    assert torch.allclose(grad.to_dense()[tuple(indices)], whole[tuple(indices)])
    if name.startswith("sparse."):
        assert (other is None) == (besides is None)
        assert other is None or torch.allclose(other, besides)


def test_products_of_matrices_have_dense_gradients_elsewhere(torch: Any) -> None:
    s = torch.eye(2).to_sparse().requires_grad_()
    (s @ torch.ones(2, 2)).sum().backward()
    assert s.grad.layout is torch.strided and s.grad.tolist() == [[2, 2], [2, 2]]


def test_what_is_new_or_copied_is_sparse(torch: Any) -> None:
    s = torch.eye(2).to_sparse()
    assert s.new_zeros((3, 3)).layout is torch.sparse_coo and s.new_zeros((3, 3))._nnz() == 0
    assert s.clone().copy_(s * 2).to_dense().tolist() == [[2, 0], [0, 2]]
    assert type(torch.eye(2).requires_grad_().to_sparse().grad_fn).__name__ == "ToSparseBackward1"


def test_softmax_over_coordinates(torch: Any) -> None:
    """What has no coordinate plays no part; the gradient is at the coordinates alone."""
    d = torch.tensor([[1.0, 0, 2], [0, 0, 0], [3, 4, 0]], requires_grad=True)
    y = torch.sparse.softmax(d.to_sparse(), 1)
    assert type(y.grad_fn).__name__ == "SparseSoftmaxBackward0"
    (y.to_dense() * torch.arange(9.0).view(3, 3)).sum().backward()
    expected = torch.tensor([[-0.39322, 0, 0.39322], [0, 0, 0], [-0.19661, 0.19661, 0]])
    assert torch.allclose(d.grad, expected, atol=1e-5)
    logs = torch.sparse.log_softmax(d.detach().to_sparse(), 0).to_dense()
    assert torch.allclose(logs, torch.tensor([[-2.12693, 0, 0], [0, 0, 0], [-0.12693, 0, 0]]), atol=1e-5)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.sparse.softmax(d.detach().to_sparse(), 2)


def test_layouts_that_to_sparse_takes(torch: Any) -> None:
    """Coordinates, by name too; what does not fit is refused as PyTorch refuses it."""
    x = torch.rand(2, 2)
    assert x.to_sparse(layout=torch.sparse_coo).layout is torch.sparse_coo
    for call, text in (
        (lambda: x.to_sparse(3), r"sparse_dim argument must be in \[0,2\] range, but 3 is given"),
        (lambda: x.to_sparse(0), "sparse_dim argument must be in >0 when"),
        (
            lambda: x.to_sparse(layout=torch.sparse_coo, blocksize=(1, 1)),
            "with blocksize argument given is not supported",
        ),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()
