"""Protects: the reader's own program runs, and the page shows each failure where it happened."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

Run = Callable[..., Page]

PROGRAM = """import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
print("y is", y.item())
y.backward()
print("grad", x.grad.item())
"""


def console(page: Page):  # type: ignore[no-untyped-def]
    return page.get_by_role("log", name="Console")


def end(page: Page) -> None:
    page.get_by_role("slider", name="Timeline").press("End")


def test_an_own_program_runs_and_prints(run_program: Run) -> None:
    page = run_program(PROGRAM)
    expect(page.get_by_role("button", name="Examples: Your program")).to_be_visible()
    expect(page.locator(".cm-value").first).to_have_text("3")
    end(page)
    expect(console(page)).to_contain_text("y is 9")
    expect(console(page)).to_contain_text("grad 6")


def test_typing_over_code_that_begins_with_a_keyword_is_plain_text(run_program: Run) -> None:
    """The browser would keep the keyword's look as an inline style, which the page's policy refuses with an error."""
    page = run_program("import torch\nprint(1)\n")
    editor = page.get_by_role("textbox", name="Program")
    editor.get_by_text("import").click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type("x = 2")
    expect(editor.locator(".cm-line").first).to_have_text("x = 2")
    page.keyboard.press("Control+z")
    expect(editor.locator(".cm-line").first).to_contain_text("import torch")


def test_an_edit_marks_the_run_as_stale_and_keeps_it(run_program: Run) -> None:
    page = run_program(PROGRAM)
    steps = page.get_by_role("slider", name="Timeline").get_attribute("aria-valuemax")
    page.get_by_role("textbox", name="Program").click()
    page.keyboard.insert_text("# ")
    expect(page.get_by_text("Edited since this run")).to_be_visible()
    expect(page.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuemax", steps or "")


def test_a_syntax_error_is_marked_at_its_line(run_program: Run) -> None:
    page = run_program("import torch\nx = = 3\n")
    end(page)
    expect(page.locator(".cm-mistake")).to_be_visible()
    expect(console(page)).to_contain_text("SyntaxError")
    expect(page.locator(".cm-line-error")).to_have_text("x = = 3")
    # Nothing holds memory, so nothing offers to say what does.
    expect(page.get_by_role("button", name="Who holds it?")).to_be_disabled()
    expect(page.get_by_role("region", name="Inspector")).not_to_contain_text("Who holds")


def test_an_error_at_run_time_names_its_line(run_program: Run) -> None:
    page = run_program(
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\ny.backward()\n"
    )
    end(page)
    expect(console(page)).to_contain_text("RuntimeError")
    expect(console(page)).to_contain_text("backward through the graph a second time")
    expect(page.locator(".cm-line-error")).to_have_text("y.backward()")


def test_a_program_without_a_graph_is_told_why(run_program: Run) -> None:
    page = run_program("import torch\n\nw = torch.tensor([1.0, 2.0])\nprint(w * 2)\n")
    expect(page.get_by_text("line 3 creates w without requires_grad=True")).to_be_visible()


def test_output_is_text_and_never_html(run_program: Run) -> None:
    page = run_program("print('<img src=x onerror=alert(1)><b>bold</b>')\n")
    end(page)
    expect(console(page)).to_contain_text("<b>bold</b>")
    assert page.locator("[role=log] img, [role=log] b").count() == 0


def test_an_error_that_is_longer_than_the_console_is_shown_from_its_name_on(run_program: Run) -> None:
    page = run_program("print('before')\nraise ValueError('\\n'.join(f'part {i}' for i in range(60)))\n")
    end(page)
    expect(console(page).locator("strong")).to_have_text("ValueError")
    expect(console(page).locator("strong")).to_be_in_viewport()
    # Output is shown to its end.
    run_program("print('\\n'.join(f'part {i}' for i in range(60)))\n")
    end(page)
    expect(console(page).locator("li")).to_contain_text("part 59")
    assert console(page).evaluate("(one) => one.scrollHeight - one.clientHeight - one.scrollTop") <= 1


def test_an_endless_program_can_be_stopped(run_program: Run) -> None:
    page = run_program(
        "import torch\nx = torch.tensor(1.0, requires_grad=True)\nwhile True:\n    x = x * 1.0\n", wait=False
    )
    expect(page.get_by_text("steps so far")).to_be_visible()
    page.get_by_role("banner").get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=20_000)
    # Wherever one looks then, the page says so.
    page.get_by_role("slider", name="Timeline").press("Home")
    page.get_by_role("button", name="Go to where it stopped").click()
    expect(page.get_by_text(re.compile(r"^Stopped after [\d,]+ steps"))).to_be_visible()
    expect(page.get_by_role("button", name="Go to where it stopped")).to_have_count(0)


def test_running_again_replaces_the_run(run_program: Run) -> None:
    run_program(PROGRAM)
    page = run_program(PROGRAM.replace("3.0", "5.0"))
    end(page)
    expect(console(page)).to_contain_text("grad 10")
    expect(console(page)).not_to_contain_text("grad 6")


def test_a_gradient_that_is_changed_in_place_is_shown_as_it_is_now(run_program: Run) -> None:
    page = run_program(
        "import torch\n\nw = torch.tensor([1.0, 2.0], requires_grad=True)\n(w * w).sum().backward()\n"
        "(w * w).sum().backward()\nw.grad.zero_()\nw.grad.add_(5)\nprint(w.grad)\n"
    )
    end(page)
    leaf = page.get_by_role("list", name="Graph").get_by_role("button", name=re.compile("^w ")).first
    expect(leaf).to_have_attribute("title", re.compile(re.escape(".grad [5, 5]")))
    expect(leaf).not_to_have_attribute("title", re.compile("contributions"))
    leaf.focus()
    page.keyboard.press("Enter")
    inspector = page.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text(re.compile(r"zero_ in place\s+to 0"))
    expect(inspector).to_contain_text(re.compile(r"add_ in place\s+to \[5, 5\]"))


NAMES = """import torch

constructor = torch.ones(2, requires_grad=True)

def toString(valueOf):
    return valueOf * 2

class __proto__(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hasOwnProperty):
        ctx.constructor = 3
        return hasOwnProperty * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2

class hasOwnProperty(torch.nn.Linear):
    pass

valueOf = hasOwnProperty(2, 1)
y = valueOf(__proto__.apply(toString(constructor))).sum()
y.backward()
print("done")
"""


def test_names_that_javascript_has_are_shown_like_any_other(run_program: Run) -> None:
    page = run_program(NAMES)
    end(page)
    expect(console(page)).to_contain_text("done")
    timeline = page.get_by_role("slider", name="Timeline")
    timeline.press("Home")
    for _ in range(int(timeline.get_attribute("aria-valuemax") or "0")):
        timeline.press("ArrowRight")
    graph = page.get_by_role("list", name="Graph")
    expect(graph.get_by_role("button", name=re.compile("constructor")).first).to_be_attached()
    things = graph.get_by_role("button")
    for thing in range(things.count()):
        things.nth(thing).dispatch_event("click")
    expect(graph.get_by_role("button", name=re.compile("__proto__")).first).to_be_attached()
    expect(console(page)).to_contain_text("done")


def test_an_error_of_many_frames_says_how_many_are_left_out(run_program: Run) -> None:
    page = run_program("def f(n):\n    if n:\n        return f(n - 1)\n    raise ValueError('deep')\nf(200)\n")
    expect(console(page)).to_contain_text("deep")
    expect(console(page)).not_to_contain_text("event stream")
    end(page)
    expect(page.get_by_text("152 frames between these are left out")).to_be_visible()
