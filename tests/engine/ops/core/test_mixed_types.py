"""Tensors of several types joined in one: no node between, and each gradient in the type and shape of its tensor."""

from __future__ import annotations

from typing import Any

import pytest

TYPES = [("float32", "float64"), ("float64", "complex64"), ("float16", "float32"), ("int64", "float32")]


def _parts(torch: Any, names: tuple[str, str]) -> list[Any]:
    kinds = [getattr(torch, n) for n in names]
    return [torch.ones(2, 2, dtype=k, requires_grad=k is not torch.int64) for k in kinds]


@pytest.mark.parametrize("types", TYPES, ids="-".join)
@pytest.mark.parametrize("name", ["cat", "stack", "hstack", "block_diag"])
def test_each_gradient_has_the_type_of_its_tensor(torch: Any, name: str, types: tuple[str, str]) -> None:
    parts = _parts(torch, types)
    out = getattr(torch, name)(*parts) if name == "block_diag" else getattr(torch, name)(parts)
    assert out.dtype is torch.promote_types(*[p.dtype for p in parts])
    below = [None if f is None else f.name() for f, _ in out.grad_fn.next_functions]
    leaf = "torch::autograd::AccumulateGrad"
    assert below == [leaf if p.requires_grad else None for p in parts]
    out.abs().sum().backward()
    for p in parts:
        assert p.grad is None if not p.requires_grad else (p.grad.dtype is p.dtype and p.grad.sum() == 4)


def test_second_derivatives_go_through_types(torch: Any) -> None:
    p = torch.tensor([1.0, 2.0], requires_grad=True)
    c = torch.tensor([1j, 2j], requires_grad=True)
    joined = torch.cat([p, c])
    g = torch.autograd.grad((joined * joined.conj()).real.pow(2).sum(), (p, c), create_graph=True)
    assert [x.dtype for x in g] == [torch.float32, torch.complex64]
    assert g[0].tolist() == [4.0, 32.0]
    g[0].sum().backward()
    assert p.grad.tolist() == [12.0, 48.0]


def test_joined_inside_vmap(torch: Any) -> None:
    out = torch.func.vmap(lambda a, b: torch.cat([a, b]))(torch.ones(2, 1), torch.ones(2, 2).double())
    assert (out.shape, out.dtype) == ((2, 3), torch.float64)


def test_nodes_show_only_the_dim(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    for out in (torch.cat([x, x]), torch.stack([x, x])):
        assert [n for n in dir(out.grad_fn) if "saved" in n] == ["_saved_dim"]


def test_masked_scatter_sums_over_what_was_broadcast(torch: Any) -> None:
    mask = torch.tensor([[True, False], [False, False]])
    for shape in ((), (2,), (1, 2)):
        x = torch.ones(shape, requires_grad=True)
        x.masked_scatter(mask, torch.zeros(4)).sum().backward()
        assert x.grad.shape == x.shape
        assert x.grad.sum() == 3


def test_extremes_of_a_scalar(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    low, high = torch.aminmax(x, dim=0)
    (low + 2 * high).backward()
    assert (x.grad.shape, x.grad.item()) == ((), 3.0)


def test_mantissas_send_gradients_in_their_type(torch: Any) -> None:
    x = torch.tensor([3.0, 0.3], requires_grad=True)
    torch.frexp(x).mantissa.sum().backward()
    assert (x.grad.dtype, x.grad.tolist()) == (torch.float32, [0.25, 2.0])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda t: t.meshgrid(t.ones(2), t.arange(2), indexing="ij"), "meshgrid expects all tensors to have the same"),
        (lambda t: t.meshgrid(t.ones(2), t.ones(2), indexing="yx"), 'indexing must be one of "xy" or "ij", but'),
        (lambda t: t.meshgrid(t.ones(2, 2), indexing="ij"), "Expected 0D or 1D tensor in the tensor list"),
        (lambda t: t.meshgrid([], indexing="ij"), "meshgrid expects a non-empty TensorList"),
        (lambda t: t.zeros(2).masked_scatter_(t.ones(5).bool(), t.ones(5)), "The expanded size of the tensor"),
    ],
)
def test_what_cannot_be_joined_is_refused(torch: Any, call: Any, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        call(torch)
