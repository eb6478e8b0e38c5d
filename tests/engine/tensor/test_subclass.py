"""Users' subclasses of Tensor: made like tensors, they spread to what is computed from them."""

from __future__ import annotations

from typing import Any

import pytest


def test_spreads(torch: Any) -> None:
    """Ops, views and either side of an operator keep the class; gradients flow."""

    class Labelled(torch.Tensor):  # type: ignore[misc, name-defined]
        def doubled(self) -> Any:
            return self * 2

    t = Labelled([1.0, 2.0])
    for made in (t + 1, 2 * t, torch.ones(2) + t, t.view(2, 1), t.sum(), t.doubled()):
        assert type(made) is Labelled
    assert repr(t) == "Labelled([1., 2.])"
    x = torch.ones(2, requires_grad=True)
    x.as_subclass(Labelled).doubled().sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert type(torch.ones(2) + 1) is torch.Tensor


def test_a_wrapper_keeps_what_it_calls_like_a_slot_of_the_engine(torch: Any) -> None:
    """`_data`, `_view` and the like are the program's own in its subclasses, and the tensor stays whole."""

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, data, name):
            return torch.Tensor._make_subclass(cls, data)

        def __init__(self, data, name):
            self._data = data
            self._view = name

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, wrapped):
            ctx.wrapped = wrapped
            return x * wrapped._data

        @staticmethod
        def backward(ctx, g):
            return g * ctx.wrapped._data, None

    x = torch.ones(3, requires_grad=True)
    wrapped = Wrapper(torch.full((3,), 2.0), "twos")
    Scale.apply(x, wrapped).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    assert (wrapped._view, wrapped._data.tolist(), wrapped.mul(2).tolist()) == ("twos", [2.0] * 3, [4.0] * 3)
    assert not hasattr(wrapped + 1, "_data")
    del wrapped._data
    with pytest.raises(AttributeError, match=r"'Wrapper' object has no attribute '_data'"):
        wrapped._data  # noqa: B018
    assert wrapped.tolist() == [2.0, 2.0, 2.0]
