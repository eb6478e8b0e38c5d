"""Records `web/screenshot.png`, the picture at the top of the README: the first example, in its backward pass.

Run as `python tests/browser/record_screenshot.py` after a change of how the page looks; it needs the page built.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

PICTURE = Path(__file__).parents[2] / "web" / "screenshot.png"
CAPTION = "MulBackward0 multiplies"
"""Words of the caption of the step."""
SIZE = (1440, 900)


def main() -> None:
    """Record the picture."""
    sys.path.insert(0, str(Path(__file__).parent))
    from conftest import launch
    from page_server import Server
    from shown_run import ended
    from stepping import step_until

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "server.log", BACKSCOPE_STORAGE="off")
        server.start()
        browser = launch(playwright)
        try:
            context = browser.new_context(
                viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light", reduced_motion="reduce"
            )
            context.add_cookies(server.cookies)
            page = context.new_page()
            page.goto(f"{server.address}/#example=01_first_backward")
            ended(page)
            page.get_by_role("heading", name="Backscope").click()
            print(step_until(page, CAPTION))
            expect(page.get_by_test_id("caption")).to_contain_text(CAPTION)
            page.evaluate("() => document.fonts.ready")
            page.evaluate("async () => { for (let i = 0; i < 60; i++) await new Promise(requestAnimationFrame); }")
            page.screenshot(path=PICTURE)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
