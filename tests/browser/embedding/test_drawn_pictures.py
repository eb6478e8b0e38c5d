"""Protects pictures that are drawn without a browser: they are those of the page's own export."""

from __future__ import annotations

import io
import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import av
import PIL.Image
import pytest
from playwright.sync_api import Page

from backscope import pictures
from backscope.program import runner
from backscope.protocol import trace
from backscope_server.command import cli

EXAMPLES = Path(cli.__file__).parents[1] / "examples"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that records an example."""
    folder = tmp_path_factory.mktemp("recorded")

    def record(number: str) -> Path:
        path = folder / f"{number}.backscope"
        lines: list[bytes] = []
        (source,) = EXAMPLES.glob(f"{number}_*.py")
        runner.run(source.read_text(), lambda batch: lines.extend(batch.splitlines()))
        trace.write(path, lines)
        return path

    return record


def shapes(svg: str) -> list[tuple[str, dict[str, str], str]]:
    """Return what a picture draws, in its order."""
    return [
        (one.tag, dict(one.attrib), one.text or "") for one in ET.fromstring(svg).iter() if one.tag != f"{SVG}style"
    ]


@pytest.mark.parametrize("number", ["01", "14", "38"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_the_pages_own_picture(
    open_page: Callable[[str], Page], recorded: Callable[[str], Path], number: str, theme: str
) -> None:
    path = recorded(number)
    (name,) = [source.stem for source in EXAMPLES.glob(f"{number}_*.py")]
    page = open_page(f"#example={name}")
    page.set_viewport_size({"width": 1900, "height": 1000})
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Export", exact=True).click()
    panel = page.get_by_role("dialog", name="Export")
    panel.get_by_label("Colours").select_option(theme.capitalize())
    with page.expect_download() as download:
        panel.get_by_role("button", name="SVG", exact=True).click()
    # The styles of the built page have their colours as short as they can be.
    of_page = Path(download.value.path()).read_text().replace('"#fff"', '"#ffffff"')
    step = int(re.search(r"-(\d+)\.svg$", download.value.suggested_filename)[1])
    ours = pictures.svg(path, step=step, theme=theme)
    assert shapes(ours) == shapes(of_page)
    assert ours == of_page


def test_a_step_has_the_size_and_the_sentence_that_are_wanted(recorded: Callable[[str], Path]) -> None:
    path = recorded("01")
    drawn = pictures.picture_of_step(path, step=3, width=400)
    assert (drawn.width, drawn.step) == (400, 3)
    assert drawn.caption in ET.fromstring(drawn.svg).findtext(f"{SVG}title", "")
    plain = pictures.picture_of_step(path, step=3, width=400, caption=False)
    assert plain.height < drawn.height
    picture = PIL.Image.open(io.BytesIO(pictures.png(path, step=3, width=400)))
    assert picture.size == (400, drawn.height)
    assert len(picture.convert("RGB").getcolors(100_000)) > 20
    assert picture.convert("RGB").getpixel((0, 0)) == (0xFB, 0xFA, 0xF7)
    dark = PIL.Image.open(io.BytesIO(pictures.png(path, step=3, theme="dark")))
    assert dark.convert("RGB").getpixel((0, 0)) == (0x14, 0x15, 0x16)


def test_letters_are_those_of_the_page_though_a_system_font_has_a_sign(recorded: Callable[[str], Path]) -> None:
    drawn = pictures.picture_of_step(recorded("32"), fonts=False)
    assert drawn.foreign
    texts = list(ET.fromstring(drawn.svg).iter(f"{SVG}text"))
    assert [one.text for one in texts if one.get("font-family") == "monospace"] == ["→"]
    before, after = (next(one for one in texts if one.text == text) for text in ("sum(y [1, 1]) ", " 0.1714"))
    assert float(after.get("x")) - float(before.get("x")) == pytest.approx(15 * 0.6 * float(before.get("font-size")))


def test_a_film_begins_with_its_step_and_has_a_picture_for_each(recorded: Callable[[str], Path]) -> None:
    path = recorded("01")
    wide = {"width": 240, "speed": "fast"}
    first = PIL.Image.open(io.BytesIO(pictures.gif(path, 3, 3, **wide))).convert("RGB")
    film = PIL.Image.open(io.BytesIO(pictures.gif(path, 3, 5, **wide)))
    assert film.n_frames == 3 and film.info["loop"] == 0
    durations = []
    for frame in range(film.n_frames):
        film.seek(frame)
        durations.append(film.info["duration"])
    assert durations[-1] == 1500
    film.seek(0)
    assert film.width == first.width == 240
    assert len(film.convert("RGB").getcolors(100_000)) > 10

    packed = pictures.webm(path, 3, 5, **wide)
    with av.open(io.BytesIO(packed)) as opened:
        frames = list(opened.decode(video=0))
        assert opened.streams.video[0].codec.name in ("vp8", "libvpx")
    assert len(frames) == 4  # The last picture comes once more at the end.
    assert frames[0].width == 240 and frames[0].height % 2 == 0
    still, shown = frames[0].to_image().convert("L"), film.convert("L").resize((240, frames[0].height))
    apart = [abs(a - b) for a, b in zip(still.tobytes(), shown.tobytes(), strict=True)]
    assert sum(apart) / len(apart) < 6


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--svg", "--step", "99"], "The steps of this run are 1 to "),
        (["--svg", "--step", "0"], "The steps of this run are 1 to "),
        (["--gif", "--range", "5-3"], "The steps of this run are 1 to "),
        (["--gif", "--range", "3-99"], "The steps of this run are 1 to "),
    ],
)
def test_a_step_that_is_not_there_is_said(
    recorded: Callable[[str], Path], capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str
) -> None:
    path = recorded("01")
    assert cli.main(["export", str(path), *arguments]) == 1
    assert reason in capsys.readouterr().err
    assert [one for one in path.parent.iterdir() if one.suffix != ".backscope"] == []


def test_what_is_no_recording_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = tmp_path / "lesson.md"
    lesson.write_text(next(iter((EXAMPLES.parent / "lessons" / "text").glob("*.md"))).read_text())
    assert cli.main(["export", str(lesson), "--svg"]) == 1
    assert "lesson.md: " in capsys.readouterr().err
    empty = tmp_path / "empty.backscope"
    trace.write(empty, [])
    assert cli.main(["export", str(empty), "--svg"]) == 1
    assert "empty.backscope: " in capsys.readouterr().err


def test_node_ends_with_who_wanted_the_pictures(recorded: Callable[[str], Path]) -> None:
    wanted = {"film": True, "from": 1, "to": 9, "theme": "light", "width": 240, "speed": "normal", "fonts": False}
    shots = pictures.drawing.draw(recorded("01"), wanted)
    next(shots)
    shots.close()
    left = subprocess.run(["pgrep", "-f", "picture.mjs"], capture_output=True, text=True, check=False).stdout
    assert left == ""
