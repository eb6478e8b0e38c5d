"""Lazy conjugates: views with a flag; a change of the source changes their values, and the other way round."""

from __future__ import annotations

from typing import Any

import pytest


def test_flags(torch: Any) -> None:
    """conj() sets the flag, a second one takes it back; views keep it, copies don't."""
    z = torch.tensor([1 + 2j, 3 - 1j])
    c = z.conj()
    assert (c.is_conj(), c._is_view(), c.view(2, 1).is_conj(), c.conj().is_conj()) == (True, True, True, False)
    assert (c.clone().is_conj(), c.resolve_conj().is_conj(), (c * 2).is_conj()) == (False, False, False)
    assert (c.imag.is_neg(), c.imag.tolist(), c.imag.resolve_neg().is_neg()) == (True, [-2.0, 1.0], False)


def test_values_follow_the_source(torch: Any) -> None:
    """A change on either side is seen on the other."""
    z = torch.tensor([1 + 2j])
    c = z.conj()
    z.mul_(1j)
    assert c.item() == -2 - 1j
    c.mul_(2)
    assert z.item() == -4 + 2j
    assert repr(c) == "tensor([-4.-2.j])"


def test_gradient(torch: Any) -> None:
    """It is conjugated on its way back."""
    z = torch.tensor([1 + 2j], requires_grad=True)
    c = z.conj()
    assert type(c.grad_fn).__name__ == "ConjBackward0"
    (c * (2 + 1j)).real.sum().backward()
    assert z.grad.item() == 2 + 1j


def test_what_needs_the_values_in_memory(torch: Any) -> None:
    """numpy() and view_as_real() ask for resolve_conj() first."""
    c = torch.tensor([1 + 2j]).conj()
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that has conjugate bit set"):
        c.numpy()
    with pytest.raises(RuntimeError, match="view_as_real doesn't work on unresolved conjugated tensors"):
        torch.view_as_real(c)
    assert torch.view_as_real(c.resolve_conj()).tolist() == [[1.0, -2.0]]


READERS: dict[str, Any] = {
    "an op": lambda torch, b: b + 1,
    "with itself": lambda torch, b: b * b,
    "another dtype": lambda torch, b: b * torch.ones(1),
    "a result of real numbers": lambda torch, b: b.abs(),
    "a comparison": lambda torch, b: b == b,
    "a sum": lambda torch, b: b.sum(),
    "a product of matrices": lambda torch, b: b[None] @ b[:, None],
    "a copy": lambda torch, b: torch.zeros(2, dtype=torch.cfloat).copy_(b),
    "an operand in place": lambda torch, b: torch.ones(2, dtype=torch.cfloat).mul_(b),
    "out=": lambda torch, b: torch.add(b, 1, out=torch.empty(2, dtype=torch.cfloat)),
    "equal": lambda torch, b: torch.equal(b, b.clone()),
    "detached": lambda torch, b: b.detach() + 0,
    "data": lambda torch, b: b.data + 0,
    "a parameter": lambda torch, b: torch.nn.Parameter(b).sum(),
    "a view": lambda torch, b: b[1:] * 1,
    "the negative": lambda torch, b: torch.ones(2).mul_(b.imag),
}
CHANGES: dict[str, Any] = {
    "in place": lambda torch, a: a.mul_(2j),
    "an element": lambda torch, a: a.__setitem__(0, 7j),
    "by way of data": lambda torch, a: a.data.mul_(2j),
    "by way of numpy": lambda torch, a: a.numpy().__imul__(2j),
    "by another view": lambda torch, a: a.conj().mul_(2j),
    "by a part": lambda torch, a: a.imag.mul_(3),
    "zero_": lambda torch, a: a.zero_(),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("read", READERS)
def test_readers_see_a_change(torch: Any, read: str, change: str) -> None:
    """Whoever reads a view after its base was changed finds what a view made then would give."""
    a = torch.tensor([1 + 2j, 3 - 1j])
    b = a.conj()
    b + 0
    CHANGES[change](torch, a)
    found = READERS[read](torch, b)
    fresh = READERS[read](torch, a.clone().conj())
    assert (found.tolist() if hasattr(found, "tolist") else found) == (
        fresh.tolist() if hasattr(fresh, "tolist") else fresh
    )
    assert b.tolist() == [x.conjugate() for x in a.tolist()]


def test_aliases_write_to_the_base(torch: Any) -> None:
    """A detached view is one of the same memory still; its flag stays."""
    a = torch.tensor([1 + 2j, 3])
    b = a.conj().detach()
    assert (b.is_conj(), b._is_view(), torch.nn.Parameter(b).is_conj()) == (True, False, True)
    b[1:].add_(1j)
    assert a.tolist() == [1 + 2j, 3 - 1j]
    w = torch.ones(1, dtype=torch.cfloat, requires_grad=True)
    b.mul_(2 * w)
    b.abs().sum().backward()
    assert a.tolist() == [2 + 4j, 6 - 2j]
    assert abs(w.grad.item() - 2 * (5**0.5 + 10**0.5)) < 1e-5


def test_in_place_on_a_base_under_a_graph(torch: Any) -> None:
    """The values and the gradient of what is computed after the change are those of the changed base."""
    w = torch.tensor([1 + 2j], requires_grad=True)
    a = w * 1
    b = a.conj()
    a.mul_(2)
    y = b + b
    y.abs().sum().backward()
    assert y.tolist() == [4 - 8j]
    assert abs(w.grad.item() - (4 / 5**0.5) * (1 + 2j)) < 1e-5


def test_bytes_of_a_view(torch: Any) -> None:
    """view() with a dtype is refused, whichever dtype that is."""
    c = torch.tensor([1 + 2j]).conj()
    for kind in (torch.float32, torch.complex64, torch.int64):
        with pytest.raises(RuntimeError, match="view is not supported for conjugate view tensors when converting"):
            c.view(kind)
    with pytest.raises(RuntimeError, match="view is not supported for tensors with negative bit set when converting"):
        c.imag.view(torch.int32)
    with pytest.raises(RuntimeError, match=r"tensor\.adjoint\(\) is only supported on matrices or batches of matrices"):
        torch.rand(2).adjoint()


def test_a_single_number(torch: Any) -> None:
    """0-d views follow too."""
    a = torch.tensor(1 + 2j)
    b = a.conj()
    a.mul_(2)
    assert (b.item(), (b + 1).item(), b.imag.item()) == (2 - 4j, 3 - 4j, -4.0)


def test_writing_a_part(torch: Any) -> None:
    """`x.real = ...` and `x.imag = ...` write to the memory and are recorded."""
    x = torch.zeros(2, dtype=torch.cfloat)
    x.real, x.imag = torch.ones(2), 3
    assert x.tolist() == [1 + 3j, 1 + 3j]
    x.conj().imag = 5
    x.real += 1
    assert (x.tolist(), x._version) == ([2 - 5j, 2 - 5j], 5)
    w = torch.ones(2, requires_grad=True)
    y = torch.zeros(2, dtype=torch.cfloat)
    y.imag = w * 2
    y.abs().sum().backward()
    assert w.grad.tolist() == [2.0, 2.0]
    z = torch.zeros(2)
    z.real = 5
    assert z.tolist() == [5.0, 5.0]
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        z.imag = 5
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        x.real = 1j
    with pytest.raises(TypeError, match=r"can't assign a list to a torch\.FloatTensor"):
        x.real = [1, 2]
    leaf = torch.ones(2, dtype=torch.cfloat, requires_grad=True)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used"):
        leaf.real = 1


@pytest.mark.parametrize(
    ("part", "strides", "offset"),
    [
        (lambda x: x[:, 1:].conj(), (2, 1), 1),
        (lambda x: x[:, 1].conj(), (2,), 1),
        (lambda x: x[::2].conj(), (4, 1), 0),
        (lambda x: x[1:].mH, (1, 2), 2),
        (lambda x: x[1:].conj().imag, (4, 2), 5),
        (lambda x: x[:, :1].expand(3, 2).conj(), (2, 0), 0),
        (lambda x: x.unfold(0, 2, 1).conj(), (2, 1, 2), 0),
    ],
)
def test_lazy_view_lies_where_its_memory_does(torch: Any, part: Any, strides: Any, offset: int) -> None:
    x = torch.tensor([[1 + 1j, 2 - 1j], [0.5j, 3.0], [1.0, 2j]])
    view = part(x)
    assert (view.stride(), view.storage_offset()) == (strides, offset)
    before = view.tolist()
    x.mul_(2)
    assert view.tolist() == [_twice(row) for row in before]


def _twice(value: Any) -> Any:
    return [_twice(v) for v in value] if isinstance(value, list) else 2 * value
