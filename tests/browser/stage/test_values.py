"""Protects looking at values: slices of any rank, a heatmap, copies."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

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


TRAINING = """\
import torch
w = torch.tensor([[0.5, -1.0], [2.0, 0.0]], requires_grad=True)
big = torch.ones(30, 20, requires_grad=True)
for step in range(4):
    w.grad = big.grad = None
    ((w ** 2).sum() + (big * 2).sum()).backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
part = (w[1:] * 1.0).sum()
row = w[1:]
"""


def test_a_value_is_held_against_another_and_followed_over_the_run(run_program: Callable[[str], Page]) -> None:
    """Pinned and compared across steps, as a histogram, copied in each form, and as curves that one walks along."""
    page = run_program(TRAINING)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("End")
    inspector = page.get_by_role("region", name="Inspector")
    value = inspector.get_by_role("region", name="Value", exact=True)
    leaves = page.get_by_role("list", name="Graph").get_by_role("button", name=re.compile(r"^w\b"))
    leaves.first.press("Enter")
    expect(inspector.get_by_role("heading", name="w", exact=True)).to_be_visible()

    # Its curves go where the reader goes, and lead there.
    course = inspector.get_by_role("slider", name=re.compile(r"^w\[1, 0\] over the run, 5 values"))
    expect(course).to_have_attribute("aria-valuetext", "5 of 5: 0.125")
    gradient = inspector.get_by_role("slider", name=re.compile(r"^w\.grad\[1, 0\] over the run, 4 values"))
    expect(gradient).to_have_attribute("aria-valuetext", "4 of 4: 0.5")
    expect(inspector.get_by_role("slider", name=re.compile("^‖w.grad‖ over the run"))).to_be_visible()
    course.press("Home")
    expect(page.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "1")
    course.press("ArrowRight")
    expect(course).to_have_attribute("aria-valuetext", "2 of 5: 1")
    inspector.get_by_role("textbox", name="element").fill("0, -1")
    inspector.get_by_role("button", name="show it").click()
    expect(inspector.get_by_role("slider", name=re.compile(r"^w\[0, 1\] over the run"))).to_have_attribute(
        "aria-valuetext", "2 of 5: −0.5"
    )

    # One step beside another, as numbers.
    value.get_by_role("button", name="Pin", exact=True).click()
    page.keyboard.press("End")
    leaves.first.press("Enter")
    value.get_by_role("button", name=re.compile("^Compare with")).click()
    expect(value).to_contain_text("difference: this − pinned")
    expect(value).to_contain_text("Largest difference of those that are shown: 0.875.")
    value.get_by_role("button", name="Hide the comparison").click()
    inspector.get_by_role("button", name="unpin").first.click()

    value.get_by_role("button", name="Histogram").click()
    expect(
        value.get_by_role("img", name=re.compile("^Histogram of Value of w: 4 elements from −0.0625 to 0.125"))
    ).to_be_visible()
    value.get_by_role("button", name="Numbers").click()
    copied = {}
    for form in ("text", "CSV"):
        value.get_by_role("button", name=f"Copy as {form}").click()
        expect(value).to_contain_text(f"Copied all of it as {form}.")
        copied[form] = page.evaluate("navigator.clipboard.readText()")
    assert copied["CSV"].split() == ["0.03125,-0.0625", "0.125,0"]
    assert "0.1250" in copied["text"]

    # Where a view begins in its memory, and all of a gradient on its way that is larger than the log keeps.
    inspector.get_by_role("button", name="clear", exact=True).click()
    page.keyboard.press("End")
    expect(inspector.get_by_role("heading", name="row", exact=True)).to_be_visible()
    inspector.get_by_role("button", name="read it").click()
    expect(inspector).to_contain_text("Storage offset: 2")
    out = inspector.get_by_role("region", name="Gradient out to big")
    page.keyboard.press("Home")
    timeline = page.get_by_role("slider", name="Timeline")
    for step in range(1, 20):
        page.keyboard.press("ArrowRight")
        expect(timeline).to_have_attribute("aria-valuenow", str(step))
        if "to big" in page.get_by_test_id("caption").inner_text():
            break
    expect(out).to_contain_text("The first 16 of 600 elements.")
    out.get_by_role("button", name="Show all values").click()
    expect(out).to_contain_text("From running the program again up to this step.")
    expect(out.get_by_role("cell").first).to_have_text("2.")


def test_what_is_read_by_running_again_can_be_called_off(run_program: Callable[[str], Page]) -> None:
    """Without an answer of the server, *Cancel* ends the wait, and the value can be requested again."""
    page = run_program(TRAINING)
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    held: list[Route] = []
    page.route("**/api/sessions/*/values", lambda route: held.append(route))
    page.get_by_role("list", name="Graph").get_by_role("button", name=re.compile("^big")).first.press("Enter")
    value = page.get_by_role("region", name="Value", exact=True)
    value.get_by_role("button", name="Show all values").click()
    expect(value.get_by_role("status")).to_contain_text("Running the program again")
    value.get_by_role("button", name="Cancel").press("Enter")
    expect(value.get_by_role("status")).to_have_text("Cancelled.")
    page.unroute("**/api/sessions/*/values")
    value.get_by_role("button", name="Show all values").click()
    expect(value.get_by_role("region", name="Value of big, all values")).to_be_visible()


SOFTMAX = """\
import torch
x = torch.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
y = torch.softmax(x, dim=-1)
(y * torch.tensor([1.0, 3.0])).sum().backward()
"""


def test_a_formula_has_the_numbers_of_an_element_with_its_sum_written_out(run_program: Callable[[str], Page]) -> None:
    """The formula of softmax, which mixes the elements of a dim, is typeset, and in words for screen readers."""
    page = run_program(SOFTMAX)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    heard = "(∇ x[0,1]) = 0.7311 × (3 - (1 × 0.2689 + 3 × 0.7311)) = 0.3932"
    expect(page.get_by_role("math", name=heard)).to_be_visible()


def test_a_formula_that_needs_more_lines_goes_on_further_in(run_program: Callable[..., Page]) -> None:
    page = run_program(
        "import torch\nx = torch.tensor([1.25, 2.375, 3.5625], requires_grad=True)\ny = torch.softmax(x, 0)\n"
        "(y * torch.tensor([1.5, 2.5, 3.25])).sum().backward()\n"
    )
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    node = page.get_by_role("list", name="Graph").get_by_role("button", name="SoftmaxBackward0").first
    node.evaluate("(one) => one.focus()")
    page.keyboard.press("Enter")
    formula = page.get_by_role("region", name="Inspector").get_by_role("math").nth(1)
    expect(formula.locator(".katex")).to_be_attached()
    first, second = formula.evaluate(
        """(one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          const rects = [...range.getClientRects()].filter(({ width, height }) => width > 2 && height > 8);
          const top = Math.min(...rects.map(({ top }) => top));
          const left = (some) => Math.min(...some.map(({ left }) => left));
          const isFirst = ({ top: at }) => at < top + 14;
          return [left(rects.filter(isFirst)), left(rects.filter((rect) => rect.top > top + 18))];
        }"""
    )
    assert second >= first + 16
