"""Warnings of what is written into expanded tensors at indices."""

from __future__ import annotations

import warnings
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("write", "names"),
    [
        (lambda torch, x, mask: x.__setitem__(mask, -1.0), ["index_put_", "masked_fill_"]),
        (lambda torch, x, mask: x.__setitem__(mask, torch.tensor([-1.0])), ["index_put_", "masked_fill_"]),
        (lambda torch, x, mask: x.index_put_((mask,), torch.tensor(-1.0)), ["index_put_", "masked_fill_"]),
        (lambda torch, x, mask: x.index_put_((mask,), torch.tensor(-1.0), True), ["index_put_"]),
        (lambda torch, x, mask: x.__setitem__(mask, torch.tensor([-1.0, -1.0])), ["index_put_"]),
        (lambda torch, x, mask: x.masked_fill_(mask, -1.0), ["masked_fill_"]),
    ],
)
def test_warnings_of_expanded_tensors(torch: Any, write: Any, names: list[str]) -> None:
    """One number in the places of one mask is filled in by masked_fill_, which warns too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write(torch, torch.zeros(1).expand(3), torch.tensor([True, False, True]))
    starts = [
        str(w.message).removeprefix("Use of ").partition(" on expanded tensors is deprecated.")[0] for w in caught
    ]
    assert starts == names
