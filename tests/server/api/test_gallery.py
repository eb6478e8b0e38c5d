"""Protects the gallery: it has every example, with a picture of its current program, and one for each mechanism."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from backscope_server.api import example

FOLDER = Path(__file__).parents[3] / "web" / "src" / "examples"
THEMES = ("light", "dark")
TOPICS = json.loads((FOLDER / "topics.json").read_text(encoding="utf-8"))
MOMENTS = json.loads((FOLDER / "moments.json").read_text(encoding="utf-8"))
CARDS = [card for topic in TOPICS for card in topic["examples"]]
TAUGHT = {
    "fan-in",
    "broadcast",
    "accumulation",
    "freeing",
    "retain_graph",
    "second backward",
    "in-place",
    "detach",
    "hooks",
    "NaN",
    "create_graph",
    "checkpoint",
    "optimizer",
    "truncation",
}
MOST_BYTES = 1_200_000


def test_every_example_is_in_the_gallery_once():
    assert sorted(card["name"] for card in CARDS) == [found.name for found in example.load()]


def test_every_mechanism_has_an_example():
    assert sorted(card["teaches"] for card in CARDS if "teaches" in card) == sorted(TAUGHT)


@pytest.mark.parametrize("found", example.load(), ids=lambda found: found.name)
def test_a_picture_is_up_to_date(found):
    recorded = MOMENTS[found.name]
    assert recorded["source"] == hashlib.sha256(found.source.encode()).hexdigest()[:16], (
        "run tests/browser/record_gallery.py with its name"
    )
    (words,) = [card["moment"] for card in CARDS if card["name"] == found.name]
    assert words in recorded["caption"]
    for theme in THEMES:
        assert (FOLDER / "thumbnails" / f"{found.name}.{theme}.webp").read_bytes()[8:12] == b"WEBP"


def test_pictures_are_light_and_belong_to_an_example():
    pictures = list((FOLDER / "thumbnails").iterdir())
    names = {f"{found.name}.{theme}.webp" for found in example.load() for theme in THEMES}
    assert {path.name for path in pictures} == names
    assert sum(path.stat().st_size for path in pictures) < MOST_BYTES
