"""Protects pictures of a moment: of the whole graph or of what is seen, in both themes, in pixels and as vectors."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

SVG = "{http://www.w3.org/2000/svg}"


def colours(png: bytes) -> tuple[int, int, set[bytes]]:
    """Width, height and the colours of a PNG whose rows are not interlaced, at every 16th pixel without a filter."""
    width, height = struct.unpack(">II", png[16:24])
    packed, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            packed += png[at + 8 : at + 8 + length]
        at += length + 12
    pixels = zlib.decompress(packed)
    return width, height, {pixels[i : i + 4] for i in range(0, len(pixels), 64)}


def test_a_moment_is_saved_as_png_and_as_svg(open_page: Callable[[str], Page], tmp_path: Path) -> None:
    page = open_page("")
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    sentence = page.get_by_test_id("caption").inner_text()
    page.get_by_role("button", name="Export", exact=True).click()
    panel = page.get_by_role("dialog", name="Export")

    def saved(button: str) -> bytes:
        with page.expect_download() as download:
            panel.get_by_role("button", name=button, exact=True).click()
        assert download.value.suggested_filename.endswith(f".{button.lower()}")
        return Path(download.value.path()).read_bytes()

    whole = saved("PNG")
    width, height, found = colours(whole)
    expect(panel.get_by_text(f"Saved, {width} × {height}.")).to_be_visible()
    assert width > 400 and height > 400
    assert len(found) > 20, "A picture of one colour is blank."

    drawn = ET.fromstring(saved("SVG"))
    assert (float(drawn.get("width", "0")), float(drawn.get("height", "0"))) == (width / 2, height / 2)
    texts = [text.text or "" for text in drawn.iter(f"{SVG}text")]
    assert any("MulBackward0" in text or "AddBackward0" in text for text in texts)
    assert " ".join(sentence.split()) in " ".join(texts)
    assert (drawn.findtext(f"{SVG}title") or "") == sentence
    assert "data:font/woff2;base64," in (drawn.findtext(f"{SVG}style") or "")

    # What one sees is as large as the stage, when it is without the caption; in the other theme its paper is dark.
    stage = page.locator("canvas").first.bounding_box()
    panel.get_by_label("What is shown").select_option("What I see")
    panel.get_by_label("Colours").select_option("Dark")
    panel.get_by_label("With the caption").uncheck()
    seen = saved("PNG")
    assert stage is not None
    assert colours(seen)[:2] == (round(stage["width"]) * 2, round(stage["height"]) * 2)
    dark = ET.fromstring(saved("SVG"))
    (ground,) = list(dark.iter(f"{SVG}rect"))[:1]
    assert ground.get("fill") == "#141516"
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    (tmp_path / "whole.png").write_bytes(whole)
    (tmp_path / "seen.png").write_bytes(seen)

    # As a picture in a page: the browser takes it for a sound one, and of that size.
    size = page.evaluate(
        """async (text) => {
          const image = new Image();
          image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
          await image.decode();
          return [image.naturalWidth, image.naturalHeight];
        }""",
        ET.tostring(drawn, encoding="unicode"),
    )
    assert size == [width // 2, height // 2]
