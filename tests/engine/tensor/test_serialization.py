"""torch.save and torch.load through buffers."""

from __future__ import annotations

import io
from collections import OrderedDict
from typing import Any

import pytest


def through(torch: Any, value: Any, **options: Any) -> Any:
    """A value saved and loaded again."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, **options)


def test_containers_of_tensors(torch: Any) -> None:
    """Values, dtypes, requires_grad and containers come back."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    found = through(torch, OrderedDict(a=x, b=[torch.tensor(3), "text", 2.5], c=torch.ones(1, dtype=torch.bfloat16)))
    assert (found["a"].tolist(), found["a"].requires_grad) == ([1.0, 2.0], True)
    assert (found["b"][0].item(), found["b"][1:], found["c"].dtype) == (3, ["text", 2.5], torch.bfloat16)


class Custom:
    """A class that holds no data."""


def test_other_classes_need_trust(torch: Any) -> None:
    """They are refused unless weights_only is False."""
    import pickle

    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        through(torch, Custom())
    assert isinstance(through(torch, Custom(), weights_only=False), Custom)


def test_module_state(torch: Any) -> None:
    """A state_dict makes the round trip."""
    net = torch.nn.Linear(2, 1)
    again = torch.nn.Linear(2, 1)
    again.load_state_dict(through(torch, net.state_dict()))
    assert torch.equal(net.weight, again.weight)


def test_nothing_to_read(torch: Any) -> None:
    """An empty buffer is an error."""
    with pytest.raises(EOFError):
        torch.load(io.BytesIO())
