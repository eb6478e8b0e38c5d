"""Protects the first ten seconds: an example that has run, paused before backward(), and one button that plays it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

Open = Callable[[str], Page]


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
    page.get_by_label("Speed").select_option("8")
    page.get_by_role("button", name="Play the backward pass").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=30_000)
    caption = page.get_by_test_id("caption")
    expect(caption).not_to_be_empty()
    expect(page.get_by_role("button", name="Play the backward pass")).to_have_count(0)


def test_it_needs_little_before_the_first_run(page: Page, server) -> None:  # type: ignore[no-untyped-def]
    """At most 300 kB over the wire as the browser would fetch it gzipped, fonts included.

    The inspector and its formulas come after code, stage and timeline are there.
    """
    import gzip

    sizes: dict[str, int] = {}

    def fetched(response) -> None:  # type: ignore[no-untyped-def]
        if "/api/" not in response.url and response.ok:
            body = response.body()
            sizes[response.url] = len(body) if response.url.endswith("woff2") else len(gzip.compress(body))

    page.on("response", fetched)
    page.goto(server.address)
    expect(page.get_by_role("textbox", name="Program")).to_be_visible()
    first = {
        url: size for url, size in sizes.items() if not any(later in url.lower() for later in ("katex", "inspector"))
    }
    assert sum(first.values()) < 300_000, first
