"""Protects the confusions: there is one for each that people have most often, as tests/confusions.json counts them."""

from __future__ import annotations

import json
from pathlib import Path

from backscope_server.lessons.confusion import CONFUSIONS

KNOWN = json.loads((Path(__file__).parents[2] / "confusions.json").read_text(encoding="utf-8"))


def test_there_is_one_for_each_row():
    assert len(CONFUSIONS) == max(one["row"] for one in KNOWN) == 15


def test_each_is_a_name_and_a_sentence():
    for name, text in CONFUSIONS.items():
        assert name.isidentifier()
        assert text.endswith(".")
        assert len(text) <= 200
