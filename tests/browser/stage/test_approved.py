"""The stage looks as it did when a person last approved of it, in both themes.

`BACKSCOPE_PICTURES=update .venv/bin/python -m pytest tests/browser/stage/test_approved.py` takes the pictures anew;
look at each before it is committed.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import pytest
from playwright.sync_api import Page, expect

PICTURES = Path(__file__).parent / "pictures"
UPDATE = os.environ.get("BACKSCOPE_PICTURES") == "update"

# What each picture is a picture of, and whether all of the graph is in it.
SCENES = {
    "first_backward": ("example=01_first_backward&at=8", False),
    "fan_in": ("example=10_retain_graph&at=999", False),
    "broadcast": ("example=14_broadcasting&at=5", False),
    "in_place_error": ("example=15_in_place_error&at=999", False),
    "second_mirror": ("example=12_second_derivative&at=999", True),
    "checkpoint": ("example=25_checkpoint&at=10", False),
    "loop_folded": ("example=17_mlp&at=9999&fold=loop%3A1%2F0", True),
    "module_grounds": ("example=22_module_hooks&at=999", True),
    "resnet_overview": ("example=52_resnet18&at=9999", True),
    "nan_filter": ("example=28_where_nan&at=999&show=nan", True),
}

# The sizes of the rooms around the stage, in CSS pixels: those that suit each program would be others for each picture.
SIZES = {"code": {"size": 380}, "inspector": {"size": 320}, "timeline": {"size": 120}}


# Two pictures differ where many neighbouring cells of 4 by 4 pixels do.  One machine draws the rims of letters and
# lines somewhat darker than another: averaged over a cell that is little, while a shifted node or a lost edge is much.
_COMPARE = """async ([approved, actual]) => {
  const CELL = 4, TILE = 12, MOST = 34;
  const read = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const ctx = canvas.getContext('2d', { willReadFrequently: true });
    ctx.drawImage(image, 0, 0);
    return ctx.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await read(approved), await read(actual)];
  if (a.width !== b.width || a.height !== b.height) {
    return { cells: Infinity, x: 0, y: 0, sizes: [a.width, a.height, b.width, b.height] };
  }
  const wide = Math.ceil(a.width / CELL), high = Math.ceil(a.height / CELL);
  const means = ({ data, width, height }) => {
    const sums = new Float32Array(wide * high * 3);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const cell = (Math.floor(y / CELL) * wide + Math.floor(x / CELL)) * 3;
        for (let i = 0; i < 3; i += 1) sums[cell + i] += data[(y * width + x) * 4 + i] / CELL ** 2;
      }
    }
    return sums;
  };
  const [p, q] = [means(a), means(b)];
  let worst = { cells: 0, x: 0, y: 0, sizes: null };
  // Tiles overlap by half, so that what lies on the border of one is in the middle of another.
  for (let top = 0; top < high; top += TILE / 2) {
    for (let left = 0; left < wide; left += TILE / 2) {
      let cells = 0;
      for (let y = top; y < Math.min(high, top + TILE); y += 1) {
        for (let x = left; x < Math.min(wide, left + TILE); x += 1) {
          const at = (y * wide + x) * 3;
          const most = Math.max(...[0, 1, 2].map((i) => Math.abs(p[at + i] - q[at + i])));
          if (most > MOST) cells += 1;
        }
      }
      if (cells > worst.cells) worst = { cells, x: left * CELL, y: top * CELL, sizes: null };
    }
  }
  return worst;
}"""
# Of the 144 cells of a tile.
MOST_CELLS = 5


class Difference(TypedDict):
    """The tile of two pictures in which most cells differ: how many, and where it begins, in pixels."""

    cells: float
    x: int
    y: int
    sizes: list[int] | None


def difference(page: Page, approved: bytes, actual: bytes) -> Difference:
    """How far two PNGs are apart; more than MOST_CELLS is another picture."""
    found: Difference = page.evaluate(_COMPARE, [base64.b64encode(data).decode() for data in (approved, actual)])
    return found


def settled(page: Page) -> bytes:
    """A PNG of the stage once nothing on it changes any more; raises AssertionError where something always does."""
    page.evaluate("() => document.fonts.ready.then(() => true)")
    stage = page.locator("canvas").first
    before = b""
    for _ in range(40):
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        now = stage.screenshot(animations="disabled", scale="css")
        if now == before:
            return now
        before = now
    raise AssertionError("The stage does not come to rest.")


@pytest.mark.parametrize("name", SCENES)
def test_scene(page: Page, open_page: Callable[[str], Page], tmp_path: Path, name: str) -> None:
    """A scene of the stage looks as approved."""
    fragment, whole = SCENES[name]
    # From the start: what still travels may stand for two pictures where the machine is busy.
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("(sizes) => localStorage.setItem('backscope.panels', sizes)", json.dumps(SIZES))
    open_page(f"#{fragment}")
    if whole:
        page.get_by_role("button", name="Fit the graph").click()
    page.mouse.move(0, 0)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        expect(page.locator(f"html[data-theme={scheme}]")).to_be_attached()
        actual = settled(page)
        path = PICTURES / f"{name}_{scheme}.png"
        if UPDATE:
            path.write_bytes(actual)
            continue
        found = difference(page, path.read_bytes(), actual)
        if found["cells"] > MOST_CELLS:
            seen = tmp_path / path.name
            seen.write_bytes(actual)
            pytest.fail(f"{seen} differs from {path}, most of all at {found['x']}, {found['y']}: {found}")


_DAMAGE = """async ([text, kind]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = image;
  const canvas = new OffscreenCanvas(width, height);
  const ctx = canvas.getContext('2d', { willReadFrequently: true });
  ctx.drawImage(image, 0, 0);
  const { data } = ctx.getImageData(0, 0, width, height);
  const isPaper = (x, y) => [0, 1, 2].every((i) => Math.abs(data[(y * width + x) * 4 + i] - data[i]) < 12);
  // An edge is a long upright line with nothing beside it.
  const edges = [];
  for (let x = 40; x < width - 80; x += 1) {
    for (let run = 0, y = 8; y < height - 8; y += 1) {
      const alone = !isPaper(x, y) && isPaper(x - 8, y) && isPaper(x + 10, y);
      run = alone ? run + 1 : 0;
      if (run === 24) edges.push([x, y - 24]);
    }
  }
  if (edges.length === 0) throw new Error('There is no edge in this picture.');
  const [x, y] = edges[0];
  ctx.fillStyle = `rgb(${data[0]}, ${data[1]}, ${data[2]})`;
  if (kind === 'lost edge') ctx.fillRect(x - 6, y, 14, 24);
  if (kind === 'shifted node') {
    // What the edge leads to, with all around it.
    const part = ctx.getImageData(Math.max(0, x - 60), y + 24, 120, 60);
    ctx.putImageData(part, Math.max(0, x - 60) + 5, y + 24);
  }
  if (kind === 'other colour') {
    ctx.fillStyle = '#d55e00';
    ctx.fillRect(x - 20, y + 30, 40, 20);
  }
  if (kind === 'softer rims') {
    ctx.drawImage(image, 0.2, 0.2);
  }
  if (kind === 'a digit') {
    ctx.fillRect(x + 40, y + 34, 7, 12);
    ctx.fillStyle = '#888';
    ctx.fillRect(x + 42, y + 36, 3, 8);
  }
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  const out = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(out, (byte) => String.fromCharCode(byte)).join(''));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_damage_is_seen(open_page: Callable[[str], Page], scheme: str) -> None:
    """A shifted node, a lost edge and another colour are other pictures; rims that are drawn softer are not."""
    page = open_page("")
    approved = (PICTURES / f"first_backward_{scheme}.png").read_bytes()

    def cells(kind: str) -> float:
        damaged = base64.b64decode(page.evaluate(_DAMAGE, [base64.b64encode(approved).decode(), kind]))
        return difference(page, approved, damaged)["cells"]

    for kind in ("lost edge", "shifted node", "other colour"):
        assert cells(kind) > MOST_CELLS, kind
    for kind in ("nothing", "softer rims", "a digit"):
        assert cells(kind) <= MOST_CELLS, kind
