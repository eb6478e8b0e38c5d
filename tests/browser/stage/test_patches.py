"""Protects: seen from afar, a step draws only what it changes, and the stage looks as if all of it were drawn anew."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from stepping import step_by_nodes

# Counts how often less than the whole was drawn.
COUNT = """() => {
    window.patches = 0;
    const { clip } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clip = function (...args) {
        if (this.canvas === document.querySelector('canvas')) window.patches += 1;
        return clip.apply(this, args);
    };
}"""
# The stage on white, once the frames are drawn that were asked for.
READ = """() => new Promise((read) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const stage = document.querySelector('canvas');
    const copy = new OffscreenCanvas(stage.width, stage.height);
    const ctx = copy.getContext('2d', { willReadFrequently: true });
    ctx.fillStyle = 'white';
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(stage, 0, 0);
    [window.before, window.pixels] = [window.pixels, ctx.getImageData(0, 0, copy.width, copy.height).data];
    read(null);
})))"""
DIFFERENCE = "() => window.pixels.reduce((most, value, i) => Math.max(most, Math.abs(value - window.before[i])), 0)"
# Of 255.  Lines that share a path are joined more or less finely, so that a pixel of a faint line may differ a little.
MOST = 24
# How far one can zoom out, and what a turn of the wheel does, as the page has it.
LEAST_SCALE, RATE = 0.02, 0.0016
# The area of a checkpoint stands around all of its ops.
WHOLE = {"25_checkpoint"}


@pytest.mark.parametrize(
    ("example", "at", "scale"),
    [
        ("17_mlp", 40, 0.1),
        ("52_resnet18", 30, 0.03),
        ("52_resnet18", 200, 0.12),
        ("50_scalar_mlp", 300, 0.12),
        ("25_checkpoint", 10, 0.12),
    ],
)
def test_a_step_from_afar_is_drawn_as_the_whole_is(
    open_page: Callable[[str], Page], page: Page, example: str, at: int, scale: float
) -> None:
    """After steps forth and back; a change of the theme and back draws all anew."""
    page.emulate_media(reduced_motion="reduce", color_scheme="light")
    open_page(f"#example={example}&at={at}")
    slider = page.get_by_role("slider", name="Timeline")
    moment = at + 1
    expect(slider).to_have_attribute("aria-valuenow", str(moment))
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for delta in [400] * 12 + [-math.log(scale / LEAST_SCALE) / RATE]:
        page.mouse.wheel(0, delta)
    page.mouse.move(0, 0)
    step_by_nodes(page)
    page.evaluate(COUNT)
    for key, change in [("ArrowRight", 1)] * 5 + [("ArrowLeft", -1)] * 2:
        page.keyboard.press(key)
        moment += change
        expect(slider).to_have_attribute("aria-valuenow", str(moment))
        page.evaluate(READ)
    assert (page.evaluate("window.patches") > 0) == (example not in WHOLE)
    root = page.locator("html")
    page.emulate_media(color_scheme="dark")
    expect(root).to_have_attribute("data-theme", "dark")
    page.evaluate(READ)
    assert page.evaluate(DIFFERENCE) > MOST
    page.emulate_media(color_scheme="light")
    expect(root).to_have_attribute("data-theme", "light")
    stepped = "() => { window.stepped = window.before; }"
    page.evaluate(stepped)
    page.evaluate(READ)
    page.evaluate("() => { window.before = window.stepped; }")
    assert page.evaluate(DIFFERENCE) <= MOST
