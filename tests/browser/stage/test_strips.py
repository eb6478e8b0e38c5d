"""Protects: under the timeline stand the loss, the gradient norms and the lives of buffers, and a click goes there."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

TRAINING = """import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 2)
for step in range(6):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


def timeline(page: Page):
    return page.get_by_role("slider", name="Timeline")


def test_the_loss_and_the_gradient_norms_of_a_training_loop(run_program) -> None:
    page = run_program(TRAINING)
    page.get_by_role("button", name="Loss and gradient norms over the run").click()
    rows = page.get_by_role("region", name="Loss and gradient norms").get_by_role("listitem")
    loss = rows.filter(has=page.get_by_role("button", name=re.compile("^loss,")))
    expect(loss.get_by_role("button")).to_have_attribute("aria-label", re.compile("from 6 backward passes"))
    timeline(page).focus()
    page.keyboard.press("End")
    printed = re.findall(r"\d+\.\d+", page.get_by_role("log", name="Console").inner_text())[-1]
    shown = float(loss.locator("span").inner_text())
    assert abs(shown - float(printed)) < 1e-3
    for name in ("model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"):
        button = page.get_by_role("button", name=re.compile(f"^{name}, gradient norm [0-9]"))
        expect(button).to_be_visible()
    # A click in the middle of the loss goes to the middle of the run.
    box = loss.locator("canvas").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    last = int(timeline(page).get_attribute("aria-valuemax") or 0)
    middle = "|".join(str(place) for place in range(last // 2 - 1, last // 2 + 3) if abs(place - last / 2) <= 1)
    expect(timeline(page)).to_have_attribute("aria-valuenow", re.compile(f"^({middle})$"))
    page.get_by_role("button", name=re.compile("^model.2.weight, gradient norm")).click()
    inspector = page.get_by_role("region", name="Inspector")
    expect(inspector.get_by_role("heading", name="model.2.weight")).to_be_visible()


def test_the_lives_of_what_is_saved(run_program) -> None:
    page = run_program(TRAINING)
    page.get_by_role("button", name="Lives of saved tensors").click()
    lives = page.get_by_role("region", name="Lives of saved tensors")
    tanh = lives.get_by_role("button", name=re.compile("^TanhBackward0 result,( line 10, no. 1,)? 48 B"))
    expect(tanh.first).to_have_attribute("aria-label", re.compile("held$"))
    tanh.first.click()
    # What is selected alone is shown then.
    expect(lives.get_by_role("button")).to_have_count(1)
    timeline(page).focus()
    page.keyboard.press("End")
    expect(tanh).to_have_attribute("aria-label", re.compile("freed$"))
    page.get_by_role("button", name="Lives of saved tensors").click()
    expect(lives).to_have_count(0)


def test_the_drawings_fill_their_column_after_the_code_is_folded(run_program) -> None:
    page = run_program(TRAINING)
    page.get_by_role("button", name="Loss and gradient norms over the run").click()
    canvas = page.get_by_role("region", name="Loss and gradient norms").locator("canvas").first
    before = canvas.bounding_box()
    assert before
    page.get_by_role("button", name="Fold code").click()
    expect(page.get_by_role("button", name="Unfold code")).to_be_visible()
    page.wait_for_function(
        "([canvas, before]) => canvas.clientWidth !== before"
        " && Math.abs(canvas.clientWidth - (canvas.parentElement.clientWidth - 36)) <= 1",
        arg=[canvas.element_handle(), before["width"]],
    )


def test_rows_under_the_timeline_leave_the_graph_its_room(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=17_mlp")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("button", name="Loss and gradient norms over the run").click()
    page.get_by_role("button", name="Watch an expression over the whole run").click()
    expect(page.get_by_role("region", name="Loss and gradient norms")).to_be_visible()
    expect(page.get_by_role("textbox", name="Expression to watch over the whole run")).to_be_visible()
    stage = page.get_by_role("region", name="Stage").bounding_box()
    assert stage is not None
    assert stage["height"] >= 330
    page.get_by_role("combobox", name="Speed").scroll_into_view_if_needed()
    expect(page.get_by_role("combobox", name="Speed")).to_be_in_viewport(ratio=1)
