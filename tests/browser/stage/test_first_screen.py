"""Protects the first ten seconds: an example that has run, paused before backward(), and one button that plays it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

from held_files import HeldFiles
from playwright.sync_api import Browser, Page, Response, expect

Open = Callable[[str], Page]
GOLDEN = Path(__file__).parents[2] / "golden" / "programs"
CODE = re.compile(r"/assets/.*\.(js|css)$")


def test_it_opens_paused_before_the_backward_pass(open_page: Open) -> None:
    page = open_page("")
    slider = page.get_by_role("slider", name="Timeline")
    now, last = (int(slider.get_attribute(f"aria-value{name}") or 0) for name in ("now", "max"))
    assert 0 < now < last
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("backward()")
    expect(page.get_by_test_id("caption")).not_to_be_empty()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.get_by_role("list", name="Graph").get_by_role("button").count() >= 3


def test_one_click_plays_the_backward_pass(open_page: Open) -> None:
    page = open_page("")
    page.get_by_label("Speed").select_option("Fast")
    page.get_by_role("button", name="Play the backward pass").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=30_000)
    caption = page.get_by_test_id("caption")
    expect(caption).not_to_be_empty()
    expect(page.get_by_role("button", name="Play the backward pass")).to_have_count(0)


def test_the_end_of_the_pass_offers_what_to_do_next(open_page: Open) -> None:
    page = open_page("")
    page.get_by_label("Speed").select_option("fast")
    page.get_by_role("button", name="Play the backward pass").click()
    offers = page.get_by_role("group", name="What next")
    offers.get_by_role("button", name="Why is w.grad 3?").click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("multiplies the incoming 1 by the saved x = 3")
    # The number of the line that made it is there to be changed; the run follows, at the same step.
    offers.get_by_role("button", name="Change a number and run again").click()
    expect(page.locator(".cm-number-hint")).to_be_visible()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".cm-line").filter(has_text="w = torch.tensor(2.1")).to_be_visible()
    expect(page.locator(".cm-value").nth(1)).to_have_text("2.1")
    expect(page.get_by_test_id("caption")).to_contain_text("The backward pass is done")
    # At the end of the run, too.
    page.get_by_role("slider", name="Timeline").press("End")
    offers.get_by_role("button", name="First lesson: What the forward pass leaves behind").click()
    expect(page.get_by_role("heading", name="What the forward pass leaves behind", exact=True)).to_be_visible()


def test_a_run_says_what_it_noticed_and_leads_there(open_page: Open) -> None:
    page = open_page("#example=42_optimizer_step")
    program = page.get_by_role("textbox", name="Program")
    expect(program).to_contain_text("zero_grad()")
    expect(page.get_by_role("group", name="Noticed in this run")).to_have_count(0)
    source = (GOLDEN / "mistakes.py").read_text("utf-8")
    program.press("Control+a")
    page.keyboard.insert_text(source)
    program.press("Control+Enter")
    expect(page.get_by_text("Edited since this run")).to_have_count(0)
    timeline = page.get_by_role("slider", name="Timeline")
    expect(timeline).to_have_attribute("aria-valuemax", "40")
    timeline.press("End")
    notes = page.get_by_role("group", name="Noticed in this run")
    first = "The gradients of net.last were not cleared between SGD steps 1 and 2: they add up."
    expect(notes.get_by_role("listitem")).to_have_count(1)
    expect(notes).to_contain_text(first)
    expect(page.get_by_test_id("spoken-notes")).to_contain_text(first)
    notes.get_by_role("button", name="2 more").press("Enter")
    expect(notes.get_by_role("listitem")).to_have_count(3)
    expect(notes).to_contain_text("No backward pass reached net.first: detach() at line 15 cuts the way back.")
    # To the step where the second pass adds to what the first step used.
    notes.get_by_role("button", name="Show me").first.press("Enter")
    expect(page.get_by_test_id("caption")).to_contain_text("backward() accumulates")
    expect(notes).to_have_count(0)
    stage = page.get_by_role("region", name="Stage")
    expect(stage.locator(".situation")).to_contain_text(first)
    timeline.press("ArrowLeft")
    expect(stage.locator(".situation")).not_to_contain_text(first)
    timeline.press("ArrowRight")
    stage.get_by_role("button", name="Close this note").click()
    expect(stage.locator(".situation")).not_to_contain_text(first)


def test_a_step_stays_until_its_sentence_is_read(open_page: Open, browser: Browser, server) -> None:  # type: ignore[no-untyped-def]
    # A clock that a test holds stays with its context: this one is the test's own.
    context = browser.new_context(storage_state=open_page("").context.storage_state())
    page = context.new_page()
    page.goto(server.address)
    speed = page.get_by_label("Speed")
    expect(speed).to_have_value("reading")
    assert speed.locator("option").all_inner_texts() == ["Reading", "1×", "Fast"]
    slider = page.get_by_role("slider", name="Timeline")
    page.evaluate("localStorage.setItem('backscope.speed', 'fast')")
    page.reload()
    expect(speed).to_have_value("fast")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    page.keyboard.press("<")
    page.keyboard.press("<")
    expect(speed).to_have_value("reading")
    # The test moves the page's clock, so the speed of the machine does not matter.
    page.clock.install(time=0)
    page.clock.pause_at(60_000)
    page.get_by_role("button", name="Play the backward pass").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    first = int(slider.get_attribute("aria-valuenow") or 0)
    for step in range(first, first + 3):
        expect(slider).to_have_attribute("aria-valuenow", str(step))
        caption = page.get_by_test_id("caption").inner_text()
        assert caption
        page.clock.run_for(350 + 45 * len(caption) - 40)
        expect(slider).to_have_attribute("aria-valuenow", str(step))
        page.clock.run_for(40)
    context.close()


def test_it_needs_little_before_the_first_run(page: Page, server) -> None:  # type: ignore[no-untyped-def]
    """At most 285 kB over the wire as the browser would fetch it gzipped, fonts included.

    Everything that index.html does not name is held back: with what is named, a program can be written and Run pressed.
    """
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto("about:blank")  # In the process of another site, which has nothing of the page in its memory.
    held = HeldFiles(page, server, "/", CODE)
    page.goto(server.address, wait_until="commit")
    program = page.get_by_role("textbox", name="Program")
    expect(program).to_contain_text("backward()")
    timeline = page.get_by_role("slider", name="Timeline")
    page.evaluate("document.fonts.ready.then(() => null)")
    expect(timeline).not_to_have_attribute("aria-valuemax", "0")
    program.press("Control+End")
    program.press("Enter")
    page.keyboard.insert_text("# mine")
    expect(page.get_by_text("Edited since this run")).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Edited since this run")).to_have_count(0)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    assert held.routes
    sizes: dict[str, int] = {}
    for answer in answers:
        if "/api/" not in answer.url and answer.ok:
            body = answer.body()
            sizes[answer.url] = len(body if answer.url.endswith("woff2") else gzip.compress(body))
    assert {address.rpartition(".")[2] for address in sizes} >= {"js", "css", "woff2"}
    assert sum(sizes.values()) < 285_000, sizes
    keyword = program.locator(".cm-line > span").get_by_text("import", exact=True)
    expect(keyword).to_have_count(0)
    held.release()
    # The grammar comes to the text as it is by then.
    expect(keyword).to_have_css("font-weight", "650")
    expect(program).to_contain_text("# mine")
    expect(page.get_by_role("list", name="Graph").get_by_role("button").first).to_be_visible()
