"""Runs axe in a page or a frame."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Frame, Page

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
