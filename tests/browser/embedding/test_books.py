"""Protects programs in books: the example sites are built, play in HTML, and have a picture where nothing plays."""

from __future__ import annotations

import json
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

ROOT = Path(__file__).parents[3]
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
        if (folder / kind).exists():
            return folder / kind
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
    frame = page.frame_locator('iframe[title="A first backward pass"]')
    expect(frame.get_by_role("slider", name="Timeline")).to_have_attribute("aria-valuenow", "5")
    frame = page.frame_locator('iframe[title="Two passes add up"]')
    expect(frame.get_by_test_id("caption")).to_contain_text("w.grad was 3; adding 3 gives 6")
    plays(page, f"{(site / 'part' / 'myst.html').as_uri()}", "A recorded program", "dark")
    assert len(list((site / "_backscope").glob("page.js"))) == 1
    assert "Print" not in page.locator("body").inner_text()


def test_html_draws_no_picture(tmp_path: Path) -> None:
    """Only what has a picture needs the extra that draws it."""
    (tmp_path / "conf.py").write_text('extensions = ["backscope.docs"]\n')
    (tmp_path / "index.rst").write_text("A\n=\n\n.. backscope::\n\n   import torch\n   torch.ones(1)\n")
    done = run("sphinx", "-q", "-b", "html", tmp_path, tmp_path / "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    cache = tmp_path / "out" / ".doctrees" / "_backscope"
    assert {path.suffix for path in cache.iterdir()} == {".backscope"}


def test_a_reader_predicts_a_value_before_it_plays(page: Page, book: Callable[[str], Path]) -> None:
    page.goto((book("html") / "index.html").as_uri())
    place = page.locator('.backscope-run[data-page="lesson"]')
    place.scroll_into_view_if_needed()
    frame = place.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="What is w.grad?", exact=True)).to_be_visible()
    answer = frame.get_by_role("textbox", name=re.compile("your answer"))
    answer.fill("3")
    frame.get_by_role("combobox", name="Speed").select_option("fast")
    frame.get_by_role("button", name="Check").click()
    expect(
        frame.get_by_text("That is another answer. Try once more, or watch what happens.", exact=True)
    ).to_be_visible()
    answer.fill("6")
    frame.get_by_role("button", name="Check").click()
    expect(frame.get_by_text("The steps of the program show where it comes from.", exact=True)).to_be_visible()
    expect(frame.get_by_test_id("caption")).to_contain_text("adding 3 gives 6")


GROWING = """A
=

.. backscope::
   :predict: w.grad

   import torch
   w = torch.tensor(2.0, requires_grad=True)
   (w * 3).backward()

.. backscope::
   :predict: w.grad
   :height: 600

   import torch
   w = torch.tensor(2.0, requires_grad=True)
   (w * 3).backward()
"""


@pytest.mark.parametrize("width", [1440, 390])
def test_a_frame_grows_with_the_text_of_its_lesson(page: Page, tmp_path: Path, width: int) -> None:
    """With an answer too; a height that is written stays."""
    (tmp_path / "conf.py").write_text('extensions = ["backscope.docs"]\n')
    (tmp_path / "index.rst").write_text(GROWING)
    done = run("sphinx", "-q", "-b", "html", tmp_path, tmp_path / "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((tmp_path / "out" / "index.html").as_uri())
    heights = []
    for place in page.locator(".backscope-run").all():
        place.scroll_into_view_if_needed()
        frame = place.frame_locator("iframe")
        frame.get_by_role("textbox", name=re.compile("your answer")).fill("7")
        frame.get_by_role("button", name="Check").click()
        expect(frame.locator(".feedback")).to_be_visible()
        if not heights:
            page.wait_for_function("() => document.querySelector('iframe').offsetHeight > 800")
            expect(frame.locator(".lesson .body")).not_to_have_attribute("tabindex", "0")  # It scrolls no more.
        heights.append(place.locator("iframe").evaluate("(frame) => frame.offsetHeight"))
    assert heights[0] < 1000 and heights[1] == 600


def test_lessons_of_an_author_and_of_backscope_play_in_a_book(page: Page, book: Callable[[str], Path]) -> None:
    page.goto((book("html") / "part" / "myst.html").as_uri())
    for name, theme in (("A product of two numbers", "light"), ("Two paths to one leaf", "dark")):
        place = page.locator(f'.backscope-run[data-title="{name}"]')
        place.scroll_into_view_if_needed()
        frame = place.frame_locator("iframe")
        expect(frame.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect(frame.locator("html")).to_have_attribute("data-theme", theme)
        frame.get_by_role("button", name="Begin").click()
        expect(frame.get_by_test_id("caption")).not_to_have_text("Before the first step.")


def test_what_plays_nothing_has_code_output_and_a_picture(book: Callable[[str], Path]) -> None:
    text = (book("text") / "index.txt").read_text()
    assert "y.backward()" in text and "tensor(3.)" in text
    assert 'What is "w.grad" after w accumulates #2?' in text and '"w.grad" is 6.' in text
    assert len(list(book("latex").glob("*.png"))) == 7
    epub = book("epub")
    assert len(list((epub / "_images").glob("*.png"))) == 7
    assert "data-recording" not in (epub / "index.xhtml").read_text()
    assert "RuntimeError: element 0 of tensors" in (epub / "part" / "myst.xhtml").read_text()


def test_a_site_of_mkdocs_has_its_programs_and_the_player(tmp_path: Path) -> None:
    shutil.copytree(BOOKS / "mkdocs", tmp_path / "mkdocs")
    done = run("mkdocs", "build", "-q", "-d", tmp_path / "site", folder=tmp_path / "mkdocs")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "site" / "index.html").read_text()
    names = re.findall(r'data-recording="([^"]+)"', text)
    assert len(names) == 3
    assert 'src="_backscope/player.js"' in text
    assert {path.name for path in (tmp_path / "site" / "_backscope").iterdir()} == {
        "lesson.js",
        "page.js",
        "player.js",
        *(f"{name}.js" for name in names),
    }


@pytest.mark.parametrize(
    "lines",
    [
        ["``` backscope step=5", "import torch", "```"],
        ["``` backscope step=5", "import torch", "", "torch.ones(1)", "```"],
        ["* A list", "", "   ``` backscope step=5", "   import torch", "   ```"],
    ],
)
def test_a_fence_that_markdown_does_not_take_ends_the_build(tmp_path: Path, lines: list[str]) -> None:
    shutil.copytree(BOOKS / "mkdocs", tmp_path / "site")
    page = tmp_path / "site" / "docs" / "index.md"
    page.write_text("\n".join(["# A", "", *lines, ""]))
    done = run("mkdocs", "build", "-q", folder=tmp_path / "site")
    assert done.returncode != 0
    line = next(at for at, text in enumerate(lines, 3) if "backscope" in text)
    assert f"index.md:{line}: Markdown does not take this for a fence: ``` backscope step=5" in done.stderr


def test_a_fence_that_is_shown_as_one_ends_no_build(tmp_path: Path) -> None:
    shutil.copytree(BOOKS / "mkdocs", tmp_path / "site")
    page = tmp_path / "site" / "docs" / "index.md"
    page.write_text("````markdown\n``` backscope step=5\nimport torch\n```\n````\n\nand `backscope\nrun`\n")
    done = run("mkdocs", "build", "-q", folder=tmp_path / "site")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")
def test_the_filter_of_pandoc_plays_in_html_and_prints_elsewhere(page: Page, tmp_path: Path) -> None:
    shutil.copytree(BOOKS / "quarto", tmp_path / "pandoc")
    folder = tmp_path / "pandoc"
    (folder / "site").mkdir()
    command = ["pandoc", "-s", "index.md", "-L", str(ROOT / "engine" / "backscope" / "docs" / "quarto.lua"), "-o"]
    variables = {**os.environ, "BACKSCOPE_PYTHON": sys.executable}
    for target in ("site/index.html", "out.md"):
        subprocess.run([*command, target], cwd=folder, env=variables, check=True)
    plays(page, (folder / "site" / "index.html").as_uri(), "A first backward pass", "light")
    text = (folder / "out.md").read_text()
    assert 'say "hi" tensor(3.)' in text and "`w.grad` is 4." in text and text.count(".png") == 2
    page_file = folder / "index.md"
    page_file.write_text("``` {.backscope}\nimport torch\ntorch.ones(1).backward()\n```\n")
    done = subprocess.run([*command, "x.html"], cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "the program fails in its line 2" in done.stderr


def test_the_plugin_of_myst_makes_a_widget(page: Page, tmp_path: Path) -> None:
    command = [sys.executable, str(BOOKS / "myst" / "backscope_plugin.py")]
    spec = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    (directive,) = spec["directives"]
    assert list(directive["options"]) == list(options.OPTIONS)
    body = "import torch\nw = torch.tensor(2.0, requires_grad=True)\n(w * 3).backward()"
    given = json.dumps({"name": "backscope", "options": {"at": "w accumulates", "title": "A"}, "body": body})
    done = subprocess.run(
        [*command, "--directive", "backscope"], input=given, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (widget,) = json.loads(done.stdout)
    assert widget["type"] == "anywidget"
    module = (tmp_path / widget["esm"].lstrip("/")).read_text()
    script = f"{module.replace('export default', 'const widget =')}; const model = {json.dumps(widget['model'])};"
    shown = "widget.render({ model: { get: (name) => model[name] }, el: document.body });"
    (tmp_path / "page.html").write_text(f'<body><script type="module">{script}{shown}</script></body>')
    page.goto((tmp_path / "page.html").as_uri())
    expect(page.frame_locator("iframe").get_by_test_id("caption")).to_contain_text("w.grad was None; it is now 3.")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([".. backscope::", "", "   import torch", "   torch.ones(1).backward()"], "index.rst:3: the program fails"),
        ([".. backscope::", "   :expect-error:", "", "   import torch"], "index.rst:3: the program was to fail"),
        ([".. backscope::", "   :step: 0", "", "   import torch"], "step is a number from 1 on, not '0'"),
        (
            [".. backscope::", "   :step: 9", "", "   import torch", "   torch.ones(1)"],
            "3: step: no step 9: there is 1 step",
        ),
        ([".. backscope::", "   :at: line 9", "", "   import torch"], "There is no moment 'at line 9'"),
        ([".. backscope::", "   :at: somewhere", "", "   import torch"], "is no event that a moment can name"),
        (
            [".. backscope::", "   :predict: w", "", "   import torch"],
            "index.rst:3: predict: `w` has no value at the end",
        ),
        (
            [".. backscope::", "   :predict: w", "", "   open('conf.py')"],
            "index.rst:3: line 1 of the program: The program fails",
        ),
        ([".. backscope::", "   :predict: 1", "   :at: line 9", "", "   import torch"], "index.rst:3: at: There is no"),
        ([".. backscope::", "   :lesson: absent"], "no lesson of Backscope's named 'absent'"),
        ([".. backscope::", "   :lesson: 01_graph", "   :step: 3"], "lesson and step do not go together"),
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
