"""Runs axe in a page or a frame, and keeps what it finds."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Frame, Page, expect

_AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
_CHECK = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 4).map(({ target, any, all, none }) =>
      `${id}: ${target.join(' ')}: ${[...any, ...all, ...none][0]?.message ?? ''}`));
}"""


def violations(where: Page | Frame, check: str = _CHECK) -> list[str]:
    """Return what axe finds in a document as it is now; `check` is the function that runs it."""
    if not where.evaluate("() => 'axe' in window"):
        where.evaluate(_AXE.read_text(encoding="utf-8"))
    found: list[str] = where.evaluate(check)
    return found


class Checker:
    """Runs axe on the page in both themes, and keeps what it found with the name of the state."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found: list[str] = []

    def check(self, state: str) -> None:
        """Look at the page as it is."""
        for theme in ("light", "dark"):
            self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
            expect(self.page.locator(f"html[data-theme={theme}]")).to_have_count(1)
            self.found += [f"{state}, {theme}: {one}" for one in violations(self.page)]
