"""Users' subclasses of Tensor: made like tensors, they spread to what is computed from them."""

from __future__ import annotations

from typing import Any


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
