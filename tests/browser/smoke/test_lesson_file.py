"""Protects the page of a lesson in every browser: it is taken from a disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from lesson_files import export
from tab import Tab

WRITTEN = """(text) => document.querySelector('[data-testid=lesson-said]')?.textContent.includes(text)"""


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a lesson."""
    return export(tmp_path_factory.mktemp("lesson"))


def take(tab: Tab) -> None:
    """Answer its questions."""
    tab.click("button", "^Begin$")
    tab.until(WRITTEN, "Two arrows leave x.")
    tab.click("button", "^Next$")
    tab.until(WRITTEN, "Which node runs first?")
    tab.click("label", "MulBackward0")
    tab.click("button", "^Check$")
    tab.until(WRITTEN, "Not quite. That one made a product.")
    tab.click("button", "^Watch what happens$")
    tab.click("button", "^Next$")
    tab.until(WRITTEN, "What will x.grad be?")
    tab.click("input[type=text]")
    tab.write("7")
    tab.press("Enter")
    tab.until(WRITTEN, "Right. 4 and 3 arrive.")
    tab.click("button", "^Next$")
    tab.click("button", "^Show a solution$")
    tab.until(WRITTEN, "Reached. The slope is 2x + 3.")


def test_a_lesson_is_taken_from_the_disk(tab: Tab, exported: Path) -> None:
    tab.errors()
    tab.open(exported.as_uri())
    take(tab)
    assert tab.errors() == []
