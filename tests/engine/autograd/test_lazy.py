"""Lazy conjugates: views with a flag whose values follow their source, and the other way round."""

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
