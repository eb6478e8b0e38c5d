"""Protects the view of the stage: it shows all that a step or an answer is about, or an arrow leads there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from stage_view import LOOK, SIZES, open_at
from view_answers import FIRST_ANSWER, answers, arrivals
from view_walk import walk

Open = Callable[[str], Page]

WALKED = [
    ("1440x900", "12_second_derivative"),
    ("1024x768", "16_hooks"),
    ("390x844", "09_second_backward"),
    ("844x390", "42_optimizer_step"),
    ("embed", "14_broadcasting"),
    ("390x844", "22_module_hooks"),
    ("1280x720", "44_truncated_rnn"),
    ("1280x720", "22_module_hooks"),
    ("1440x900", "39_vanishing"),
]
"""A sample of the walks of view_walk.py: each window once or twice, and steps of every kind."""
SAMPLED = 12
MOST = 30


@pytest.fixture
def context_options() -> dict[str, object]:
    """Windows without motion: a view is at its place at once."""
    return {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light", "reduced_motion": "reduce"}


def look(page: Page) -> dict[str, Any]:
    """Return what the view does not show of the present step and of an answer's evidence."""
    found: dict[str, Any] = page.evaluate(f"({LOOK})()")
    return found


def until(page: Page, condition: str) -> dict[str, Any]:
    """Look until a condition on the result, `seen` in JavaScript, holds; return the result."""
    found: dict[str, Any] | None = page.evaluate(f"""async () => {{
      for (let i = 0; i < 1500; i += 1) {{
        const seen = await ({LOOK})();
        if (seen && ({condition})) return seen;
        await new Promise((resume) => setTimeout(resume, 20));
      }}
      return null;
    }}""")
    assert found is not None, f"Never {condition}: {look(page)}"
    return found


def at_answer(page: Page, question: str) -> dict[str, Any]:
    """Ask a question in the inspector, and look at the stage once it is answered."""
    page.get_by_role("list", name="Questions").get_by_role("button", name=question).first.click()
    return until(page, "seen.question !== null && seen.evidence.length > 0")


@pytest.mark.parametrize(("size", "name"), WALKED)
def test_all_that_acts_is_seen(page: Page, server: Any, examples: list[dict[str, str]], size: str, name: str) -> None:
    """Nodes that act are in view with chips, labels and notes, not covered, and large enough to be read."""
    source = next(one["source"] for one in examples if one["name"] == name)
    open_at(page, server.address, size, name, source)
    walked = walk(page, MOST, SAMPLED)
    assert walked["walked"] > 5
    assert walked["found"] == []


OPENINGS = [
    ("390x844", "01_first_backward"),
    ("1024x768", "01_first_backward"),
    ("embed", "01_first_backward"),
    ("390x844", "17_mlp"),
    ("1024x768", "17_mlp"),
    ("1280x720", "17_mlp"),
    ("1280x720", "38_reentrant_checkpoint"),
    ("1440x900", "17_mlp"),
]


@pytest.mark.parametrize(("size", "name"), OPENINGS)
def test_a_run_opens_on_its_whole_pass(
    page: Page, server: Any, examples: list[dict[str, str]], size: str, name: str
) -> None:
    """Cards, pills and chips of the pass that a run opens on are in view, and large enough to be read."""
    source = next(one["source"] for one in examples if one["name"] == name)
    open_at(page, server.address, size, name, source)
    seen = until(page, "seen.whole")
    assert seen["misses"] == []


@pytest.mark.parametrize(("size", "name"), [("1440x900", "15_in_place_error"), ("390x844", "43_nan_spreads")])
def test_what_one_asks_for_and_goes_to_is_seen(
    page: Page, server: Any, examples: list[dict[str, str]], size: str, name: str
) -> None:
    """Evidence of answers, names, hits, errors, moments of links and dropped traces are in view, also above a sheet."""
    source = next(one["source"] for one in examples if one["name"] == name)
    open_at(page, server.address, size, name, source)
    asked = answers(page, 1)
    came = arrivals(page, server.address, size, name, source, (0.6,))
    assert (asked["found"], came["found"]) == ([], [])
    expected = {"question", "selection", "name", "mention", "hit", "link", "resize", "trace"}
    assert expected <= {*asked["counts"], *came["counts"]}


def test_an_answer_brings_its_evidence_into_view(open_page: Open) -> None:
    page = open_page("#example=43_nan_spreads&at=999")
    seen = at_answer(page, "NaN")
    assert seen["missed"] == []
    assert len(seen["evidence"]) > 1


@pytest.mark.parametrize("size", ["1440x900", "1024x768"])
def test_an_answer_about_what_lies_far_apart_points_to_the_rest(run_program: Callable[[str], Page], size: str) -> None:
    """The first node of the evidence is in view at a readable size, and arrows at the rim lead to the others."""
    page = run_program(APART)
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("End")
    if size == "1024x768":
        page.get_by_role("button", name="Unfold inspector").click()
    page.get_by_role("list", name="Graph").get_by_role("button", name="x 3").first.evaluate("(it) => it.click()")
    seen = at_answer(page, "x.grad")
    assert seen["missed"] == []
    assert seen["arrows"]
    arrow = page.get_by_role("button", name="Out of view").first
    name = arrow.locator("bdi").inner_text()
    arrow.click()
    expect(page.get_by_role("button", name="Out of view").filter(has_text=name)).to_have_count(0)
    page.set_viewport_size({"width": 1200, "height": 700})
    until(page, "seen.missed.every(({ how }) => how !== 'nowhere')")


def test_going_to_the_error_shows_the_node_that_failed(run_program: Callable[[str], Page]) -> None:
    page = run_program(FAR)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Go to the error").click()
    seen = until(page, "seen.evidence.length > 0")
    assert (seen["misses"], seen["missed"]) == ([], [])
    assert seen["evidence"][0] == "h"


def test_a_name_that_is_clicked_comes_into_view(run_program: Callable[[str], Page]) -> None:
    """A click on any name that an answer lists brings it into view, also far from the present step."""
    page = run_program(FAR)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("End")
    until(page, "seen.evidence.length > 1")
    for name in page.locator(".involved button").all():
        name.click()
        until(page, "seen.selected === true")


def test_an_answer_stays_in_view_where_a_resize_lays_the_graph_out_anew(
    page: Page, server: Any, examples: list[dict[str, str]]
) -> None:
    source = next(one["source"] for one in examples if one["name"] == "17_mlp")
    open_at(page, server.address, "embed", "17_mlp", source)
    assert page.evaluate(FIRST_ANSWER)
    for size in ("390x844", "embed"):
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        until(page, "seen.evidence.length > 0 && seen.missed.length === 0")


def test_a_frame_shows_hits_and_offers_what_comes_next_beside_the_graph(
    page: Page, server: Any, examples: list[dict[str, str]]
) -> None:
    """What is offered at the end lies in the caption, and a hit is seen beside the search, with no card over it."""
    source = next(one["source"] for one in examples if one["name"] == "22_module_hooks")
    open_at(page, server.address, "embed", "22_module_hooks", source)
    page.keyboard.press("End")
    offer = page.get_by_role("group", name="What next").get_by_role("button").first
    canvas = page.locator(".view canvas").first.bounding_box()
    place = offer.bounding_box()
    assert canvas and place
    assert place["y"] > canvas["y"] + canvas["height"]
    page.get_by_role("button", name="Find on the stage").click()
    page.get_by_role("textbox", name="Find on the stage").fill("BackwardHook")
    page.get_by_role("list", name="Hits").get_by_role("button").first.click()
    until(page, "seen.selected === true")


FAR = """import torch

x = torch.tensor([1.0, 4.0], requires_grad=True)
h = torch.exp(x)
y = h
for i in range(14):
    y = y + i
z = y.sum()
h.add_(1)
z.backward()
"""
APART = """import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * 2
for i in range(14):
    y = y + i
z = y * x
z.backward()
"""
