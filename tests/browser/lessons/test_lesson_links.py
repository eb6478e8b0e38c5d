"""Protects: a link to a place in a lesson opens it, also from a question of another lesson."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect


def test_a_link_leads_from_an_open_question_to_another_lesson(open_page: Callable[[str], Page]) -> None:
    page = open_page("#lesson=10_cuts&page=6")
    expect(page.get_by_text("This pass is for the judge alone.").first).to_be_visible()
    expect(page.get_by_label("maker.grad, your answer")).to_be_visible()
    page.evaluate("location.hash = 'lesson=11_inputs&page=2'")
    expect(page.get_by_role("heading", name="Only the gradients you want")).to_be_visible()
    expect(page.get_by_label("maker.grad, your answer")).to_have_count(0)
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_visible()
