"""Protects: what one looks for on the stage is found, gone to and lit, with filters, and a link brings it back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

TRAINING = """import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(12)])
spare = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(2, 4)
for step in range(2):
    optimizer.zero_grad()
    loss = model(x).square().sum() + 0 * spare.detach().sum()
    loss.backward()
    optimizer.step()
"""
NAN = """import torch
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.log(x) * 0
loss = y.sum()
loss.backward()
"""


@pytest.fixture
def context_options() -> dict[str, object]:
    """A view that moves does so at once."""
    return {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light", "reduced_motion": "reduce"}


def field(page: Page):
    return page.get_by_role("textbox", name="Find on the stage")


def inspector(page: Page):
    return page.get_by_role("region", name="Inspector")


def open_search(page: Page) -> None:
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("/")
    expect(field(page)).to_be_focused()


def place(page: Page):
    return page.get_by_role("search").get_by_role("status")


def chip(page: Page, name: str):
    return page.get_by_role("group", name="Filters").get_by_role("button", name=re.compile(f"^{name}"))


def test_words_are_found_and_walked_through_by_keys(run_program) -> None:
    page = run_program(TRAINING)
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("/")
    page.keyboard.type("TanhBackward0")  # At once: what comes before the field is there is kept for it.
    expect(place(page)).to_have_text("24")
    page.keyboard.press("Enter")
    expect(place(page)).to_have_text("1 of 24")
    expect(inspector(page).get_by_role("heading", name="TanhBackward0")).to_be_visible()
    expect(inspector(page)).to_contain_text("in model.0.1")
    page.keyboard.press("Enter")
    expect(inspector(page)).to_contain_text("in model.1.1")
    page.keyboard.press("Shift+Enter")
    expect(inspector(page)).to_contain_text("in model.0.1")
    page.keyboard.press("Shift+Enter")
    expect(place(page)).to_have_text("24 of 24")
    # The last one is made in the second round, where the timeline goes with it.
    expect(page.get_by_test_id("place")).to_contain_text("round 2 of 2")
    page.keyboard.press("Escape")
    expect(field(page)).to_have_count(0)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("model.3.0.weight", "model.3.0.weight"),
        ("loss", "loss"),
        ("line 6", "spare"),
        ("[3]", "spare"),
        ("model.11 tanh", "tanh"),
        ("nothing like this", None),
    ],
)
def test_what_one_may_look_for(run_program, words: str, title: str | None) -> None:
    page = run_program(TRAINING)
    open_search(page)
    field(page).fill(words)
    hits = page.get_by_role("list", name="Hits").get_by_role("button")
    if title is None:
        expect(place(page)).to_have_text("Nothing found")
        expect(hits).to_have_count(0)
    else:
        expect(hits.first).to_contain_text(title)


def test_a_hit_in_a_block_that_is_folded_is_brought_to_where_it_can_be_read(run_program) -> None:
    page = run_program(TRAINING)
    page.get_by_role("button", name="Fit the graph").click()
    for _ in range(8):
        page.get_by_role("button", name="Zoom out").click()
    open_search(page)
    field(page).fill("tanh")
    page.get_by_role("list", name="Hits").get_by_role("button").nth(5).click()
    expect(inspector(page)).to_contain_text("in model.5.1")
    stage = page.get_by_role("region", name="Stage").locator("canvas").first.bounding_box()
    covered = page.locator(".find").bounding_box()
    assert stage and covered
    bottom = covered["y"] + covered["height"]
    # The pill with its chips and its label is in the middle: the pill itself is left of that, and above.
    middle = stage["x"] + stage["width"] / 2
    page.mouse.click(middle - 50, (bottom + stage["y"] + stage["height"]) / 2 - 10)
    expect(inspector(page)).to_contain_text("in model.5.1")
    expect(inspector(page)).to_contain_text("Selected")


def test_filters_light_what_belongs_to_them_and_are_taken_away_by_a_click_or_by_escape(run_program) -> None:
    page = run_program(TRAINING)
    open_search(page)
    expect(chip(page, "freed")).to_have_text(re.compile(r"freed\s*0"))
    held = int(re.sub(r"\D", "", chip(page, "held").inner_text()))
    assert held > 0
    chip(page, "held").click()
    expect(place(page)).to_have_text(str(held))
    page.get_by_role("combobox", name="Module").select_option("model.4")
    expect(place(page)).to_have_text("2")
    field(page).fill("tanh")
    expect(place(page)).to_have_text("1")
    page.get_by_role("button", name="Close the search").click()
    filters = page.get_by_role("group", name="Filters").get_by_role("button")
    expect(filters).to_have_count(2)
    # What is held at the end of the run is nothing.
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Take the filter held away")).to_have_text(re.compile(r"held\s*0"))
    page.get_by_role("button", name="Take the filter held away").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("group", name="Filters")).to_have_count(0)


def test_broken_values_passes_and_parameters_without_a_gradient(run_program) -> None:
    page = run_program(NAN)
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("Home")
    open_search(page)
    expect(chip(page, "NaN or Inf")).to_have_text(re.compile(r"\s0\s*$"))
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    expect(chip(page, "NaN or Inf")).not_to_have_text(re.compile(r"\s0\s*$"))
    run_program(TRAINING)
    expect(chip(page, "no gradient")).to_be_visible()
    page.get_by_role("combobox", name="Backward pass").select_option(index=2)
    expect(place(page)).to_have_text(re.compile(r"^\d\d"))
    page.get_by_role("combobox", name="Backward pass").select_option(index=0)
    expect(place(page)).to_have_text("")


def test_a_link_brings_back_what_was_looked_for(run_program) -> None:
    page = run_program(TRAINING)
    open_search(page)
    page.keyboard.type("tanh")
    chip(page, "held").click()
    expect(place(page)).to_have_text("12")
    expect(page).to_have_url(re.compile("find=tanh&show=held"))
    page.reload()
    expect(field(page)).to_have_value("tanh")
    expect(chip(page, "held")).to_have_attribute("aria-pressed", "true")
    expect(place(page)).to_have_text("12")


def test_on_a_phone_the_field_opens_by_a_button(page: Page, server) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server.address)
    page.get_by_role("button", name="Find on the stage").click()
    expect(field(page)).to_be_focused()
    page.keyboard.type("mul")
    expect(place(page)).to_have_text("1")
    page.get_by_role("list", name="Hits").get_by_role("button").click()
    expect(place(page)).to_have_text("1 of 1")


def test_the_map_is_there_for_large_graphs_and_moves_the_view(run_program) -> None:
    page = run_program("import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\n")
    graph_map = page.get_by_role("application", name=re.compile("^Map of the graph"))
    expect(graph_map).to_have_count(0)
    run_program(TRAINING)
    expect(graph_map).to_be_visible()
    frame = graph_map.locator("span")
    box = graph_map.bounding_box()
    assert box
    places = [frame.get_attribute("style") or ""]

    def moved() -> str:
        expect(frame).not_to_have_attribute("style", places[-1])
        places.append(frame.get_attribute("style") or "")
        return places[-1]

    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    page.mouse.down()
    top = moved()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.mouse.up()
    assert moved() != top
    graph_map.focus()
    page.keyboard.press("ArrowDown")
    moved()
    page.get_by_role("button", name="Fit the graph").click()
    expect(graph_map).to_have_count(0)


def test_what_the_keyboard_comes_to_on_the_stage_is_brought_into_view(run_program) -> None:
    page = run_program(TRAINING)
    things = page.get_by_role("list", name="Graph").get_by_role("button")
    frame = page.get_by_role("application", name=re.compile("^Map of the graph")).locator("span")
    top = "element => Number.parseFloat(element.style.top)"
    things.last.focus()
    page.keyboard.press("ArrowLeft")
    low = frame.evaluate(top)
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
    assert frame.evaluate(top) < low
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile("."))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="clear", exact=True)).to_be_visible()


def test_escape_closes_the_search_from_its_filters_and_gives_the_keyboard_back(run_program) -> None:
    page = run_program(TRAINING)
    open_search(page)
    field(page).fill("tanh")
    expect(place(page)).to_have_text("24")
    chip(page, "held").focus()
    page.keyboard.press("Escape")
    expect(field(page)).to_have_count(0)
    expect(page.get_by_role("slider", name="Timeline")).to_be_focused()


def test_a_link_that_brings_a_query_leaves_the_keyboard_where_it_is(run_program) -> None:
    page = run_program(TRAINING)
    open_search(page)
    field(page).fill("tanh")
    expect(page).to_have_url(re.compile("find=tanh"))
    page.reload()
    expect(place(page)).to_have_text("24")
    expect(field(page)).not_to_be_focused()
