"""Protects "Why?": for each common confusion a reader opens its example, asks, and sees cause, lines and nodes."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Chromium
from playwright.sync_api import Locator, Page, expect

TESTS = Path(__file__).parents[2]
ROWS: list[dict[str, Any]] = json.loads((TESTS / "confusions.json").read_text("utf-8"))

# What the answers have to say stands with the engine's own test of the same rows.
_spec = importlib.util.spec_from_file_location(
    "confusions", TESTS / "engine" / "diagnosis" / "why" / "test_confusions.py"
)
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
ANSWERS = _module.ANSWERS

QUESTIONS = {
    "error": r"^Why did the .*Error happen\?$",
    "grad_none": r"\.grad None\?$",
    "grad_zero": r"\.grad zero\?$",
    "grad_small": r"\.grad so small\?$",
    "grad_value": r"\.grad have this value\?$",
    "nonfinite": r"come from\?$",
    "memory": r"^Why does memory keep growing\?$",
    "hook_missed": r"^Why did the hook .* not run\?$",
    "recomputed": r"run twice\?$",
    "cycle": r"not freed\?$",
}


@pytest.fixture(scope="module")
def reader(chromium: Chromium, server: Any) -> Iterator[Page]:
    """One page for all rows."""
    context = chromium().new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type in ("error", "warning") else None)
    page.goto(f"{server.address}/?token={server.token}")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=30_000)
    yield page
    context.close()
    assert errors == []


def open_example(page: Page, title: str) -> None:
    page.get_by_role("button", name="Examples:").click()
    page.get_by_role("combobox", name="Filter examples").fill(title)
    page.get_by_role("option").filter(has_text=title).first.click()
    expect(page.get_by_role("button", name=f"Examples: {title}")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=30_000)
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")


def stands_for(page: Page, name: str) -> Locator:
    """The card of a leaf of this name, else the op that gives it."""
    graph = page.get_by_role("list", name="Graph")
    card = graph.get_by_role("button", name=re.compile(rf"^{re.escape(name)}(\s|$)(?!.*Backward)"))
    gives = graph.locator(f'button[title*="gives {name} "]')
    expect(card.or_(gives).first).to_be_attached()
    return card.or_(gives).first


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['row']}-{row['example']}")
def test_row(reader: Page, examples: list[dict[str, str]], row: dict[str, Any]) -> None:
    page = reader
    wanted = ANSWERS[row["example"]]
    title = next(example["title"] for example in examples if example["name"] == row["example"])
    open_example(page, title)
    if row["about"] is None:
        page.keyboard.press("Escape")
    else:
        stands_for(page, row["about"]).press("Enter")
    why = page.get_by_role("region", name="Why?")
    about = re.escape(row["about"] or "")
    question = re.compile(f"{about}.*{QUESTIONS[row['key']]}" if about else QUESTIONS[row["key"]])
    why.get_by_role("button", name=question).first.click()
    for word in wanted.cause:
        expect(why.get_by_role("status")).to_contain_text(word)
    expect(why).to_contain_text(wanted.fix)
    if wanted.wrong:
        expect(why.get_by_role("heading", name="Often advised, and wrong here")).to_be_visible()
        expect(why).to_contain_text(wanted.wrong)
    lines = why.get_by_role("list", name="Lines involved")
    for line in wanted.lines:
        expect(lines.get_by_role("button", name=re.compile(rf"^line {line}\b"))).to_be_visible()
    expect(page.locator(".cm-line-lit, .cm-line-blamed, .cm-line-error").first).to_be_attached()
    if wanted.nodes:
        expect(page.get_by_role("list", name="Graph").locator('button[title*="in the answer"]').first).to_be_attached()
    page.keyboard.press("Escape")
    expect(why.get_by_role("list", name="Lines involved")).to_have_count(0)


def test_an_answer_is_reached_by_keys_and_kept_in_the_link(reader: Page, examples: list[dict[str, str]]) -> None:
    page = reader
    open_example(page, next(example["title"] for example in examples if example["name"] == "31_grad_none"))
    stands_for(page, "h").press("Enter")
    why = page.get_by_role("region", name="Why?")
    expect(why.get_by_role("button", name="Why is h.grad None?")).to_be_visible()
    page.keyboard.press("?")
    expect(why.get_by_role("button", name="Why is h.grad None?")).to_be_focused()
    page.keyboard.press("Enter")
    expect(why.get_by_role("status")).to_contain_text("h is not a leaf")
    expect(page).to_have_url(re.compile("why=grad_none"))
    page.reload()
    expect(why.get_by_role("status")).to_contain_text("h is not a leaf", timeout=30_000)
    # The answer stays while one steps, and says where it was asked.
    page.keyboard.press("Home")
    expect(why).to_contain_text("Asked at step")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("why="))


def test_an_error_over_a_grad_that_is_none(run_program: Callable[[str], Page]) -> None:
    """An update of a parameter that no pass reached: whose .grad, why, and what is no help."""
    page = run_program(
        "import torch\n"
        "v = torch.ones(2, requires_grad=True)\n"
        "w = torch.ones(2, requires_grad=True)\n"
        "(v * 2).sum().backward()\n"
        "for p in [v, w]:\n"
        "    p.data -= 0.1 * p.grad\n"
    )
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    page.keyboard.press("Escape")
    why = page.get_by_role("region", name="Why?")
    why.get_by_role("button", name="Why did the TypeError happen?").click()
    expect(why.get_by_role("status")).to_contain_text("w.grad is None at line 6")
    expect(why.get_by_role("status")).to_contain_text("No op used w")
    expect(why).to_contain_text("if w.grad is not None")
    for line in (3, 4, 6):
        lines = why.get_by_role("list", name="Lines involved")
        expect(lines.get_by_role("button", name=re.compile(rf"^line {line}\b"))).to_be_visible()


def test_what_takes_part_twice_is_named_once(run_program: Callable[..., Page]) -> None:
    page = run_program("import torch\nx = torch.ones(2, 3, requires_grad=True)\ny = x @ x\n")
    page.keyboard.press("End")
    inspector = page.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text("Transpose a factor")
    expect(inspector.get_by_text("Involved:").locator("..").get_by_role("button")).to_have_text(["x"])
    expect(page.get_by_role("slider", name="Timeline")).not_to_have_attribute("aria-valuemax", "0")
