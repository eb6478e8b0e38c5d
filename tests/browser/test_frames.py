"""Protects frames in pages of other people: their weight and heights, the keyboard, and what they say of failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from framed_page import Received, script, weigh, write_page
from page_server import Server
from playwright.sync_api import Page, expect

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
