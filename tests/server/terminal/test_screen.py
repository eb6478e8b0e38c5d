"""Protects output on terminals without Unicode, which get ASCII for the signs of captions; others get the signs."""

from __future__ import annotations

import io
import sys

import pytest

from backscope_server.terminal.screen import Screen, plain

CAPTION = "x² × (−3) ÷ y gives “a…”."


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("utf-8", CAPTION),
        ("UTF8", CAPTION),
        ("ascii", 'x^2 * (-3) / y gives "a...".'),
        ("latin-1", 'x^2 * (-3) / y gives "a...".'),
    ],
)
def test_a_caption_is_written_as_the_encoding_has_it(monkeypatch, encoding, written):
    terminal = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(terminal, encoding=encoding))
    Screen().say(CAPTION)
    assert terminal.getvalue().decode(encoding) == written + "\n"


def test_a_character_that_the_encoding_lacks_is_escaped(monkeypatch):
    terminal = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(terminal, encoding="ascii"))
    Screen().say("β = 2⁻")
    assert terminal.getvalue() == b"\\u03b2 = 2\\u207b\n"


def test_exponents_of_two_digits_are_one_number():
    assert plain("x¹² + y³") == "x^12 + y^3"
