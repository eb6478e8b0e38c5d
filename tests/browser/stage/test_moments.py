"""Protects: a step that teaches says so on the stage, in the code and in the inspector, with its numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from stepping import step_until

IN_PLACE = """\
import torch
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = torch.sigmoid(x)
y.mul_(2)
z = y * 3
z.sum().backward()
"""


def _step_until(page: Page, words: str) -> None:
    """From the first step on, until the caption says so."""
    page.keyboard.press("Home")
    expect(page.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "0")
    step_until(page, words)


def test_a_write_over_what_was_saved_lights_both_lines(run_program: Callable[[str], Page]) -> None:
    """At the write itself and at the error; in between the code is quiet."""
    page = run_program(IN_PLACE)
    page.get_by_role("heading", name="Backscope").click()
    code = page.get_by_role("textbox", name="Program")
    saved = code.locator(".cm-line", has_text="torch.sigmoid(x)")
    wrote = code.locator(".cm-line", has_text="y.mul_(2)")
    tags = code.locator(".cm-version")

    _step_until(page, "mul_ changes y in place")
    expect(tags).to_have_text(["saved v0", "made v1"])
    expect(saved).to_contain_text("saved v0")
    expect(wrote).to_contain_text("made v1")
    page.keyboard.press("ArrowRight")
    expect(tags).to_have_count(0)
    page.keyboard.press("End")
    expect(page.get_by_test_id("caption")).to_contain_text("Stopped at line 6")
    expect(saved).to_contain_text("saved v0")
    expect(wrote).to_contain_text("made v1")


NUMBERS = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
b = torch.tensor([0.5, -0.5], requires_grad=True)
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
loss = x ** 2 + x * 3 + (m * b).sum()
loss.backward()
(x * 4).backward()
opt = torch.optim.SGD([b], lr=0.1)
opt.step()
with torch.no_grad():
    x -= 0.1 * x.grad
"""


def test_what_adds_up_is_a_formula_with_its_numbers(run_program: Callable[[str], Page]) -> None:
    """Of fan-in, a broadcast, accumulation, an optimizer and a step by hand: in the inspector, as a reader steps on."""
    page = run_program(NUMBERS)
    page.get_by_role("heading", name="Backscope").click()
    formulas = page.get_by_role("region", name="Inspector").get_by_role("math")

    _step_until(page, "The gradients of x add up")
    expect(formulas.last).to_have_accessible_name(
        "Sum of 2 gradients of x: ∇ x = 3, MulBackward0 + 4, PowBackward0 = 7"
    )
    # What is drawn is what is said.
    expect(formulas.last.locator(".katex-html")).to_contain_text("MulBackward0")
    _step_until(page, "b was broadcast over 2 rows")
    expect(formulas.first).to_have_accessible_name("Rule: ∂(m × b) / (∂b) = m")
    expect(formulas.nth(1)).to_have_accessible_name("Gradient of b: ∇ b = sum over dim 0 of (g × m)")
    expect(formulas.last).to_have_accessible_name(
        "Gradient of b, the sum over dim 0: (∇ b[0]) = 1 + 3 = 4 (∇ b[1]) = 2 + 4 = 6"
    )
    _step_until(page, "backward() accumulates")
    expect(formulas.last).to_have_accessible_name("What x.grad became: x.grad = 7, before + 4, this pass = 11")
    _step_until(page, "SGD.step()")
    expect(formulas.last).to_have_accessible_name("With numbers: b ← [0.5, -0.5] - 0.1 × [4, 6] = [0.1, -1.1]")
    _step_until(page, "sub_ changes x in place")
    expect(page.get_by_role("region", name="Update in this step")).to_be_visible()
    expect(formulas.first).to_have_accessible_name("Update of x: x ← x - 0.1 × x.grad")
    expect(formulas.nth(1)).to_have_accessible_name("With numbers: x ← 2 - 0.1 × 11 = 0.9")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("region", name="Update in this step")).to_have_count(0)


PICKED = """\
import torch
x = torch.tensor([[0.5, 2.0], [3.0, 1.0]])
b = torch.zeros(2, requires_grad=True)
y = torch.nn.functional.linear(x, torch.eye(2), b)
y.max(1).values.sum().backward()
"""


def test_a_bias_and_the_largest_of_a_row_have_their_numbers(run_program: Callable[[str], Page]) -> None:
    page = run_program(PICKED)
    page.get_by_role("heading", name="Backscope").click()
    formulas = page.get_by_role("region", name="Backward formula").get_by_role("math")
    _step_until(page, "MaxBackward0 sends")
    expect(formulas.first).to_have_accessible_name("Gradient of y: ∇ y = g × [i = indices]")
    expect(formulas.last).to_have_accessible_name("With numbers: (∇ y[0,1]) = 1 × [1 = 1] = 1")
    expect(page.get_by_role("region", name="Backward formula")).to_contain_text("i is the index along the dim")
    _step_until(page, "AddmmBackward0 sums")
    expect(formulas.first).to_have_accessible_name("Gradient of b: ∇ b = sum over dim 0 of g")
    expect(formulas.last).to_have_accessible_name("With numbers: (∇ b[0]) = (0 + 1) = 1")


SMALL = """\
import torch
a = torch.tensor([[1.0, 2.0]], requires_grad=True)
b = torch.tensor([[3.0], [4.0]])
h = torch.tensor([0.0, 4.0], requires_grad=True)
loss = (a @ b).sum() + (torch.sqrt(h) * torch.tensor([0.0, 1.0])).sum()
loss.backward()
"""


def test_small_vectors_and_matrices_stand_in_the_formula(run_program: Callable[[str], Page]) -> None:
    """Of an elementwise op the element that says most, of a product of matrices the matrices."""
    page = run_program(SMALL)
    page.get_by_role("heading", name="Backscope").click()
    formulas = page.get_by_role("region", name="Inspector").get_by_role("math")
    _step_until(page, "SqrtBackward0 divides")
    expect(formulas.first).to_have_accessible_name("Rule: ∂sqrt(h) / (∂h) = 1 / (2 result)")
    expect(formulas.nth(1)).to_have_accessible_name("Gradient of h: ∇ h = g / (2 result)")
    expect(formulas.nth(2)).to_have_accessible_name("With numbers: (∇ h[0]) = 0 / (2 × 0) = NaN")
    _step_until(page, "MmBackward0 multiplies")
    expect(formulas.nth(1)).to_have_accessible_name("With numbers: = [1] [[3], [4]] transposed = [3, 4]")


@pytest.mark.parametrize("context_options", [{"viewport": {"width": 844, "height": 390}, "color_scheme": "dark"}])
def test_on_a_phone_an_arrow_leads_to_the_second_mirror(open_page: Callable[[str], Page]) -> None:
    """On its side a phone is narrower than the graph: an arrow leads to what is recorded, which is seen in ink."""
    page = open_page("#example=12_second_derivative&at=3")
    expect(page.get_by_test_id("caption")).to_contain_text("join the graph")
    middle = """() => {
      const canvas = document.querySelector('canvas');
      const [width, height] = [canvas.width / 2, canvas.height / 2].map(Math.floor);
      const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, -width / 2, -height / 2);
      const box = copy.getImageData(0, 0, width, height).data;
      let purple = 0;
      for (let i = 0; i < box.length; i += 4)
        if (box[i + 3] > 200 && box[i] > box[i + 1] + 40 && box[i + 2] > box[i + 1] + 25) purple += 1;
      return purple;
    }"""
    page.get_by_role("button", name="Out of view").first.click()
    page.wait_for_function(f"() => ({middle})() > 200")
