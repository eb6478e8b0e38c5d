"""Protects: in every lesson the page shows the answer of a question nowhere until the reader has answered it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Chromium
from page_server import Server
from playwright.sync_api import Page, expect
from shown_lesson import said

from backscope_server.lessons import lesson_file

NAMES = [path.stem for path in lesson_file.paths()]

COINCIDENCES = {
    ("06_accumulation", "before w.grad is cleared", "w.grad"): "the loss is divided by 2",
    ("06_accumulation", "at the end", "w.grad"): "the weight is 1",
    ("08_saved_tensors", "at the end", "x.grad"): "y is -2",
    ("09_in_place", "after line 5", "b._version"): "an element of x is 1",
    ("10_cuts", "after a pass", "x.grad"): "x is multiplied by 3",
    ("10_cuts", "after a pass", "w.grad"): "h is 4",
    ("14_hooks", "at the end", "x.grad"): "x is 3",
    ("15_memory", "at the end", "calls"): "x is 2",
    ("16_transformer", "after a pass", "value.grad"): "the weights are 0.5",
    ("17_training", "after loss is set", "loss"): "the weight is 1",
    ("17_training", "after a pass #1", "model.weight.item()"): "the loss is 1",
}
"""Questions whose answer other things on the stage have too, by lesson, moment and expression."""

UNCHANGED = {("08_saved_tensors", "at the error", "x.grad"), ("11_inputs", "at the end", "slope")}
"""Questions whose answer is what was there before, which the page shows."""

DRAWN = """() => {
  const write = CanvasRenderingContext2D.prototype.fillText;
  globalThis.drawn = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    globalThis.drawn.push(String(text));
    return write.call(this, text, ...rest);
  };
}"""
"""Keeps what is written on canvases."""

TEXTS = """() => {
  const found = new Set(globalThis.drawn);
  const named = ['aria-label', 'aria-valuetext', 'aria-description', 'title', 'alt', 'placeholder', 'value'];
  const isProgram = (element) => element.closest('.cm-line') && !element.closest('.cm-value, .cm-version');
  for (const element of document.body.querySelectorAll('*')) {
    // The number of each line, and what the author of the lesson wrote.
    if (element.closest('script, style, .cm-gutters, [aria-label="Learn"]')) continue;
    for (const name of named) if (element.hasAttribute(name)) found.add(element.getAttribute(name));
    if (isProgram(element)) continue;
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    if (own.some(({ data }) => data.trim() !== '')) found.add(element.textContent.trim());
  }
  return [...found];
}"""
"""Returns the texts that the page shows or gives to screen readers, without the program and the lesson's own text."""

NO_VALUES = re.compile(r"\b\d+ of \d+|\b\d+ B\b|^[\d.]+×$|\(\w\)$")
"""Numbers of steps, bytes, speeds and keys."""

RESTS = """async () => {
  const one = (selector) => document.querySelector(selector);
  let before = '';
  for (;;) {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await new Promise((idle) => setTimeout(idle, 60));
    const { ariaValueText, ariaBusy } = one('[role=slider]') ?? {};
    const plays = one('[aria-label^=Pause]') !== null;
    const now = [ariaValueText, ariaBusy, plays, one(':is(ul, ol)[aria-label=Graph]')?.textContent].join();
    if (now === before) return;
    before = now;
  }
}"""
"""Resolves once the page shows the same twice."""


def written(value: dict[str, Any]) -> list[str]:
    """Return how the page would write an answer."""
    kind = value["kind"]
    if kind == "none":
        return ["None"]
    if kind == "bool":
        return [str(value["bool"])]
    if kind == "text":
        return [value["text"]]

    def number(one: Any) -> str:
        return one if isinstance(one, str) else f"{one:.4g}".replace("-", "−")

    if kind == "number":
        return [number(value["number"])]
    elements = value["numbers" if kind == "numbers" else "elements"]
    if kind == "tensor" and len(value["shape"]) != 1:
        return []
    return ["[" + ", ".join(number(one) for one in elements) + "]"]


@pytest.fixture(scope="module")
def student(chromium: Chromium, server: Server) -> Iterator[Page]:
    """A page whose canvases are read, without motion."""
    context = chromium().new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.add_cookies(Server.cookies)
    context.add_init_script(f"({DRAWN})()")
    yield context.new_page()
    context.close()


def questions(server: Server, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the page and the block of each question of a lesson."""
    number = 0
    for block in json.loads(server.get(f"/api/lessons/{name}"))["blocks"]:
        number += block["kind"] in ("text", "step", "predict", "change")
        if block["kind"] == "predict":
            yield number, block


def seen(page: Page) -> list[str]:
    """Return the texts of the page once it rests, with all of its canvases drawn anew."""
    page.evaluate(RESTS)
    page.evaluate("() => { globalThis.drawn = [] }")
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({**size, "height": 1801 - size["height"]})
    page.wait_for_function("() => globalThis.drawn.length > 0")
    page.evaluate(RESTS)
    found: list[str] = page.evaluate(TEXTS)
    return found


def told(text: str, answer: str, question: dict[str, Any], coincides: bool) -> bool:
    """Return whether a text of the page has the answer; `coincides`: whether it says it of what is asked."""
    token = rf"(?<![\w.\]]){re.escape(answer)}(?![\w.])"
    if not coincides:
        return re.search(token, NO_VALUES.sub("", text)) is not None
    asked = question["ask"]
    whole = rf"(?<![\w.]){re.escape(asked)}\W+(?:was |is |becomes |gives )?{token}"
    card = rf"\.grad {token}" if asked.endswith(".grad") else whole
    return re.search(f"{whole}|{card}", text) is not None


@pytest.mark.parametrize(
    ("text", "leaks", "coincides"),
    [
        ("x.grad was 3; adding 4 gives 7", True, False),
        ("leaf; requires grad; .grad 7", True, True),
        ("x.grad = 7", True, True),
        ("7", True, False),
        ("Step 7 of 10: MulBackward0", False, False),
        ("saves 7 B", False, False),
        ("x.grad = 17", False, False),
        ("gradient 7", False, True),
    ],
)
def test_what_has_an_answer(text: str, leaks: bool, coincides: bool) -> None:
    assert told(text, "7", {"ask": "x.grad"}, coincides) is leaks


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_stands_in_the_page_while_its_question_is_open(student: Page, server: Server, name: str) -> None:
    """In its seen texts, in those of canvases or for screen readers; the sentence of a step comes with the answer."""
    page = student
    page.goto("about:blank")
    page.goto(f"{server.address}/#lesson={name}")
    expect(said(page)).to_contain_text("Page 1 of")
    found = []
    for number, block in questions(server, name):
        page.evaluate(f"location.hash = 'lesson={name}&page={number}'")
        expect(said(page)).to_contain_text(f"Page {number} of")
        expect(page.get_by_role("slider", name="Timeline")).not_to_have_attribute("aria-valuemax", "0")
        texts = seen(page)
        where = f"line {block['line']}"
        question = block["question"]
        answers = written(question["answer"]) if question["form"] == "value" else []
        key = (name, block["at"]["text"], str(question["ask"]))
        # A .grad that is None looks the same before it is asked for and after.
        for answer in set() if key in UNCHANGED else set(answers) - {"None"}:
            coincides = key in COINCIDENCES
            found += [f"{where}, {answer}: {text}" for text in texts if told(text, answer, question, coincides)]
        page.evaluate("document.activeElement?.blur()")
        page.keyboard.press("PageDown")
        expect(said(page)).to_contain_text("The answer.")
        page.evaluate(RESTS)
        sentence = page.get_by_test_id("caption").inner_text()
        found += [f"{where}, the sentence: {text}" for text in texts if sentence and sentence in text]
    assert found == []
