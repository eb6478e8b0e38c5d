"""Protects recordings in cells of notebooks that show outputs in a frame of another origin, by rules of their own.

Of Colab and VS Code themselves nothing runs here: their frames are made as they make them.
"""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

import backscope
from backscope import torch
from backscope.player import cell

NOTEBOOK = "https://notebook.example/"
OUTPUTS = "https://outputs.example/"

RULES = {
    "Colab": "",
    # As src/vs/workbench/contrib/notebook of VS Code has them, with the origin of its resources.
    "VS Code": (
        "default-src 'none'; script-src https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval'; "
        "style-src https://*.vscode-cdn.net 'unsafe-inline'; img-src https://*.vscode-cdn.net https: http: data:; "
        "font-src https://*.vscode-cdn.net https:; connect-src https:; child-src https: data:"
    ),
}

FRAME = """<!doctype html><html><head><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="RULES">
</head><body style="background: #1e1e1e"><div id="container"></div><script>
for (const html of OUTPUTS) {
  const output = document.createElement("div");
  output.className = "output";
  container.append(output);
  output.innerHTML = html;
  for (const script of [...output.querySelectorAll("script")]) {
    const copy = document.createElement("script");
    copy.text = script.innerText;
    if (script.type) copy.type = script.type;
    output.append(copy);
    copy.remove();
  }
}
let stored = "kept";
try { localStorage.length } catch { stored = "refused" }
document.body.dataset.storage = stored;
</script></body></html>"""


def outputs() -> list[str]:
    """Return what two cells show: one with the page, one that finds it there."""
    w = torch.tensor([1.0, -1.0], requires_grad=True)
    found = []
    for text in ("first", "second"):
        with backscope.record() as trace:
            w.exp().sum().backward()
            print(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cell, "_running_cell", lambda text=text: text)
            found.append(trace._repr_mimebundle_()["text/html"])
    return found


@pytest.mark.parametrize("host", RULES)
def test_recordings_play_in_a_frame_of_another_origin_without_storage(
    host: str, page: Page, expected_console: list[str]
) -> None:
    if host == "VS Code":
        expected_console += ["font"]  # Those of the page are in it, as data: it has the system's then.
    cell.forget_carrier()
    shown = outputs()
    assert ["data-backscope-page=" in text.split("<script>")[0] for text in shown] == [True, False]
    frame = FRAME.replace("RULES", RULES[host]).replace("OUTPUTS", json.dumps(shown).replace("<", "\\u003c"))
    style = "width: 100%; height: 1300px"
    inside = f'<iframe style="{style}" sandbox="allow-scripts" src="{OUTPUTS}"></iframe>'
    around = f'<!doctype html><title>A notebook</title><link rel="icon" href="data:,">{inside}'

    def serve(route: Route) -> None:
        body = {NOTEBOOK: around, OUTPUTS: frame}[route.request.url]
        route.fulfill(body=body, content_type="text/html; charset=utf-8")

    page.route("https://**", serve)
    page.goto(NOTEBOOK)
    outside = page.frame_locator("iframe")
    expect(outside.locator("body")).to_have_attribute("data-storage", "refused")
    for number in range(2):
        player = outside.locator("iframe[title=Backscope]").nth(number).content_frame
        expect(player.get_by_test_id("caption")).to_contain_text("SumBackward0 joins", timeout=60_000)
        expect(player.locator("html")).to_have_attribute("data-theme", "dark")
        player.get_by_role("button", name="Step forward").click()
        expect(player.get_by_test_id("caption")).to_contain_text("backward()")
