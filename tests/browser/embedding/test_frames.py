"""Protects frames in pages of other people: their weight and heights, the keyboard, and what they say of failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from accessibility import violations
from framed_page import SHARE, Received, copy_both, script, weigh, write_page
from held_files import HeldFiles
from lectures import keep, lecture, packed
from page_server import Server
from playwright.sync_api import Browser, Frame, Page, expect

MOST_BYTES = 1_500_000
EXAMPLES = ["01_first_backward", "03_cube", "20_no_grad", "09_second_backward", "15_in_place_error"]


@pytest.mark.parametrize("what", ["example", "lesson"])
def test_fifty_frames_fetch_what_they_share_once(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], what: str
) -> None:
    """Fifty frames receive at most 1.5 MB in all, their runs included; nothing of the server's is fetched twice."""
    origin, folder = author
    server = guest_with(embed_from=origin)
    names = EXAMPLES if what == "example" else ["01_graph", "02_chain_rule"]
    runs = "".join(f'<backscope-run {what}="{names[at % len(names)]}"></backscope-run>' for at in range(50))
    write_page(folder, script(server.address) + runs)
    received = Received(page)
    page.goto(f"{origin}/index.html")
    every = page.locator("backscope-run")
    for at in range(50):
        every.nth(at).scroll_into_view_if_needed()
        frame = every.nth(at).frame_locator("iframe")
        if what == "example":
            expect(frame.get_by_role("slider", name="Timeline")).not_to_have_attribute("aria-valuenow", "0")
        else:
            expect(frame.get_by_role("button", name="Begin")).to_be_visible()
    fetched = weigh(page, server)
    counts = Counter(path for path, _ in fetched if path not in ("/embed", "/api/health"))
    assert set(counts.values()) == {1}, counts
    assert {"/api/ops", "/api/examples" if what == "example" else f"/api/lessons/{names[0]}"} <= set(counts)
    nbytes = sum(nbytes for _, nbytes in fetched)
    print(f"{what}: {nbytes:,} bytes by HTTP, {received.nbytes:,} by WebSocket")
    assert nbytes + received.nbytes < MOST_BYTES, fetched


def only_frame(page: Page) -> Frame:
    """Return the frame of the page once it is there."""
    element = page.locator("iframe").element_handle()
    assert element is not None
    frame = element.content_frame()
    assert frame is not None
    return frame


def check(page: Page, state: str) -> None:
    """Assert that axe finds nothing in the frame of a page, in both themes."""
    found = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        found += [f"{state}, {theme}: {one}" for one in violations(only_frame(page))]
    assert found == []


@pytest.mark.parametrize("allowed", ["https://docs.example.org", ""])
def test_a_page_that_may_not_show_it_is_told_so_in_its_iframe(
    page: Page,
    guest_with: Callable[..., Server],
    author: tuple[str, Path],
    expected_console: list[str],
    allowed: str,
) -> None:
    expected_console.append("Failed to load resource")
    origin, folder = author
    server = guest_with(embed_from=allowed)
    write_page(folder, f'<iframe title="A run" src="{server.address}/embed#example=03_cube" height="600"></iframe>')
    page.goto(f"{origin}/index.html")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="This frame may not be shown here")).to_be_visible()
    expect(frame.get_by_text(f"does not let pages of {origin} show its runs")).to_be_visible()
    value = " ".join(filter(None, [allowed, origin]))
    expect(frame.get_by_text(f'BACKSCOPE_EMBED_FROM="{value}"')).to_be_visible()
    expect(frame.get_by_role("button")).to_have_count(0)
    check(page, "refused")


def test_what_is_missing_is_said_in_the_frame(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], expected_console: list[str]
) -> None:
    expected_console.append("Failed to load resource")
    origin, folder = author
    server = guest_with(embed_from=origin)
    frame = page.frame_locator("iframe")
    # A page of its own for each: a page that is opened again may keep the address that its frame had.
    for wanted, words in (
        ("lesson=01_grap", "There is no lesson “01_grap” on this server."),
        ("example=nope", "The example “nope” cannot be shown here"),
        ("trace=AAAA", "The recording in this frame is damaged"),
        ("theme=light", "This frame names no program"),
    ):
        name = f"{wanted.partition('=')[0]}.html"
        body = f'<iframe title="A run" src="{server.address}/embed#{wanted}" width="900" height="700"></iframe>'
        write_page(folder, body, name)
        page.goto(f"{origin}/{name}")
        expect(frame.get_by_text(words)).to_be_visible()
        stage = "This lesson is not on the server." if "lesson" in wanted else "Nothing to show yet."
        expect(frame.get_by_text(stage)).to_be_visible()
        expect(frame.locator(".first-picture")).to_have_count(0)
        expect(frame.get_by_role("button", name="Close the lesson")).to_have_count(0)
        check(page, wanted)
        if "lesson" in wanted:
            frame.get_by_role("button", name="What the forward pass leaves behind").click()
            expect(frame.get_by_role("img", name="Page 1 of ")).to_be_visible()
            expect(frame.get_by_text(stage)).to_have_count(0)


def test_blocked_scripts_are_said_in_the_frame(
    page: Page,
    browser: Browser,
    guest_with: Callable[..., Server],
    author: tuple[str, Path],
    expected_console: list[str],
) -> None:
    expected_console += ["Failed to load resource", "Blocked script", "sandbox", "CORS", "ERR_", "origin-keyed"]
    origin, folder = author
    server = guest_with(embed_from=origin)
    address = f"{server.address}/embed#example=03_cube"
    words = "The run in this frame cannot be shown: its scripts are blocked, or have not come."
    for sandbox in ("", "allow-scripts"):
        name = f"{len(sandbox)}.html"
        write_page(folder, f'<iframe title="A run" sandbox="{sandbox}" src="{address}" height="600"></iframe>', name)
        page.goto(f"{origin}/{name}")
        expect(page.frame_locator("iframe").get_by_text(words)).to_be_visible()
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    write_page(folder, f'<iframe title="A run" src="{address}" height="600"></iframe>')
    plain.goto(f"{origin}/index.html")
    expect(plain.frame_locator("iframe").get_by_text(words)).to_be_visible()
    context.close()


def test_the_policy_of_the_page_around_may_block_the_frame_the_recording_or_the_script(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], expected_console: list[str]
) -> None:
    expected_console += ["Content Security Policy", "Content-Security-Policy", "violates", "Failed to load resource"]
    origin, folder = author
    address = guest_with(embed_from=origin).address

    def write(policy: str, attributes: str) -> None:
        head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        run = f"<backscope-run {attributes}><p>What the run shows, in words.</p></backscope-run>"
        # Browsers keep a page that was written again within the same second.
        name = f"{len(list(folder.iterdir()))}.html"
        write_page(folder, script(address) + run, name, head)
        page.goto(f"{origin}/{name}")

    write("frame-src 'none'", 'example="03_cube"')
    expect(page.get_by_text(f"the policy of this page blocks frames from {address}")).to_be_visible()
    expect(page.get_by_text(f"with frame-src {address} in its Content-Security-Policy")).to_be_visible()
    expect(page.get_by_text("What the run shows, in words.")).to_be_visible()
    write("connect-src 'none'", 'src="run.backscope"')
    expect(page.get_by_text(f"the policy of this page blocks recordings from {origin}")).to_be_visible()
    write("script-src 'none'", 'example="03_cube"')
    expect(page.get_by_text("What the run shows, in words.")).to_be_visible()
    expect(page.locator("iframe")).to_have_count(0)
    # Neither inline styles nor text as markup are needed.
    write(f"style-src 'none'; require-trusted-types-for 'script'; script-src {address}", 'example="03_cube"')
    slider = page.frame_locator("backscope-run iframe").get_by_role("slider", name="Timeline")
    expect(slider).not_to_have_attribute("aria-valuenow", "0")
    box = page.locator("backscope-run iframe").bounding_box()
    assert box is not None
    assert box["width"] > 1000
    assert box["height"] > 400


BELOW = "(button) => innerHeight - button.getBoundingClientRect().bottom"


@pytest.mark.parametrize("width", [320, 480, 720, 1200])
def test_graph_and_caption_have_three_fifths_of_the_height(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], width: int
) -> None:
    origin, folder = author
    address = guest_with(embed_from=origin).address
    frame = page.frame_locator("iframe")
    for what in ('example="03_cube"', 'lesson="01_graph" page="2"'):
        run = f"<backscope-run {what}></backscope-run>"
        write_page(folder, f'{script(address)}<div style="width: {width}px">{run}</div>')
        page.goto(f"{origin}/index.html")
        expect(frame.get_by_role("list", name="Graph").get_by_role("button").first).to_be_visible()
        expect(frame.locator(".first-picture")).to_have_count(0)
        assert abs(frame.locator("body").evaluate(SHARE) - 60) <= 1, what
        assert frame.locator("body").evaluate("() => document.documentElement.scrollWidth <= innerWidth"), what
        if "example" in what:
            # The rest is the timeline's, which draws the memory there.
            memory = frame.get_by_label("Memory at this step")
            expect(memory).to_be_visible(visible=width >= 720)
            assert frame.get_by_role("button", name="Step forward").evaluate(BELOW) <= 8
        check(page, f"{what} at {width}")


INK = """() => {
  const canvas = document.querySelector('.first-picture canvas') ?? document.querySelector('.stage canvas');
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let at = 0; at < data.length; at += 4) {
    if (Math.abs(data[at] - data[0]) + Math.abs(data[at + 3] - data[3]) < 60) continue;
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
  }
  return [left, top, right, bottom, canvas.getBoundingClientRect().height];
}"""
"""Returns the edges of what is drawn on the canvas, and the height of the canvas."""


@pytest.mark.parametrize("width", [400, 1000])
def test_nothing_moves_when_the_player_takes_the_place_of_the_first_picture(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], width: int
) -> None:
    origin, folder = author
    server = guest_with(embed_from=origin)
    run = '<backscope-run example="01_first_backward"></backscope-run>'
    write_page(folder, f'{script(server.address)}<div style="width: {width}px">{run}</div>')
    held = HeldFiles(page, server, "/embed")
    page.goto(f"{origin}/index.html")
    frame = page.frame_locator("backscope-run iframe")
    expect(frame.locator(".first-picture[data-drawn]")).to_be_visible()
    before = frame.locator("body").evaluate(INK)
    assert before[2] - before[0] > 100, before
    held.release()
    expect(frame.locator(".first-picture")).to_have_count(0)
    expect(frame.get_by_role("group", name="View")).to_be_visible()
    after = frame.locator("body").evaluate(INK)
    # Texts are drawn in the player's typefaces.
    assert max(abs(one - other) for one, other in zip(before, after, strict=True)) <= 3, (before, after)


def test_a_frame_leaves_keys_and_scrolling_to_the_page_around_it(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path]
) -> None:
    origin, folder = author
    address = guest_with(embed_from=origin).address
    body = f"""{script(address)}<input aria-label="Before">
<backscope-run example="01_first_backward"></backscope-run>
<a href="#after">After</a><backscope-run lesson="01_graph" page="7"></backscope-run><p style="height: 2000px">"""
    write_page(folder, body)
    page.goto(f"{origin}/index.html")
    frame = page.frame_locator("backscope-run iframe").first
    slider = frame.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("aria-valuenow", "7")
    expect(page.frame_locator("backscope-run iframe").nth(1).get_by_role("button", name="Run it")).to_be_visible()
    # Nothing was scrolled or given the keyboard by the frames.
    assert page.evaluate("() => [scrollY, document.activeElement === document.body]") == [0, True]
    page.get_by_label("Before").focus()
    for key in ("ArrowRight", "End", "n", " "):
        page.keyboard.press(key)
    expect(slider).to_have_attribute("aria-valuenow", "7")
    expect(page.get_by_label("Before")).to_have_value("n ")
    # By Tab through the frame and out of it, also from its code.
    for room in ("Timeline", "Code"):
        frame.get_by_role("button", name=room, exact=True).click()
        page.get_by_label("Before").focus()
        after = page.get_by_role("link", name="After")
        for _ in range(60):
            page.keyboard.press("Tab")
            if after.evaluate("(link) => link === document.activeElement"):
                break
        expect(after).to_be_focused()
    frame.get_by_role("button", name="Timeline", exact=True).click()
    # The wheel over the timeline scrolls the page; with Ctrl it zooms the timeline.
    box = slider.bounding_box()
    assert box is not None
    before = page.evaluate("scrollY")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, 150)
    page.wait_for_function(f"() => scrollY > {before}")


def test_the_code_of_a_lesson_is_a_click_away_in_a_wide_frame(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path]
) -> None:
    origin, folder = author
    address = guest_with(embed_from=origin).address
    write_page(folder, script(address) + '<backscope-run lesson="01_graph" page="7"></backscope-run>')
    page.goto(f"{origin}/index.html")
    frame = page.frame_locator("backscope-run iframe")
    frame.get_by_role("button", name="Open the code").click()
    expect(frame.get_by_role("textbox", name="Program")).to_be_visible()
    expect(frame.get_by_role("button", name="Code", exact=True)).to_have_attribute("aria-pressed", "true")


def test_the_export_of_a_lesson_shows_its_page(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path]
) -> None:
    origin, folder = author
    server = guest_with(embed_from=origin)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{server.address}/#lesson=01_graph&page=2")
    expect(page.get_by_role("img", name="Page 2 of ")).to_be_visible()
    page.get_by_role("button", name="Export", exact=True).click()
    copied = copy_both(page)
    assert 'loading="lazy"' in copied["iframe"]
    assert f"{server.address}/#lesson=01_graph&amp;page=2" in copied["element"].replace("&#38;", "&amp;")
    for kind, text in copied.items():
        write_page(folder, text, f"{kind}.html")
        page.goto(f"{origin}/{kind}.html")
        expect(page.frame_locator("iframe").get_by_role("img", name="Page 2 of ")).to_be_visible()
        expect(page.locator("iframe")).to_have_attribute("title", "Backscope: a lesson, graph")


def test_a_part_that_did_not_come_is_said_where_the_picture_was(
    page: Page, guest_with: Callable[..., Server], author: tuple[str, Path], expected_console: list[str]
) -> None:
    """The first picture lies over the whole frame: it goes where something else is to be read."""
    expected_console += ["Failed to load resource", "dynamically imported", "ERR_FAILED"]
    origin, folder = author
    address = guest_with(embed_from=origin).address
    frame = page.frame_locator("iframe")
    body = f'<iframe title="A lesson" src="{address}/embed#lesson=01_graph" width="900" height="700"></iframe>'
    write_page(folder, body)
    room = "**/assets/LessonRoom-*.js"
    page.route(room, lambda route: route.abort())
    page.goto(f"{origin}/index.html")
    missing = frame.get_by_role("alert").filter(has_text="could not be loaded")
    expect(missing).to_be_visible()
    expect(frame.locator(".first")).to_have_count(0)
    check(page, "a lesson whose room is missing")
    page.unroute(room)
    missing.get_by_role("button", name="Try again").click()
    expect(frame.get_by_role("button", name="Begin")).to_be_visible()
    # The player as a whole.
    page.route("**/assets/start-*.js", lambda route: route.abort())
    write_page(folder, body, "other.html")
    page.goto(f"{origin}/other.html")
    expect(frame.get_by_text("its scripts are blocked, or have not come.")).to_be_visible()
    expect(frame.locator(".first")).to_have_count(0)


@pytest.mark.parametrize("where", ["server", "link"])
def test_a_collected_lesson_is_taken_in_a_frame(
    page: Page,
    guest_with: Callable[..., Server],
    author: tuple[str, Path],
    tmp_path: Path,
    expected_console: list[str],
    where: str,
) -> None:
    """Its programs run once the reader has seen them, and what was answered outlasts a reload."""
    expected_console.append("Failed to load resource")
    origin, folder = author
    server = guest_with(embed_from=origin, storage=str(tmp_path / "storage"))
    name = keep(server, lecture()) if where == "server" else packed(lecture())
    body = f'<iframe title="A lesson" src="{server.address}/embed#lesson={name}" width="900" height="750"></iframe>'
    write_page(folder, body if where == "link" else f'{script(server.address)}<backscope-run lesson="{name}">')
    held = HeldFiles(page, server, "/embed")
    page.goto(f"{origin}/index.html")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".first-picture")).to_contain_text("Where gradients land")
    held.release()
    expect(frame.get_by_role("heading", name="Where gradients land")).to_be_visible()
    # Nothing is over it, though no program runs yet.
    expect(frame.locator(".first-picture")).to_have_count(0)
    expect(frame.get_by_role("button", name="Close the lesson")).to_have_count(0)
    expect(frame.get_by_text("The graph appears here once the program runs.")).to_be_visible()
    expect(frame.get_by_text("Nothing to show yet.")).to_have_count(0)
    check(page, "a lesson that waits")
    frame.get_by_role("button", name="Run and begin").click()
    expect(frame.get_by_role("img", name="Page 1 of 4")).to_be_visible()
    expect(frame.get_by_role("slider")).to_have_count(0)
    assert only_frame(page).evaluate(SHARE) == 60
    frame.get_by_role("button", name="Code", exact=True).click()
    expect(frame.get_by_role("textbox", name="Program")).to_contain_text("torch")
    frame.get_by_role("button", name="Lesson", exact=True).click()
    frame.get_by_role("button", name="Begin", exact=True).click()
    answer = frame.get_by_label("w.grad, your answer")
    answer.fill("3")
    answer.press("Enter")
    expect(frame.get_by_text("Right.", exact=True)).to_be_visible()
    expect(frame.get_by_role("link", name="Open in Backscope")).to_have_attribute("href", f"/#lesson={name}&page=2")
    check(page, "an answer")
    if where == "link":
        return
    assert page.locator("backscope-run iframe").get_attribute("title") == "Backscope: a lesson"
    page.reload()
    page.evaluate("document.querySelector('backscope-run').setAttribute('page', '2')")
    expect(frame.get_by_text("Right.", exact=True)).to_be_visible()
    (stored,) = (tmp_path / "storage" / "lectures").glob("*.lecture")
    stored.unlink()
    page.reload()
    expect(frame.get_by_role("alert")).to_contain_text("any more")
