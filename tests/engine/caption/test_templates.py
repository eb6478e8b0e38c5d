"""Protects: every template of captions is said by the engine, and everywhere with exactly the places that it has."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import backscope.caption
from backscope.protocol.sentences import PLACE, templates

ROOM = Path(backscope.caption.__file__).parent
FOR_THE_PAGE = "before_backward."
"""The keys of the sentences over the page's play button, which only the page shows."""


def calls() -> dict[str, list[set[str] | None]]:
    """Return the names of what each use of a template fills in; None for a use with a table."""
    found: dict[str, list[set[str] | None]] = {}
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say"):
                continue
            (name,) = node.args
            assert isinstance(name, ast.Constant), f"{path.name}, line {node.lineno}: a template is named by a text"
            places = {keyword.arg for keyword in node.keywords if keyword.arg is not None}
            is_table = any(keyword.arg is None for keyword in node.keywords)
            found.setdefault(str(name.value), []).append(None if is_table else places)
    return found


CALLS = calls()


@pytest.mark.parametrize("name", [name for name in templates() if not name.startswith(FOR_THE_PAGE)])
def test_a_template_is_said_with_its_places(name):
    assert name in CALLS, "no caption of the engine says this"
    for places in CALLS[name]:
        assert places in (None, set(PLACE.findall(templates()[name])))


def test_what_is_said_has_a_template():
    assert CALLS.keys() <= templates().keys()
