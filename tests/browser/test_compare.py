"""Protects: a reader keeps a run, edits the program, and sees where the runs part, by how much, and what both do."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

BEFORE = """import torch

x = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, -1.0], requires_grad=True)
h = torch.tanh(w * x)
loss = h.sum()
loss.backward()
print(w.grad)
"""
AFTER = BEFORE.replace("import torch\n", "import torch  # edited\n\n# scaled\n").replace("w * x", "w * x * 2")
DETACHED = BEFORE.replace("w * x", "w.detach() * x").replace("loss.backward()", "")


def room(page: Page) -> Locator:
    return page.get_by_role("region", name="Compare with another run")


def rows(page: Page) -> Locator:
    return room(page).locator("tbody tr")


def choose_baseline(page: Page, name: str, content: bytes) -> None:
    with page.expect_file_chooser() as chooser:
        room(page).get_by_role("button", name="Open a trace as the baseline").click()
    chooser.value.set_files({"name": name, "mimeType": "application/gzip", "buffer": content})


def test_the_first_difference_after_an_edit_and_both_runs_stepped_together(run_program: Callable[[str], Page]) -> None:
    page = run_program(BEFORE)
    page.get_by_role("button", name="Compare with another run").click()
    room(page).get_by_role("button", name="Keep this run as the baseline").click()
    expect(room(page)).to_contain_text("This run is the baseline")
    run_program(AFTER)
    # An op more, which the page has gone to.
    expect(rows(page).first).to_have_attribute("aria-current", "true")
    expect(rows(page).first).to_contain_text("only in this run")
    expect(rows(page).first).to_contain_text("mul")
    same_step = page.get_by_test_id("same-step")
    expect(same_step).to_contain_text("Baseline has no such step")
    expect(room(page).get_by_role("status")).to_contain_text(re.compile(r".grad differs: w.grad \(0\.\d+\)"))
    graph = page.get_by_role("list", name="Graph")
    marked = graph.locator("[title*='differs: ']")
    expect(graph.locator("[title*='differs: new']")).to_have_count(1)
    # The next ones, by key; the numbers of both and by how much.
    room(page).get_by_role("button", name="Next difference").press("Enter")
    expect(rows(page).nth(1)).to_have_attribute("aria-current", "true")
    expect(rows(page).nth(1)).to_contain_text("value")
    expect(rows(page).nth(1)).to_contain_text("7")
    expect(same_step).to_contain_text("Baseline, same step")
    expect(page.get_by_test_id("caption")).to_contain_text("tanh")
    expect(same_step.locator("dd").first).to_contain_text("tanh")
    expect(same_step.locator("dd").last).to_contain_text("tanh")
    # Both go along when one steps.
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    told = page.get_by_test_id("caption").inner_text()
    expect(same_step.locator("dd").first).to_have_text(told.splitlines()[-1])
    room(page).get_by_label("Show").select_option(label="print (1)")
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text("tensor(")
    # The same program again differs in nothing, and a phone has the same table.
    run_program(BEFORE)
    expect(room(page).get_by_role("status")).to_contain_text("No difference in")
    expect(marked).to_have_count(0)
    run_program(DETACHED)
    expect(rows(page).first).to_contain_text("detach")
    expect(rows(page).filter(has_text="grad_fn").first).to_contain_text(re.compile("MulBackward0.*none"))
    page.set_viewport_size({"width": 390, "height": 844})
    expect(rows(page).first).to_contain_text("detach")
    rows(page).last.get_by_role("button").click()
    expect(rows(page).last).to_have_attribute("aria-current", "true")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    room(page).get_by_role("button", name="Forget the baseline").click()
    expect(rows(page)).to_have_count(0)


def test_a_trace_file_is_a_baseline_and_what_is_none_is_refused(run_program: Callable[[str], Page]) -> None:
    page = run_program(BEFORE)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("c")
    choose_baseline(page, "no.backscope", b"print(1)")
    expect(room(page).get_by_role("alert")).to_contain_text("no.backscope:")
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Trace (.backscope)").click()
    kept = saved.value.path().read_bytes()
    page.keyboard.press("Escape")
    run_program(AFTER)
    choose_baseline(page, "kept.backscope", kept)
    expect(room(page)).to_contain_text("Baseline: kept.backscope")
    expect(rows(page).first).to_contain_text("only in this run")


def test_what_differs_beside_a_nan_is_written_out(run_program: Callable[[str], Page]) -> None:
    before = "import torch\nw = torch.tensor([1.5, float('nan')], requires_grad=True)\ny = w * 2\ny.sum().backward()\n"
    page = run_program(before)
    page.get_by_role("button", name="Compare with another run").click()
    room(page).get_by_role("button", name="Keep this run as the baseline").click()
    run_program(before.replace("1.5", "2.5"))
    expect(rows(page).first).to_contain_text("[1.5, NaN]")
    expect(rows(page).first).to_contain_text("[2.5, NaN]")
    expect(room(page).get_by_role("status")).to_contain_text("Every .grad is the same.")
    # Where the two have no .grad in common, nothing is said of it.
    run_program("import torch\nprint(torch.eye(2))\n")
    expect(rows(page).first).to_be_visible()
    expect(room(page).get_by_role("status")).not_to_contain_text(".grad")


LOOP = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x
for i in range(100):
    y = y * 1.01
y.sum().backward()
"""
STAND_STILL = """() => {
  const later = setTimeout.bind(window);
  const now = performance.now.bind(performance);
  let calls = 0;
  window.held = [];
  window.setTimeout = (run, ms, ...rest) => (ms === undefined ? window.held.push(run) : later(run, ms, ...rest));
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (message) { window.held.push(() => post.call(this, message)); };
  // A slice of work is over as soon as it looks at the clock.
  performance.now = () => now() + 400 * calls++;
  window.goOn = () => {
    window.setTimeout = later;
    MessagePort.prototype.postMessage = post;
    performance.now = now;
    for (const run of window.held.splice(0)) run();
  };
}"""


def test_a_long_comparison_says_how_far_it_is_and_is_called_off(run_program: Callable[[str], Page]) -> None:
    page = run_program(LOOP)
    opened = page.get_by_role("button", name="Compare with another run")
    opened.click()
    room(page).get_by_role("button", name="Keep this run as the baseline").click()
    opened.click()
    expect(room(page)).to_have_count(0)
    run_program(LOOP.replace("1.01", "1.02"))
    page.evaluate(STAND_STILL)
    opened.click()
    expect(room(page).get_by_role("progressbar", name="Progress")).to_be_visible()
    expect(room(page)).to_contain_text("Comparing the runs.")
    room(page).get_by_role("button", name="Cancel").click()
    expect(room(page)).to_contain_text("The comparison was called off.")
    page.evaluate("() => window.goOn()")
    room(page).get_by_role("button", name="Compare the runs").click()
    expect(rows(page).first).to_have_attribute("aria-current", "true")


def test_after_an_edit_the_run_before_is_the_baseline(run_program: Callable[[str], Page]) -> None:
    """Protects: after an edit the page says where the run differs first, and shows it; not of another program."""
    page = run_program(BEFORE)
    stage = page.get_by_role("region", name="Stage")
    run_program(BEFORE.replace("-1.0", "-1.5"))
    first = stage.get_by_text("Differs first at line 4: w, [0.5, −1] → [0.5, −1.5].")
    expect(first).to_be_visible()
    # By keyboard, as it is a button; both runs are shown there.
    stage.get_by_role("button", name="Show", exact=True).press("Enter")
    expect(rows(page).first).to_have_attribute("aria-current", "true")
    expect(page.get_by_test_id("same-step").locator("dd").last).to_contain_text("[0.5, −1]")
    expect(page.get_by_test_id("caption")).to_contain_text("w = [0.5, −1.5]")
    expect(room(page)).to_contain_text("Baseline: the run before the edit")
    expect(first).to_have_count(0)
    page.get_by_role("button", name="Compare with another run").click()
    expect(first).to_be_visible()
    # Text that changes nothing.
    run_program(BEFORE.replace("-1.0", "-1.5") + "\n# done\n")
    expect(stage.get_by_text("The same as before the edit: no step differs.")).to_be_visible()
    stage.get_by_role("button", name="Close this message").click()
    expect(stage.get_by_text("The same as before the edit")).to_have_count(0)
    # A program that has nothing in common has no run before an edit.
    run_program("print('another')\n")
    expect(stage.get_by_text("program makes no tensors")).to_be_visible()
    expect(stage.get_by_text(re.compile("Differs first|The same as"))).to_have_count(0)


_HEADINGS = """() => ['Inspector', 'Debugger'].map((name) => {
  const { top, bottom } = document.querySelector(`section[aria-label="${name}"] h2`).getBoundingClientRect();
  return [top, bottom];
})"""


def test_inspector_and_debugger_share_what_the_comparison_leaves(run_program: Callable[[str], Page]) -> None:
    page = run_program(BEFORE)
    page.set_viewport_size({"width": 1280, "height": 640})
    page.get_by_role("button", name="Unfold debugger").click()
    page.get_by_role("button", name="Compare with another run").click()
    room(page).get_by_role("button", name="Keep this run as the baseline").click()
    run_program(AFTER)
    expect(rows(page).first).to_be_visible()
    inspector, debugger = page.evaluate(_HEADINGS)
    assert inspector[1] <= debugger[0]
    assert debugger[1] <= page.locator(".timeline").evaluate("(timeline) => timeline.getBoundingClientRect().top")
