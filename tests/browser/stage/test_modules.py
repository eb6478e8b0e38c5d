"""Protects: modules, rounds and optimizer steps are seen in caption, inspector, stage and timeline."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from stepping import step_until

TRAINING = """import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
x = torch.ones(1, 2)
for step in range(3):
    optimizer.zero_grad()
    loss = model(x).square().sum()
    loss.backward()
    optimizer.step()
"""


def timeline(page: Page):
    return page.get_by_role("slider", name="Timeline")


def go_to(page: Page, title: str, nth: int = 1) -> None:
    """Steps forward to the `nth` moment whose title has the text."""
    timeline(page).focus()
    page.keyboard.press("Home")
    step_until(page, title, key="ArrowUp", titles=True, nth=nth)


def test_each_step_says_where_it_happens(run_program) -> None:
    page = run_program(TRAINING)
    go_to(page, "tanh", 2)
    expect(page.get_by_test_id("place")).to_have_text(re.compile(r"in\s+model\.1,\s+round 2 of 3"))
    go_to(page, "TanhBackward0", 3)
    expect(page.get_by_test_id("place")).to_have_text(re.compile(r"in\s+model\.1,\s+round 3 of 3"))


def test_a_module_opens_from_the_caption_with_its_parameters(run_program) -> None:
    page = run_program(TRAINING)
    go_to(page, "addmm", 1)
    page.get_by_test_id("place").get_by_role("button", name="model.0").click()
    inspector = page.get_by_role("region", name="Inspector")
    expect(inspector.get_by_role("heading", name="model.0")).to_be_visible()
    expect(inspector).to_contain_text("Linear(in_features=2, out_features=2, bias=True)")
    expect(inspector).to_contain_text("parameters6")
    expect(inspector.get_by_role("button", name="weight", exact=True)).to_be_visible()


def test_an_optimizer_step_shows_what_it_did_to_each_parameter(run_program) -> None:
    page = run_program(TRAINING)
    go_to(page, "SGD.step()", 2)
    expect(page.get_by_test_id("caption")).to_contain_text("SGD.step() number 2 with lr 0.5 moves model.0.weight")
    inspector = page.get_by_role("region", name="Inspector")
    for name in ("model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"):
        expect(inspector.get_by_role("button", name=name, exact=True)).to_be_visible()
    inspector.get_by_role("button", name="Numbers of model.2.bias").click()
    expect(inspector).to_contain_text("momentum_buffer")
    expect(inspector).to_contain_text("change: after − before")


def test_an_optimizer_page_has_room_for_its_options_and_a_dash_where_nothing_is_to_be_told(run_program) -> None:
    source = TRAINING.replace("torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)", "torch.optim.AdamW([bias])")
    source = source.replace("optimizer = ", "bias = torch.zeros(2, requires_grad=True)\noptimizer = ", 1)
    source = source.replace("model(x).square()", "(model(x) * bias)")
    source += "torch.optim.lr_scheduler.StepLR(optimizer, 1)\noptimizer.step()\n"
    page = run_program(source)
    go_to(page, "AdamW.step()", 1)
    inspector = page.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text(re.compile(r"line \d+\s+\(round 1 of 3\):"))
    expect(inspector.locator("tr.numbers td").first).to_have_text("–")
    # The rule of the optimizer with the numbers of an element, and of another that one asks for.
    step_until(page, "AdamW.step()", key="ArrowUp", titles=True, nth=2)
    rule = inspector.get_by_role("math", name=re.compile(r"^w|^With numbers|bias", re.IGNORECASE))
    expect(rule.filter(has=page.locator(".sqrt")).first).to_be_visible()
    element = inspector.get_by_role("textbox", name="Element")
    chosen = "1" if element.input_value() == "0" else "0"
    element.fill(chosen)
    element.press("Enter")
    expect(inspector.get_by_role("math", name=re.compile(rf"bias\[{chosen}\]\).*←"))).to_be_visible()
    step_until(page, "AdamW.step()", key="ArrowUp", titles=True, nth=3)
    expect(inspector).to_contain_text("initial_lr")
    clipped = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1 || one.clientWidth === 0).length"
    assert inspector.locator("dl dd").evaluate_all(clipped) == 0


def test_modules_are_part_of_the_outline(run_program) -> None:
    page = run_program(TRAINING)
    graph = page.get_by_role("list", name="Graph")
    expect(graph.get_by_role("button", name="tanh TanhBackward0").first).to_have_attribute(
        "title", re.compile(r"in model\.1$")
    )
    graph.get_by_role("button", name="module model.2").first.press("Enter")
    expect(page.get_by_role("region", name="Inspector").get_by_role("heading", name="model.2")).to_be_visible()


def test_torch_func_is_not_asked_for_requires_grad(run_program) -> None:
    page = run_program("import torch\nprint(torch.func.grad(lambda x: (x * x).sum())(torch.ones(2)))\n")
    expect(page.get_by_text("Line 2 works with torch.func, whose gradients need no requires_grad")).to_be_visible()


class TestPhone:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True}

    def test_step_count_and_link(self, open_page) -> None:
        page = open_page()
        expect(page.get_by_text(re.compile(r"\d+ of \d+")).first).to_be_visible()
        page.get_by_role("button", name="All commands").tap()
        expect(page.get_by_role("option", name="Copy a link to this moment")).to_be_visible()
        page.keyboard.type("export files")
        page.keyboard.press("Enter")
        sheet = page.get_by_role("region", name="Export")
        with page.expect_download() as download:
            sheet.get_by_role("button", name="PNG").tap()
        assert download.value.suggested_filename.endswith(".png")
        sheet.get_by_role("button", name="Copy the element").scroll_into_view_if_needed()
        box, below = sheet.bounding_box(), page.get_by_role("group", name="Rooms").bounding_box()
        assert box and below and box["y"] + box["height"] <= below["y"]
        sheet.get_by_role("button", name="Close").tap()
        expect(sheet).to_have_count(0)
