"""Protects looking at values: slices of any rank, a heatmap, copies."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

PROGRAM = """\
import torch
r = torch.arange(2 * 3 * 1 * 4 * 2.0).reshape(2, 3, 1, 4, 2).requires_grad_()
w = torch.tensor([[1.0, -2.0], [float("nan"), 4.0]], requires_grad=True)
loss = (r * 2).sum() + (w * 3).sum()
loss.backward()
"""


@pytest.fixture
def context_options() -> dict[str, object]:
    """What is copied is read back."""
    return {"permissions": ["clipboard-read", "clipboard-write"]}


def test_a_value_is_looked_at_by_slices_and_in_other_forms(run_program: Callable[[str], Page]) -> None:
    """By mouse and keyboard, as numbers and as a heatmap; what is copied is the tensor."""
    page = run_program(PROGRAM)
    page.keyboard.press("Escape")
    page.keyboard.press("End")

    def select(name: str) -> None:
        page.get_by_role("list", name="Graph").get_by_role("button", name=re.compile(f"^{name}\\b")).first.press(
            "Enter"
        )
        expect(
            page.get_by_role("region", name="Inspector").get_by_role("heading", name=name, exact=True)
        ).to_be_visible()

    value = page.get_by_role("region", name="Value", exact=True)
    select("r")
    cells = value.get_by_role("region", name="Value of r").get_by_role("cell")
    expect(cells).to_have_count(8)
    value.get_by_role("combobox", name="Dim shown as rows").select_option("0")
    value.get_by_role("combobox", name="Dim shown as columns").select_option("1")
    value.get_by_role("button", name="Next index of dim 3").click()
    expect(cells).to_have_text(["2.", "10.", "18.", "26.", "34.", "42."])
    cells.first.hover()
    expect(value).to_contain_text("[0, 0, 0, 1, 0] = 2")
    value.get_by_role("region", name="Value of r").press("ArrowDown")
    expect(value).to_contain_text("[1, 0, 0, 1, 0] = 26")

    select("w")
    value.get_by_role("button", name="Heatmap").click()
    expect(value.get_by_role("cell")).to_have_text(["1", "−2", "NNaN", "4"])
    expect(value.get_by_role("img", name="Colour scale from −4 to 4, zero in the middle")).to_be_visible()
    expect(value).to_contain_text("Of the 3 finite elements of 4:")
    value.get_by_role("button", name="Copy as Python").click()
    expect(value).to_contain_text("Copied all of it as Python.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "torch.tensor([[1.0, -2.0],\n              [float('nan'), 4.0]], dtype=torch.float32)"
