"""Protects recordings in a notebook: they play in the cells of JupyterLab, in its theme, also when it is reopened."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

ROOT = Path(__file__).resolve().parents[3]

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


LIVE = [
    "%load_ext backscope",
    """\
%%backscope --live --name run
import os, time, torch
w = torch.tensor([1.0, -1.0], requires_grad=True)
for _ in range(20):
    (w * w).sum().backward()
while not os.path.exists("go"):
    time.sleep(0.01)
w.exp().sum().backward()""",
    """\
print(run.step, run.seq == run.moment.seq, run.moment.sentence, run.moment.value("w").values, run.recording.status)
run.step = 2""",
]


def write_notebook(path: Path, sources: list[str]) -> None:
    """Write a notebook that has not run."""
    cells = [
        {"cell_type": "code", "id": f"cell-{k}", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
        for k, text in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells})
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where JupyterLab has its notebooks."""
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="module")
def jupyterlab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab."""
    if find_spec("jupyterlab") is None:
        if os.environ.get("BACKSCOPE_NEEDS_BROWSERS"):
            pytest.fail("JupyterLab is not installed")
        pytest.skip("JupyterLab is not installed: python3 tests setup")
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
        yield f"{address_of(server, folder)}lab/"
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


@pytest.fixture
def opened(jupyterlab: str, page: Page, expected_console: list[str]) -> Callable[[Path], None]:
    """Open a notebook, with a kernel that waits."""

    def open_notebook(path: Path) -> None:
        expected_console.extend(["Failed to load resource", "WebSocket", "jupyter", "Jupyter", "lab"])
        # While its kernel starts, JupyterLab may ask which one is meant.
        asked = page.locator(".jp-Dialog .jp-mod-accept", has_text="Select")
        page.add_locator_handler(asked, lambda: asked.click())
        # In a workspace of its own, without the notebooks that others left open.
        page.goto(f"{jupyterlab}workspaces/{path.stem}/tree/{path.name}")
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=120_000)
        expect(page.get_by_text("| Idle")).to_be_visible(timeout=120_000)

    return open_notebook


def choose_run(page: Page, command: str) -> None:
    """Choose in JupyterLab's menu Run."""
    page.locator(".lm-MenuBar-item", has_text="Run").click()
    page.locator(f'.lm-Menu-item[data-command="runmenu:{command}"]').click()


def test_recordings_play_in_their_cells(opened: Callable[[Path], None], folder: Path, page: Page) -> None:
    notebook = folder / "cells.ipynb"
    write_notebook(notebook, CELLS)
    opened(notebook)
    choose_run(page, "run-all")
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
    assert len(re.sub('src="data:[^"]*"', "", shown[1])) < 30_000

    # The file alone is enough, without its kernel.
    page.reload()
    expect(players(page)).to_have_count(2, timeout=120_000)
    expect(player(page, 1).get_by_test_id("caption")).to_contain_text("w is", timeout=60_000)


@pytest.fixture(scope="module")
def executed(folder: Path) -> Path:
    """A notebook with the outputs of its cells, which JupyterLab has no reason to trust."""
    import nbformat
    from nbclient import NotebookClient

    path = folder / "executed.ipynb"
    write_notebook(path, CELLS[:1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "engine"), str(ROOT / "server")]))
        done = NotebookClient(nbformat.read(path, 4)).execute()
    nbformat.write(done, path)
    return path


def width_of(image: Locator) -> int:
    """Return the width of an image once it is there, in pixels of its own."""
    image.wait_for()
    return int(image.evaluate("image => image.decode().then(() => image.naturalWidth)"))


def test_a_notebook_that_is_not_trusted_has_a_picture_and_text(
    opened: Callable[[Path], None], executed: Path, page: Page
) -> None:
    opened(executed)
    output = page.locator(".jp-OutputArea-output", has_text="backward pass")
    expect(output).to_contain_text("<Recording from line 4", timeout=60_000)
    expect(players(page)).to_have_count(0)
    assert width_of(output.locator("img")) > 500


def test_a_converted_notebook_plays_or_has_a_picture(
    executed: Path, tmp_path: Path, page: Page, expected_console: list[str]
) -> None:
    from nbconvert import HTMLExporter, LatexExporter, MarkdownExporter

    html = tmp_path / "converted.html"
    html.write_text(HTMLExporter().from_filename(str(executed))[0])
    expected_console.append("Failed to load resource")
    # The exporter's page asks for MathJax and others, which recordings do not need.
    page.route(re.compile("^https?:"), lambda route: route.abort())
    page.goto(html.as_uri())
    expect(player(page, 0).get_by_test_id("caption")).to_contain_text("tanh", timeout=60_000)

    latex, found = LatexExporter().from_filename(str(executed))
    (picture,) = (name for name in found["outputs"] if name.endswith(".png"))
    assert f"{{{picture}}}" in latex and found["outputs"][picture].startswith(b"\x89PNG")
    plain = tmp_path / "plain.html"
    plain.write_text(re.sub("<script.*?</script>", "", MarkdownExporter().from_filename(str(executed))[0], flags=re.S))
    page.goto(plain.as_uri())
    expect(page.get_by_text("<Recording from line 4")).to_be_visible()
    assert width_of(page.locator("img")) > 500


def test_a_widget_follows_a_run_and_gives_its_moment_back(
    opened: Callable[[Path], None], folder: Path, page: Page
) -> None:
    notebook = folder / "live.ipynb"
    write_notebook(notebook, LIVE)
    opened(notebook)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    for number in range(2):
        cells.nth(number).locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
    # The events are there while the cell runs.
    shown = player(page, 0)
    expect(shown.get_by_test_id("caption")).to_contain_text("SumBackward0 joins", timeout=120_000)
    expect(cells.nth(1).locator(".jp-InputPrompt")).to_have_text("[*]:")
    (folder / "go").touch()
    expect(cells.nth(1).locator(".jp-InputPrompt")).to_have_text("[2]:", timeout=60_000)

    shown.get_by_test_id("caption").click()
    page.keyboard.press("End")
    expect(shown.get_by_test_id("caption")).to_contain_text("The backward pass is done")
    cells.nth(2).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    said = cells.nth(2).locator(".jp-OutputArea-output")
    expect(said).to_contain_text("True The backward pass is done", timeout=60_000)
    expect(said).to_contain_text("[1.0, -1.0] ok")
    expect(shown.get_by_test_id("caption")).to_contain_text("MulBackward0 joins", timeout=60_000)
