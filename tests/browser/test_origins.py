"""Protects: a reader finds out what a gradient is the sum of, where a NaN was made, and who holds memory."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

PROGRAM = """\
import torch
x = torch.tensor([[1.0, 2.0], [3.0, -4.0]])
w = torch.tensor([2.0, 5.0], requires_grad=True)
for factor in (1.0, 10.0):
    (x * w * factor).sum().backward()
root = torch.tensor([0.0, 4.0], requires_grad=True)
torch.where(root > 0, root.sqrt(), root).sum().backward()
values = torch.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
logs = torch.log(values)
total = (logs * 2).sum()
"""


def test_from_numbers_and_bytes_back_to_their_origins(run_program: Callable[[str], Page]) -> None:
    page = run_program(PROGRAM)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("End")
    inspector = page.get_by_role("region", name="Inspector")
    slider = page.get_by_role("slider", name="Timeline")
    end = slider.get_attribute("aria-valuenow")

    def select(label: str) -> None:
        graph = page.get_by_role("list", name="Graph")
        graph.get_by_role("button", name=re.compile(f"^{label}\\b")).last.focus()
        page.keyboard.press("Enter")

    def rows() -> Locator:
        return inspector.get_by_role("treegrid").get_by_role("row")

    # The elements of a gradient are a grid; one that is chosen is the sum of its passes, edges and elements.
    select("w")
    element = inspector.get_by_title("Where does [0] come from?")
    element.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(inspector.get_by_role("heading", name="Where does w.grad[1] come from?")).to_be_visible()
    expect(inspector.get_by_role("row", name=re.compile(r"pass 1.*−2"))).to_be_visible()
    expect(inspector.get_by_role("row", name=re.compile(r"pass 2.*−20"))).to_be_visible()
    shares = inspector.get_by_role("row", name=re.compile(r"10 × (2|−4)"))
    expect(shares).to_have_count(2)
    expect(inspector.get_by_role("row", name=re.compile("given to backward"))).to_be_visible()

    # By keyboard: the pass that is closed opens, and Enter goes to the step that a row tells of.
    rows().filter(has_text="pass 1").focus()
    page.keyboard.press("ArrowRight")
    expect(inspector.get_by_role("row", name=re.compile(r"1 × (2|−4)"))).to_have_count(2)
    page.keyboard.press("Enter")
    expect(slider).not_to_have_attribute("aria-valuenow", str(end))
    expect(page.get_by_test_id("caption")).to_contain_text("w.grad")
    page.keyboard.press("Escape")
    expect(inspector.get_by_role("treegrid")).to_have_count(0)

    # A NaN in a gradient: zero times infinity, and what the node had saved.
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("End")
    select("root")
    inspector.get_by_role("button", name="Where does this come from?").click()
    made = inspector.get_by_role("row", name=re.compile("0 × Inf"))
    expect(made).to_contain_text("made here")
    expect(made).to_contain_text("with the saved result = 0")

    # A NaN of the forward pass, back to the logarithm of a negative number.
    select("sum")
    inspector.get_by_role("button", name="total", exact=True).click()
    inspector.get_by_role("button", name="Where does that come from?").click()
    chain = inspector.get_by_role("listitem")
    expect(chain).to_have_count(3)
    expect(chain.last).to_contain_text("made here")
    expect(chain.last).to_contain_text("logs[1, 1]")
    expect(chain.last).to_contain_text("values[1, 1] = −4")

    # The memory of the step, by who holds it.
    page.get_by_role("button", name="Who holds it?").click()
    held = inspector.get_by_role("table", name="Memory by holder").get_by_role("row")
    expect(held.filter(has_text="w.grad")).to_contain_text("8 B")
    saved = held.filter(has_text="LogBackward0")
    expect(saved).to_contain_text("in the graph of total")
    expect(saved).to_contain_text("16 B")
    saved.get_by_role("button", name="values").click()
    expect(inspector.get_by_role("heading", name="values")).to_be_visible()
