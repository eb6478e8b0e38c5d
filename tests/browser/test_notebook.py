"""Protects recordings in a notebook: they play in the cells of JupyterLab, in its theme, also when it is reopened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

ROOT = Path(__file__).resolve().parents[2]

CELLS = [
    """\
import backscope
from backscope import torch
w = torch.tensor([1.0, -1.0], requires_grad=True)
with backscope.record() as trace:
    loss = ((w * torch.tensor([2.0, 3.0])).sum() + 0.5).tanh()
    loss.backward()
trace""",
    "%load_ext backscope",
    """\
%%backscope --step 1 --name run
import torch
y = w.exp()
y += 1
y.sum().backward()""",
]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook that has not run."""
    path = tmp_path_factory.mktemp("notebook") / "cells.ipynb"
    cells = [
        {"cell_type": "code", "id": f"cell-{k}", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
        for k, text in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells})
    )
    return path


@pytest.fixture(scope="module")
def jupyterlab(notebook: Path) -> Iterator[str]:
    """The address of the notebook in a JupyterLab of its own."""
    if find_spec("jupyterlab") is None:
        if os.environ.get("BACKSCOPE_NEEDS_BROWSERS"):
            pytest.fail("JupyterLab is not installed")
        pytest.skip("JupyterLab is not installed: python3 tests setup")
    folder = notebook.parent
    home = folder / "home"
    variables = {
        **os.environ,
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT / "server")]),
    }
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    options = ["--no-browser", "--allow-root", "--port=0", "--IdentityProvider.token=", "--ServerApp.password="]
    # The server writes the address that it has got into its folder.
    with (folder / "lab.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], cwd=folder, env=variables, stdout=log, stderr=log
        )
    try:
        yield f"{address_of(server, folder)}lab/tree/{notebook.name}"
    finally:
        server.terminate()
        server.wait(60)


def address_of(server: subprocess.Popen[bytes], folder: Path) -> str:
    """Return the address of a JupyterLab once it answers."""
    while server.poll() is None:
        for line in (folder / "lab.log").read_text().splitlines():
            if "http://127.0.0.1:" in line:
                address = line[line.index("http://") :].split("lab")[0].split("?")[0]
                with suppress(urllib.error.URLError), urllib.request.urlopen(f"{address}api", timeout=60):
                    return address
        time.sleep(0.1)
    pytest.fail((folder / "lab.log").read_text())


def players(page: Page) -> Locator:
    return page.locator("iframe[title=Backscope]")


def player(page: Page, number: int) -> FrameLocator:
    players(page).nth(number).scroll_into_view_if_needed()
    return players(page).nth(number).content_frame


def test_recordings_play_in_their_cells(
    jupyterlab: str, notebook: Path, page: Page, expected_console: list[str]
) -> None:
    expected_console += ["Failed to load resource", "WebSocket", "jupyter", "Jupyter", "lab"]
    # While its kernel starts, JupyterLab may ask which one is meant.
    asked = page.locator(".jp-Dialog .jp-mod-accept", has_text="Select")
    page.add_locator_handler(asked, lambda: asked.click())
    page.goto(jupyterlab)
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=120_000)
    expect(page.get_by_text("| Idle")).to_be_visible(timeout=120_000)
    page.locator(".lm-MenuBar-item", has_text="Run").click()
    page.locator('.lm-Menu-item[data-command="runmenu:run-all"]').click()
    expect(players(page)).to_have_count(2, timeout=120_000)
    expect(player(page, 0).get_by_test_id("caption")).to_contain_text("tanh", timeout=60_000)
    expect(player(page, 1).get_by_test_id("caption")).to_contain_text("w is", timeout=60_000)
    # The frame has neither the notebook's origin nor its storage.
    expect(players(page).first).to_have_attribute("sandbox", "allow-scripts allow-downloads")
    expect(page.get_by_text("modified by an inplace operation").first).to_be_attached()

    player(page, 0).get_by_role("button", name="Code", exact=True).click()
    expect(player(page, 0).get_by_role("textbox", name="Program")).to_contain_text("loss.backward()")
    assert player(page, 0).locator("html").get_attribute("data-theme") == "light"
    page.locator(".lm-MenuBar-item", has_text="Settings").click()
    page.locator(".lm-Menu-item", has_text="Theme").first.hover()
    page.locator(".lm-Menu-item", has_text="JupyterLab Dark").first.click()
    expect(player(page, 0).locator("html")).to_have_attribute("data-theme", "dark", timeout=60_000)

    page.locator(".jp-Notebook").first.click(position={"x": 5, "y": 5})
    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-dirty")).to_have_count(0, timeout=60_000)
    outputs = [output for cell in json.loads(notebook.read_text())["cells"] for output in cell["outputs"]]
    shown = ["".join(output["data"]["text/html"]) for output in outputs if "text/html" in output.get("data", {})]
    assert ['data-backscope-page="' in text.split("<script>")[0] for text in shown] == [True, False]
    assert len(shown[1]) < 30_000

    # The file alone is enough, without its kernel.
    page.reload()
    expect(players(page)).to_have_count(2, timeout=120_000)
    expect(player(page, 1).get_by_test_id("caption")).to_contain_text("w is", timeout=60_000)
