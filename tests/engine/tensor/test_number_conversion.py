"""Python numbers as elements: what a dtype can't hold is refused, negative numbers wrap around in unsigned types."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(("kind", "value"), [("uint8", 300), ("int8", -129), ("int32", 2**40), ("int16", 1e300)])
def test_lists_refuse_numbers_out_of_range(torch: Any, kind: str, value: Any) -> None:
    with pytest.raises(RuntimeError, match=f"value cannot be converted to type {kind} without overflow"):
        torch.tensor([value], dtype=getattr(torch, kind))


def test_filling_refuses_numbers_out_of_range(torch: Any) -> None:
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        torch.ones(2, dtype=torch.uint8).fill_(300)
    with pytest.raises(RuntimeError, match="value cannot be converted to type int without overflow"):
        torch.full((2,), float("nan"), dtype=torch.int32)
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        torch.full((2,), 1e300)


def test_negative_numbers_wrap_around(torch: Any) -> None:
    assert torch.ones(2, dtype=torch.uint8).fill_(-1).tolist() == [255, 255]
    assert torch.tensor([-1], dtype=torch.uint8).tolist() == [255]


def test_more_than_64_bits(torch: Any) -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        torch.tensor([2**63])


def test_eight_bits_of_floating_point_are_stored_and_printed(torch: Any) -> None:
    stored = torch.tensor([1.5, 1000.0]).to(torch.float8_e5m2)
    assert stored.float().tolist() == [1.5, 1024.0]
    assert repr(stored) == "tensor([   1.5000, 1024.0000], dtype=torch.float8_e5m2)"
    with pytest.raises(NotImplementedError, match="\"add_stub\" not implemented for 'Float8_e5m2'"):
        stored + stored
