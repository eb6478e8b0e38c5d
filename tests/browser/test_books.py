"""Protects programs in books: the example sites are built, play in HTML, and have a picture where nothing plays."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from backscope.docs import options

ROOT = Path(__file__).parents[2]
BOOKS = ROOT / "tests" / "docs"


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that builds the book of Sphinx as one kind; all kinds share what is read."""
    folder = tmp_path_factory.mktemp("book")

    def build(kind: str) -> Path:
        done = run("sphinx", "-q", "-b", kind, "-d", folder / "read", BOOKS / "sphinx", folder / kind, folder=folder)
        assert done.returncode == 0, done.stderr
        return folder / kind

    return build


def plays(page: Page, address: str, title: str, theme: str) -> None:
    page.goto(address)
    frame = page.frame_locator(f'iframe[title="{title}"] >> nth=0')
    expect(frame.get_by_test_id("caption")).not_to_be_empty()
    assert frame.locator("html").get_attribute("data-theme") == theme


def test_a_program_plays_in_the_html_of_sphinx(page: Page, book: Callable[[str], Path]) -> None:
    site = book("html")
    plays(page, f"{(site / 'index.html').as_uri()}", "A first backward pass", "light")
    expect(page.frame_locator("iframe").get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "5")
    plays(page, f"{(site / 'part' / 'myst.html').as_uri()}", "A recorded program", "dark")
    assert len(list((site / "_backscope").glob("page.js"))) == 1
    assert "Print" not in page.locator("body").inner_text()


def test_what_plays_nothing_has_code_output_and_a_picture(book: Callable[[str], Path]) -> None:
    text = (book("text") / "index.txt").read_text()
    assert "y.backward()" in text and "tensor(3.)" in text
    assert len(list(book("latex").glob("*.png"))) >= 2
    epub = book("epub")
    assert len(list((epub / "_images").glob("*.png"))) >= 2
    assert "data-recording" not in (epub / "index.xhtml").read_text()
    assert "RuntimeError: element 0 of tensors" in (epub / "part" / "myst.xhtml").read_text()


def test_a_site_of_mkdocs_has_its_programs_and_the_player(tmp_path: Path) -> None:
    shutil.copytree(BOOKS / "mkdocs", tmp_path / "mkdocs")
    done = run("mkdocs", "build", "-q", "-d", tmp_path / "site", folder=tmp_path / "mkdocs")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "site" / "index.html").read_text()
    (name,) = re.findall(r'data-recording="([^"]+)"', text)
    assert 'src="_backscope/player.js"' in text
    assert {path.name for path in (tmp_path / "site" / "_backscope").iterdir()} == {
        "page.js",
        "player.js",
        f"{name}.js",
    }


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([".. backscope::", "", "   import torch", "   torch.ones(1).backward()"], "index.rst:3: the program fails"),
        ([".. backscope::", "   :expect-error:", "", "   import torch"], "index.rst:3: the program was to fail"),
        ([".. backscope::", "   :step: 0", "", "   import torch"], "step is a number from 1 on, not '0'"),
        ([".. backscope::", "   :theme: blue", "", "   import torch"], "theme is one of system, light, dark"),
        ([".. backscope:: absent.py"], "absent.py"),
    ],
)
def test_a_program_that_fails_ends_the_build_of_sphinx(tmp_path: Path, lines: list[str], reason: str) -> None:
    (tmp_path / "conf.py").write_text('extensions = ["backscope.docs"]\n')
    (tmp_path / "index.rst").write_text("\n".join(["A", "=", *lines, ""]))
    done = run("sphinx", "-q", "-b", "html", tmp_path, tmp_path / "out", folder=tmp_path)
    assert done.returncode != 0
    assert reason in done.stderr


def test_a_program_that_fails_ends_the_build_of_mkdocs(tmp_path: Path) -> None:
    shutil.copytree(BOOKS / "mkdocs", tmp_path / "site")
    page = tmp_path / "site" / "docs" / "index.md"
    page.write_text("# A\n\n``` { .backscope }\nimport torch\ntorch.ones(1).backward()\n```\n")
    done = run("mkdocs", "build", "-q", folder=tmp_path / "site")
    assert done.returncode != 0
    assert "index.md:3: the program fails in its line 2" in done.stderr


def test_every_option_is_documented() -> None:
    text = (ROOT / "engine" / "backscope" / "docs" / "README.md").read_text()
    assert re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE) == list(options.OPTIONS)
