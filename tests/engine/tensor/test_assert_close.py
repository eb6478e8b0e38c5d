"""torch.testing.assert_close: what passes, and the report of what doesn't."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture
def testing(torch: Any) -> Any:
    """torch.testing of the namespace under test."""
    return importlib.import_module(torch.__name__ + ".testing")


def test_tolerances_by_dtype(torch: Any, testing: Any) -> None:
    """A difference that float32 forgives is too much for float64."""
    x = torch.ones(2)
    testing.assert_close(x, x + 1e-6)
    with pytest.raises(AssertionError, match="Tensor-likes are not close!"):
        testing.assert_close(x.double(), x.double() + 1e-6)
    with pytest.raises(AssertionError, match="not close"):
        testing.assert_close(torch.tensor([float("nan")]), torch.tensor([float("nan")]))
    testing.assert_close(torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True)


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        (
            lambda t: (t.ones(2), t.zeros(2)),
            "Tensor-likes are not close!\n\nMismatched elements: 2 / 2 (100.0%)\n"
            "Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)\n"
            "Greatest relative difference: inf at index (0,) (up to 1.3e-06 allowed)",
        ),
        (
            lambda t: (t.tensor([1, 2]), t.tensor([1, 3])),
            "Tensor-likes are not equal!\n\nMismatched elements: 1 / 2 (50.0%)\n"
            "Greatest absolute difference: 1 at index (1,)\n"
            "Greatest relative difference: 0.3333333432674408 at index (1,)",
        ),
        (
            lambda t: (1.0, 2.0),
            "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-07 allowed)\n"
            "Relative difference: 0.5 (up to 1e-07 allowed)",
        ),
        (
            lambda t: (t.ones(2), t.ones(3)),
            "The values for attribute 'shape' do not match: torch.Size([2]) != torch.Size([3]).",
        ),
        (
            lambda t: (t.ones(1), t.ones(1).double()),
            "The values for attribute 'dtype' do not match: torch.float32 != torch.float64.",
        ),
        (
            lambda t: ([1, {"a": None}], [1, {"a": 2}]),
            "None mismatch: None is not 2\n\nThe failure occurred for item [1]['a']",
        ),
        (lambda t: ([1], [1, 2]), "The length of the sequences mismatch: 1 != 2"),
    ],
)
def test_reports(torch: Any, testing: Any, pair: Any, text: str) -> None:
    """Where, how much, and in which item of nested containers."""
    with pytest.raises(AssertionError) as error:
        testing.assert_close(*pair(torch))
    assert str(error.value) == text


def test_own_message(torch: Any, testing: Any) -> None:
    """A text replaces the report, a function gets it."""
    with pytest.raises(AssertionError, match=r"^mine$"):
        testing.assert_close(torch.ones(1), torch.zeros(1), msg="mine")
    with pytest.raises(AssertionError, match=r"^mine: Tensor-likes"):
        testing.assert_close(torch.ones(2), torch.zeros(2), msg=lambda text: "mine: " + text)


def test_make_tensor(torch: Any, testing: Any) -> None:
    """make_tensor() gives numbers within bounds, of the given shape and dtype."""
    x = testing.make_tensor((3, 4), dtype=torch.float64, device="cpu", low=1, high=2, requires_grad=True)
    assert (tuple(x.shape), x.dtype, x.requires_grad) == ((3, 4), torch.float64, True)
    assert x.min().item() >= 1 and x.max().item() <= 2
