"""Protects FORMAT.md: it has every key, block, attribute, item, moment, node and confusion, and its example holds."""

from __future__ import annotations

import re
from typing import get_args

from backscope.moments import moment_name
from backscope_server.lessons import front_matter, lesson_file, node_name
from backscope_server.lessons.block_parts import ATTRIBUTES, ITEM_ATTRIBUTES, ITEMS, PANELS
from backscope_server.lessons.confusion import CONFUSIONS
from backscope_server.lessons.lesson import PanelName

DOCUMENT = lesson_file.FORMAT.read_text(encoding="utf-8")


def rows(*heading: str) -> list[list[str]]:
    """Return the rows of the table with this heading, without the marks of code."""
    _, _, table = DOCUMENT.partition(f"| {' | '.join(heading)} |\n")
    lines = table.split("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in re.split(r" \| ", line.strip("| "))] for line in lines]


def code(*cells: str) -> list[str]:
    return [f"`{cell}`" for cell in cells]


def test_every_key_is_documented():
    assert rows("key", "what it is") == [[f"`{key}`", meaning] for key, meaning in front_matter.KEYS.items()]


def test_every_block_and_attribute_is_documented():
    expected = [[*code(block, name), meaning] for block, names in ATTRIBUTES.items() for name, meaning in names.items()]
    assert rows("block", "attribute", "what it is") == expected
    for block in ATTRIBUTES:
        assert f"`{block}`" in DOCUMENT


def test_every_panel_is_documented():
    assert rows("panel", "what is in it") == [[f"`{name}`", meaning] for name, meaning in PANELS.items()]
    assert list(PANELS) == list(get_args(PanelName))


def test_every_item_is_documented():
    expected = [[*code(block, name), meaning] for block, names in ITEMS.items() for name, meaning in names.items()]
    assert rows("block", "item", "what it is") == expected
    assert rows("attribute of items", "what it is") == [[f"`{k}`", v] for k, v in ITEM_ATTRIBUTES.items()]


def test_every_form_of_a_moment_is_documented():
    expected = [
        [f"`{form.written}`", form.meaning, ", ".join(f"`{when}`" for when in form.when)] for form in moment_name.FORMS
    ]
    assert rows("event", "what it is", "goes with") == expected


def test_every_form_of_a_node_is_documented():
    assert rows("node", "what it is") == [[f"`{form}`", meaning] for form, meaning in node_name.FORMS.items()]


def test_every_confusion_is_documented():
    assert rows("confusion", "its sentence") == [[f"`{name}`", text] for name, text in CONFUSIONS.items()]


def test_the_example_holds(checked, tmp_path):
    (example,) = re.findall(r"^````markdown\n(.*?)^````$", DOCUMENT, re.DOTALL | re.MULTILINE)
    (tmp_path / "01_graph.md").write_text("")
    path = tmp_path / "02_example.md"
    path.write_text(example, encoding="utf-8")
    found = checked(path)
    assert found.faults == []
    assert found.summary == "1 moment, 1 prediction, 1 change"


def test_the_moments_in_the_text_are_well_formed():
    moments = re.findall(r"`((?:before|after|at) [^`]*)`", " ".join(DOCUMENT.split()))
    assert len(moments) >= 4
    for moment in moments:
        moment_name.parse(moment)
