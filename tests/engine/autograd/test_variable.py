"""torch.autograd.Variable, which old programs still use."""

from __future__ import annotations

from typing import Any

import pytest


def test_makes_a_leaf(torch: Any) -> None:
    """The tensor's memory as a leaf of the class Tensor, which is an instance of Variable."""
    data = torch.ones(2)
    v = torch.autograd.Variable(data, requires_grad=True)
    assert v.requires_grad and v.is_leaf and not data.requires_grad
    assert type(v) is torch.Tensor and isinstance(v, torch.autograd.Variable)
    assert isinstance(data, torch.autograd.Variable) and not isinstance(3, torch.autograd.Variable)
    with torch.no_grad():
        v.add_(1)
    assert data.tolist() == [2.0, 2.0]
    assert not torch.autograd.Variable(data).requires_grad


def test_volatile_is_gone(torch: Any) -> None:
    """It has no effect, which is said."""
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect"):
        assert not torch.autograd.Variable(torch.ones(1), volatile=True).requires_grad
