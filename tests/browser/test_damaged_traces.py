"""Protects the page from damaged trace files: what can be read is shown, else it names the place and keeps its run."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from dropping import packed
from playwright.sync_api import Page, expect
from shown_run import ended, slider

from backscope.protocol import trace


def altered(lines: list[bytes], place: int, **changes: object) -> bytes:
    event = json.loads(lines[place])
    return packed([*lines[:place], json.dumps({**event, **changes}).encode(), *lines[place + 1 :]])


BAD: list[tuple[str, Callable[[list[bytes]], bytes], str]] = [
    ("text", lambda lines: b"print(1)", "it is not gzipped"),
    ("damaged", lambda lines: packed(lines)[:-4000] + b"x" + packed(lines)[-3999:], "damaged|Event"),
    ("kind", lambda lines: altered(lines, 5, kind="flown"), "Event 5 of this trace is of a kind"),
    ("line", lambda lines: altered(lines, 5, line="x"), "Event 5 of this trace has a wrong or missing value at line"),
    ("seq", lambda lines: altered(lines, 5, seq=10**9), "Event 5 of this trace has seq 1000000000"),
    ("missing", lambda lines: packed(lines[:5] + lines[6:]), "Event 5 of this trace has seq 6"),
    ("not UTF-8", lambda lines: packed([*lines[:5], b'{"kind":"\xff"}']), "not UTF-8"),
    ("nested", lambda lines: packed([*lines[:5], b"[" * 2_000_000]), "Event 5|cut off"),
    ("bomb", lambda lines: gzip.compress(trace.header() + b"\n" + bytes(200 << 20), 9), "longer than 4 MB"),
    ("claims", lambda lines: gzip.compress(trace.header()[:-1] + b',"events":1000000000}\n'), "holds no events"),
]


@pytest.mark.parametrize(("make", "text"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_trace_is_refused_with_the_place(
    page: Page,
    server: Any,
    recorded: list[bytes],
    make: Callable[[list[bytes]], bytes],
    text: str,
    drop: Callable[[str, bytes], None],
) -> None:
    page.goto(server.address)
    ended(page)
    steps = slider(page).get_attribute("aria-valuemax") or ""
    drop("run.backscope", make(recorded))
    expect(page.get_by_text(re.compile(rf"run\.backscope: .*({text})"))).to_be_visible(timeout=30_000)
    # What was shown is still there, and works.
    expect(slider(page)).to_have_attribute("aria-valuemax", steps)
    slider(page).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("caption")).not_to_be_empty()


@pytest.mark.parametrize("kept", [0.4, 0.95])
def test_a_trace_that_is_cut_short_is_shown_up_to_there(
    page: Page, server: Any, recorded: list[bytes], kept: float, drop: Callable[[str, bytes], None]
) -> None:
    page.goto(server.address)
    ended(page)
    whole = packed(recorded)
    drop("run.backscope", whole[: int(len(whole) * kept)])
    notice = page.get_by_text(re.compile(r"This run is cut off after event \d+: the end of the trace file is missing"))
    expect(notice).to_be_visible()
    after = int(re.search(r"event (\d+)", notice.inner_text())[1])  # type: ignore[index]
    assert 0.2 * kept * len(recorded) < after < len(recorded)
    slider(page).focus()
    page.keyboard.press("End")
    expect(page.get_by_test_id("caption")).to_contain_text("The record of this run ends here.")


def test_events_that_contradict_each_other_do_not_break_the_page(
    page: Page, server: Any, recorded: list[bytes], drop: Callable[[str, bytes], None]
) -> None:
    """References to things that never were, in events that are well-formed."""
    chance = random.Random(3)
    page.goto(server.address)
    ended(page)
    for number in range(6):
        lines = list(recorded)
        for seq in chance.sample(range(1, len(lines) - 1), 12):
            event = json.loads(lines[seq])
            for name in ("tensor", "node", "call", "storage", "hook"):
                if isinstance(event.get(name), int):
                    event[name] = chance.choice([1, 10**9, 2**53 - 1, 7])
            lines[seq] = json.dumps(event).encode()
        started = json.loads(lines[0])
        started["source"] = f"# contradiction {number}\n{started['source']}"
        lines[0] = json.dumps(started).encode()
        drop("run.backscope", packed(lines))
        expect(page.get_by_role("textbox", name="Program")).to_contain_text(f"# contradiction {number}")
        slider(page).focus()
        for key in ("End", "Home", "ArrowRight", "ArrowRight", "n", "End"):
            page.keyboard.press(key)
        expect(page.get_by_test_id("caption")).not_to_be_empty()
