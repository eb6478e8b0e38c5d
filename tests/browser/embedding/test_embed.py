"""Protects runs in pages of other people: the README's own sample, the frame that plays first, and who may show it."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from framed_page import SHARE, copy_both, script, weigh, write_page
from held_files import HeldFiles
from page_server import Server
from playwright.sync_api import Page, Route, expect

from backscope.program import runner
from backscope.protocol.trace import write

README = Path(__file__).parents[3] / "web" / "README.md"


def sample(server: str) -> tuple[str, str]:
    """Return the sample of web/README.md as the body of a page, and the program that is in it."""
    (text,) = re.findall(r"```html\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (source,) = re.findall(r"<pre>\n(.*?)</pre>", text, re.DOTALL)
    body = text.replace("https://backscope.example.org", server)
    return f"{body}<p>More text.</p>", html.unescape(source)


def record(folder: Path, source: str, name: str = "run.backscope") -> None:
    """Write a recording of a program beside the pages of the author."""
    lines: list[bytes] = []
    runner.run(source, lambda batch: lines.extend(batch.splitlines()))
    write(folder / name, lines)


@pytest.fixture
def sampled(guest_with: Callable[..., Server], author: tuple[str, Path]) -> tuple[Server, str]:
    """A server that the author's pages may show, and the body of the sample, with its recording in their folder."""
    origin, folder = author
    server = guest_with(embed_from=origin)
    text, source = sample(server.address)
    record(folder, source)
    return server, text


def test_the_sample_plays_its_recording_and_runs_live_on_a_click(
    page: Page, sampled: tuple[Server, str], author: tuple[str, Path], expected_console: list[str]
) -> None:
    expected_console += ["frame-ancestors", "Failed to load resource"]
    origin, folder = author
    server, text = sampled
    write_page(folder, text)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    page.on("websocket", lambda socket: asked.append(f"WS {socket.url}"))
    page.goto(f"{origin}/index.html")

    frame = page.frame_locator("backscope-run iframe")
    slider = frame.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("aria-valuenow", "7")
    expect(frame.get_by_role("list", name="Graph").get_by_role("button").first).to_be_visible()
    expect(frame.get_by_text("Recording", exact=True)).to_be_visible()
    # As high as it needs, and the text that stood there is gone.
    expect(page.locator("backscope-run pre")).to_be_hidden()
    box = page.locator("backscope-run iframe").bounding_box()
    assert box is not None and box["height"] > 400
    inner = frame.locator("body").evaluate("() => [document.documentElement.scrollHeight, innerHeight]")
    assert inner[0] <= inner[1]
    # A step forward is a click; the page around names another one, or another theme, at any time.
    frame.get_by_role("button", name="Step forward").click()
    expect(slider).to_have_attribute("aria-valuenow", "8")
    page.evaluate("document.querySelector('backscope-run').setAttribute('step', '3')")
    expect(slider).to_have_attribute("aria-valuenow", "3")
    page.evaluate("document.querySelector('backscope-run').setAttribute('theme', 'dark')")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    # Nothing ran so far.
    assert not [one for one in asked if one.startswith("WS") or "/api/sessions" in one]
    # The wheel scrolls the page that the frame is in.
    page.evaluate("document.body.style.paddingBottom = '3000px'")
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + 150)
    page.mouse.wheel(0, 200)
    page.wait_for_function("scrollY > 0")

    frame.get_by_role("button", name="Run live").click()
    expect(frame.get_by_text("Live", exact=True)).to_be_visible()
    expect(frame.get_by_role("button", name="Run live")).to_be_visible()
    assert [one for one in asked if one.startswith("WS")]
    slider.focus()
    page.keyboard.press("End")
    frame.get_by_role("button", name="Console").click()
    expect(frame.get_by_text("tensor(7.)", exact=True)).to_be_visible()
    # The whole page, in a tab of its own, has the program; it asks before it runs what a link brings, or knows it ran.
    link = frame.get_by_role("link", name="Open in Backscope").get_attribute("href") or ""
    assert link.startswith("/#code=")

    # Without a recording the program is shown, and does not run by itself.
    program = "<backscope-run>import torch\nprint('&lt;/script> ran')</backscope-run>"
    whole = f'<iframe id="whole" src="{server.address}/"></iframe>'
    write_page(folder, script(server.address) + program + whole, "plain.html")
    asked.clear()
    page.goto(f"{origin}/plain.html")
    frame = page.frame_locator("backscope-run iframe")
    expect(frame.get_by_text("No recording came with this program.")).to_be_visible()
    code = frame.get_by_role("textbox", name="Program")
    expect(code).to_contain_text("print('</script> ran')")
    assert not [one for one in asked if one.startswith("WS")]
    # Only this view may be shown by other pages: the page itself may not.
    expect(page.frame_locator("#whole").get_by_text("No page may show this address")).to_be_visible()
    expect(page.frame_locator("#whole").get_by_role("textbox")).to_have_count(0)
    frame.get_by_role("button", name="Run live").click()
    frame.get_by_role("button", name="Console").click()
    expect(frame.get_by_text("</script> ran", exact=True)).to_be_visible()


def test_where_it_may_not_be_shown_what_stands_inside_is(
    page: Page, server: Server, author: tuple[str, Path], expected_console: list[str]
) -> None:
    expected_console += ["frame-ancestors", "Failed to load resource", "ERR_BLOCKED"]
    origin, folder = author
    text, _source = sample(server.address)
    # Its script comes from a server that lets nobody, or is blocked: nothing is lost.
    write_page(folder, text)
    page.goto(f"{origin}/index.html")
    expect(page.locator("backscope-run pre")).to_be_visible()
    expect(page.get_by_text("x.grad")).to_be_visible()
    # With a script from elsewhere, a trace that is not there is said.
    element = (Path(__file__).parents[3] / "web" / "public" / "backscope-run.js").read_text(encoding="utf-8")
    (folder / "backscope-run.js").write_text(element, encoding="utf-8")
    write_page(folder, text.replace(server.address, ""), "own.html")
    page.goto(f"{origin}/own.html")
    expect(page.get_by_text("run.backscope answers 404")).to_be_visible()
    expect(page.locator("backscope-run pre")).to_be_visible()


def test_an_origin_that_is_not_allowed_is_told_in_the_place_of_the_frame(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], expected_console: list[str]
) -> None:
    expected_console += ["frame-ancestors", "Framing", "Failed to load resource", "ERR_BLOCKED"]
    origin, folder = author
    address = guest_with(embed_from="https://elsewhere.example").address
    run = '<backscope-run example="01_first_backward"><pre>import torch</pre></backscope-run>'
    write_page(folder, script(address) + run)
    page.goto(f"{origin}/index.html")
    expect(page.get_by_text(f"does not let {origin} show it in a frame")).to_be_visible()
    expect(page.locator("backscope-run pre")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    elsewhere = page.get_by_role("link", name="Open in Backscope")
    expect(elsewhere).to_have_attribute("href", f"{address}/#example=01_first_backward")
    title = page.locator("backscope-run iframe").get_attribute("title")
    assert title == "Backscope: first backward, step by step"


def test_a_lesson_is_taken_in_a_frame(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], expected_console: list[str]
) -> None:
    expected_console.append("Failed to load resource")
    origin, folder = author
    address = guest_with(embed_from=origin).address
    run = '<backscope-run lesson="01_graph"><p>A lesson about the graph.</p></backscope-run>'
    write_page(folder, script(address) + run)
    page.goto(f"{origin}/index.html")
    frame = page.frame_locator("backscope-run iframe")
    lesson = frame.get_by_role("region", name="Learn")
    expect(lesson.get_by_role("heading", name="What the forward pass leaves behind").first).to_be_visible()
    expect(page.locator("backscope-run iframe")).to_have_attribute("title", "Backscope: a lesson, graph")
    expect(page.get_by_text("A lesson about the graph.")).to_be_hidden()
    lesson.get_by_role("button", name="Begin").click()
    expect(lesson.get_by_role("img", name="Page 2 of ")).to_be_visible()
    link = frame.get_by_role("link", name="Open in Backscope")
    expect(link).to_have_attribute("href", "/#lesson=01_graph&page=2")
    # Graph and caption have 60 % of the height, and the code is on a tab.
    assert frame.locator("body").evaluate(SHARE) == 60
    expect(frame.get_by_role("textbox", name="Program")).to_have_count(0)
    frame.get_by_role("button", name="Code", exact=True).click()
    expect(frame.get_by_role("textbox", name="Program")).to_contain_text("torch")
    assert frame.locator("body").evaluate(SHARE) == 60
    # The page around names another page of the lesson, or another lesson.
    frame.get_by_role("button", name="Lesson", exact=True).click()
    page.evaluate("document.querySelector('backscope-run').setAttribute('page', '4')")
    expect(lesson.get_by_role("img", name="Page 4 of ")).to_be_visible()
    lesson.get_by_role("radio", name="MulBackward0").check()
    lesson.get_by_role("button", name="Check").click()
    expect(lesson.get_by_text("Right.", exact=True)).to_be_visible()
    page.evaluate("document.querySelector('backscope-run').setAttribute('lesson', '02_nothing')")
    expect(frame.get_by_role("alert")).to_contain_text("There is no lesson “02_nothing” on this server.")
    page.evaluate("document.querySelector('backscope-run').removeAttribute('lesson')")
    expect(frame.get_by_text("No recording came with this program.")).to_be_visible()


def test_the_first_picture_takes_little(page: Page, sampled: tuple[Server, str], author: tuple[str, Path]) -> None:
    """At most 100 kB are fetched before graph and caption are seen; the player's own files are held back until then."""
    origin, folder = author
    server, text = sampled
    write_page(folder, text)
    held = HeldFiles(page, server, "/embed")
    page.goto(f"{origin}/index.html")
    first = page.frame_locator("backscope-run iframe").locator(".first-picture[data-drawn]")
    expect(first.locator("canvas")).to_be_visible()
    expect(first.locator("p")).to_contain_text("MulBackward0 receives 1 and sends 3 to x.")
    fetched = weigh(page, server)
    assert {path for path, _ in fetched} >= {"/embed", *held.named}, fetched
    assert sum(nbytes for _, nbytes in fetched) < 100_000, fetched
    held.release()
    # The player takes the picture's place.
    frame = page.frame_locator("backscope-run iframe")
    expect(frame.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "7")
    expect(frame.locator(".first-picture")).to_have_count(0)


HEIGHTS = """<script>
heights = []; addEventListener("message", ({ data }) => heights.push(data.height));
</script>"""
"""Keeps the heights that a frame reports to its page."""


def test_the_player_keeps_the_height_of_the_first_picture(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path]
) -> None:
    """The layout of the graph does not follow from the height of a frame, which follows from the graph."""
    origin, folder = author
    address = guest_with(embed_from=origin).address
    for width, example in ((600, "01_first_backward"), (760, "09_second_backward"), (1000, "20_no_grad")):
        run = f'<backscope-run example="{example}"></backscope-run>'
        body = f'{HEIGHTS}{script(address)}<div style="width: {width}px">{run}</div>'
        write_page(folder, body)
        page.goto(f"{origin}/index.html")
        # Before there is a graph, of the picture, and of the player.
        page.wait_for_function("() => heights.length >= 3")
        _, picture, player = page.evaluate("heights.slice(0, 3)")
        assert player == picture, (width, example)
        expect(page.frame_locator("backscope-run iframe").locator(".first-picture")).to_have_count(0)
        assert set(page.evaluate("heights.slice(1)")) == {picture}, (width, example)


def test_fifty_on_one_page_fetch_the_player_once(
    page: Page, sampled: tuple[Server, str], author: tuple[str, Path]
) -> None:
    """Fifty frames fetch at most 1.5 MB in all, each file of the player once."""
    origin, folder = author
    server, text = sampled
    before, _, _ = text.partition("<backscope-run")
    runs = "".join(f'<backscope-run src="run.backscope" step="{step % 9 + 1}"></backscope-run>' for step in range(50))
    write_page(folder, before + runs)
    page.goto(f"{origin}/index.html")
    every = page.locator("backscope-run")
    assert page.locator("backscope-run iframe").count() < 10
    for at in range(50):
        every.nth(at).scroll_into_view_if_needed()
        slider = every.nth(at).frame_locator("iframe").get_by_role("slider", name="Timeline")
        expect(slider).to_have_attribute("aria-valuenow", str(at % 9 + 1))
    assert page.locator("backscope-run iframe").count() == 50
    fetched = weigh(page, server)
    counts = Counter(path for path, _ in fetched if "/assets/" in path)
    assert len(counts) > 5
    assert set(counts.values()) == {1}, counts
    assert sum(nbytes for _, nbytes in fetched) < 1_500_000, fetched


def test_one_thing_after_another_is_shown(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], expected_console: list[str]
) -> None:
    expected_console.append("Failed to load resource")
    origin, folder = author
    address = guest_with(embed_from=origin).address
    run = '<backscope-run src="away.backscope" step="2"></backscope-run>'
    write_page(folder, f'{script(address)}{run}<iframe id="frame" width="1000" height="600"></iframe>')
    page.goto(f"{origin}/index.html")
    # A recording that is not there ends nothing: it can be asked for again, and the next one named is shown, at the
    # step named meanwhile.
    expect(page.get_by_text("away.backscope answers 404")).to_be_visible()
    _, source = sample(address)
    record(folder, source)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("away.backscope answers 404")).to_be_visible()
    record(folder, source, "away.backscope")
    page.get_by_role("button", name="Try again").click()
    expect(page.frame_locator("backscope-run iframe").get_by_role("slider", name="Timeline")).to_have_attribute(
        "aria-valuenow", "2"
    )
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    page.evaluate(
        "() => { const run = document.querySelector('backscope-run');"
        " run.setAttribute('src', 'run.backscope'); run.setAttribute('step', '4'); }"
    )
    within = page.frame_locator("backscope-run iframe")
    expect(within.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "4")
    expect(page.get_by_text("away.backscope answers 404")).to_have_count(0)

    # In one frame: what is damaged, an example and a moment of it before it has come, then a program.
    show = f"(wanted) => {{ document.querySelector('#frame').src = `{address}/embed#${{wanted}}`; }}"
    frame = page.frame_locator("#frame")
    slider = frame.get_by_role("slider", name="Timeline")
    page.evaluate(show, "trace=AAAA")
    expect(frame.get_by_text("The recording in this frame is damaged")).to_be_visible()
    page.evaluate(
        f"() => {{ const show = {show}; show('example=01_first_backward&step=2');"
        " setTimeout(() => show('example=01_first_backward&step=9')); }"
    )
    expect(slider).to_have_attribute("aria-valuenow", "9")
    expect(frame.get_by_text("The recording in this frame is damaged")).to_have_count(0)
    expect(frame.get_by_role("heading", level=1)).to_have_text("y = w*x + b")
    # What does not come holds up nothing.
    held: list[Route] = []
    page.route("**/api/examples", lambda route: held.append(route))
    with page.expect_request("**/api/examples"):
        page.evaluate(show, "example=03_cube")
    page.evaluate(show, "source=print(1)")
    expect(frame.get_by_role("heading", level=1)).to_have_text("Backscope")
    expect(frame.get_by_role("textbox", name="Program")).to_have_text("print(1)")
    expect(frame.get_by_text("No recording came with this program.")).to_be_visible()


def test_what_one_copies_plays_where_one_puts_it(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path]
) -> None:
    origin, folder = author
    server = guest_with(embed_from=origin)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{server.address}/#example=01_first_backward&at=8")
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("aria-valuenow", "9")
    caption = page.get_by_test_id("caption").inner_text()
    page.get_by_role("button", name="Export", exact=True).click()
    copied = copy_both(page)
    assert copied["iframe"].startswith("<iframe ") and copied["element"].startswith("<script ")
    for kind, text in copied.items():
        write_page(folder, text, f"{kind}.html")
        page.goto(f"{origin}/{kind}.html")
        frame = page.frame_locator("iframe")
        expect(frame.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "9")
        expect(frame.get_by_test_id("caption")).to_have_text(caption)
        frame.get_by_role("button", name="Step forward").click()
        expect(frame.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "10")
