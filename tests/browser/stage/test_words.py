"""Protects: what the page says of a step, of a link and of an error, in the reader's words and where the reader is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from stepping import step_until


@pytest.fixture
def context_options(request: pytest.FixtureRequest) -> dict[str, object]:
    size: tuple[int, int] = getattr(request, "param", (1440, 900))
    return {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": "light"}


def test_the_first_caption_says_what_comes_next(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    expect(page.get_by_test_id("caption")).to_have_text("y = 7. Next, y.backward() sends a gradient back to w and b.")
    expect(page.get_by_role("button", name="Why is y.grad None?")).to_have_count(0)


def test_a_link_from_ones_own_server_says_so_and_counts_as_the_page_does(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("ArrowRight")
    shown = page.get_by_role("slider", name="Timeline").get_attribute("aria-valuenow")
    page.get_by_role("button", name="Copy a link to this moment").click()
    expect(page.get_by_text(f"The link to step {shown} is copied.")).to_be_visible()
    expect(page.get_by_text("nobody else can open it")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"&step={shown}")
    page.get_by_role("button", name="Export the file").click()
    expect(page.get_by_role("button", name="Copy the element")).to_be_visible()


def test_space_plays_after_a_click_on_a_button_of_the_timeline(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=17_mlp&step=1")
    page.get_by_role("button", name="Step forward").click()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    # Who comes to a button by keys presses it by keys.
    page.get_by_role("button", name="Go to the end").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Go to the end")).to_be_disabled()


def test_a_list_in_which_a_pointer_chose_gives_the_keyboard_back(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=17_mlp&at=3")
    for name, choice in (("Speed", "fast"), ("Step by", "round")):
        chosen = page.get_by_role("combobox", name=name)
        chosen.press("ArrowDown")
        chosen.select_option(choice)
        # Chosen by keys, it keeps the keyboard.
        expect(chosen).to_be_focused()
        chosen.dispatch_event("pointerdown")
        chosen.select_option(index=0)
        expect(chosen).not_to_be_focused()


def test_keys_mean_the_page_after_running_and_after_escape(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    program = page.get_by_role("textbox", name="Program")
    slider = page.get_by_role("slider", name="Timeline")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    program.click()
    with page.expect_websocket():  # The run before looks the same at its end.
        page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Stage")).to_be_focused()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    expect(slider).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuenow", slider.get_attribute("aria-valuemax") or "")
    page.keyboard.press("e")
    expect(program).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Stage")).to_be_focused()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("/")
    expect(page.get_by_role("search").locator("input")).to_be_focused()
    # No key was typed into the program.
    expect(page.get_by_text("Edited since this run")).to_have_count(0)


def test_a_stale_tensor_is_stale_in_the_inspector_too(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=15_in_place_error&step=99")
    saved = page.get_by_role("region", name="Saved tensors")
    expect(saved).to_contain_text("Stale: saved at version 0, changed in place to version 1 since.")
    expect(saved).not_to_contain_text("still held")
    # The node got its gradient and did not run.
    node = page.get_by_role("list", name="Graph").get_by_role("button", name="σ SigmoidBackward0")
    expect(node).to_have_attribute("title", re.compile("waits for its turn"))


WORDS = """\
import torch
x = torch.ones(2, 2, requires_grad=True)
mask = torch.tensor([[1.0], [0.0]])
y = (x / 8**0.5).transpose(0, 1).reshape(4)
z = x.masked_fill(mask == 0, 0.0) / mask
print("abc \u202e def")
"""


def test_captions_are_in_the_words_of_the_program(run_program: Callable[[str], Page]) -> None:
    page = run_program(WORDS)
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("Home")
    step_until(page, "x ÷ 2.828 gives")
    step_until(page, "reshape(transpose(x ÷ 2.828)) gives y")
    step_until(page, "mask == 0 gives")
    step_until(page, "The NaN begins here, at element [1, 0]: 0 ÷ 0.")
    step_until(page, "The program prints")
    expect(page.get_by_test_id("caption").locator("bdi")).to_have_text("abc def")


MANY = """\
import torch
weights = [torch.ones(3, 3, requires_grad=True) for _ in range(80)]
sum((w * w).sum() for w in weights).backward()
torch.optim.SGD(weights, lr=0.1).step()
"""


def test_an_optimizer_step_makes_elements_for_what_is_in_view(run_program: Callable[[str], Page]) -> None:
    page = run_program(MANY)
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    for _ in range(3):
        if "SGD.step()" not in page.get_by_test_id("caption").inner_text():
            page.keyboard.press("ArrowLeft")
    inspector = page.get_by_role("region", name="Inspector")
    rows = inspector.get_by_role("button", name=re.compile("^Numbers of "))
    expect(rows.first).to_be_visible()
    assert inspector.locator("*").count() < 1000
    seen = rows.count()
    assert seen < 40
    inspector.get_by_role("button", name=re.compile(r"^\d+ more$")).scroll_into_view_if_needed()
    expect(rows.nth(seen)).to_be_attached()
    rows.first.click()
    expect(inspector.get_by_text("change: after − before")).to_be_visible()


def test_a_filter_that_finds_nothing_says_so(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=01_first_backward&step=9&show=nan")
    expect(page.get_by_text("Nothing found")).to_be_visible()


def test_a_long_caption_can_be_read_on(run_program: Callable[[str], Page]) -> None:
    names = [f"a_parameter_with_a_long_name_{i}" for i in range(6)]
    source = "import torch\n" + "".join(f"{name} = torch.ones(40, requires_grad=True)\n" for name in names)
    page = run_program(
        source + f"({' + '.join(names)}).sum().backward()\ntorch.optim.SGD([{', '.join(names)}], 0.1).step()\n"
    )
    page.get_by_role("heading", name="Backscope").click()
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    for _ in range(3):
        if "SGD.step()" not in page.get_by_test_id("caption").inner_text():
            page.keyboard.press("ArrowLeft")
    caption = page.get_by_test_id("caption")
    hidden = "e => e.scrollHeight > e.clientHeight + 1"
    more = page.get_by_role("button", name="Read on")
    expect(more).to_be_visible()
    assert caption.evaluate(hidden)
    more.click()
    expect(page.get_by_role("button", name="Less", exact=True)).to_be_visible()
    assert not caption.evaluate(hidden)


@pytest.mark.parametrize("context_options", [(1280, 640), (1024, 600)], indirect=True, ids=str)
def test_rooms_keep_their_headings_where_there_is_little_height(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=11_accumulation&step=10")
    size = page.viewport_size
    assert size is not None
    if size["width"] < 1200:  # There the inspector is folded until it is called for.
        page.get_by_role("button", name="Unfold inspector").click()
    page.get_by_role("button", name="Unfold debugger").click()
    page.get_by_role("button", name="Compare with another run").click()
    page.get_by_role("button", name="Keep this run").click()
    expect(page.get_by_role("button", name="Forget the baseline")).to_be_visible()
    inspector = page.get_by_role("region", name="Inspector").bounding_box()
    debugger = page.get_by_role("region", name="Debugger").bounding_box()
    assert inspector is not None
    assert debugger is not None
    assert inspector["y"] + inspector["height"] <= debugger["y"] + 1
    for room in ("Inspector", "Debugger"):
        heading = page.get_by_role("heading", name=room, exact=True)
        on_top = heading.evaluate(
            "e => { const r = e.getBoundingClientRect();"
            " return e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); }"
        )
        assert on_top, room
