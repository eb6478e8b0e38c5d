"""Compares a changed program with the one of a lesson: only the part that a change allows may be different."""

from __future__ import annotations

import io
import keyword
import tokenize

from backscope_server.lessons.lesson import Edit

_LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.ENDMARKER)
_WORDS = frozenset(keyword.kwlist) - {"True", "False", "None"}
"""The keywords that are no operands: a sign after one of them belongs to what follows."""


def why_not(original: str, changed: str, edit: Edit) -> str | None:
    """Return why a change of a program is not the one that the lesson wants, None where it is."""
    if _tokens(original) == _tokens(changed):
        return "The program is still the same."
    if edit.of == "numbers":
        before, after = _tokens(original, numbers=False), _tokens(changed, numbers=False)
        if before is None or after is None or before != after:
            return "Only numbers may change here: put the rest of the program back as it was."
    if edit.of == "lines" and edit.first is not None and edit.last is not None:
        old, new = original.rstrip().split("\n"), changed.rstrip().split("\n")
        behind = len(old) - edit.last
        kept = old[: edit.first - 1] == new[: edit.first - 1] and len(new) >= edit.first - 1 + behind
        if not kept or old[len(old) - behind :] != new[len(new) - behind :]:
            lines = f"line {edit.first}" if edit.first == edit.last else f"the lines {edit.first} to {edit.last}"
            return f"Only {lines} may change here: put the other lines back as they were."
    return None


def _tokens(source: str, *, numbers: bool = True) -> list[str] | None:
    """Return the tokens of a program, with or without its numbers and their signs; None where it is no Python."""
    found: list[str] = []
    signs: list[str] = []
    operand = False
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.ERRORTOKEN:  # To read on after each takes quadratic time in the length of a line.
                return None
            if token.type in _LAYOUT:
                operand = operand and token.type != tokenize.NEWLINE
                continue
            if not numbers and token.string in ("-", "+") and not operand:
                signs.append(token.string)
                continue
            number = token.type == tokenize.NUMBER
            name = token.type == tokenize.NAME and token.string not in _WORDS
            operand = number or name or token.type == tokenize.STRING or token.string in (")", "]", "}")
            found += [] if number else signs
            signs.clear()
            found.append("0" if number and not numbers else token.string)
    except (tokenize.TokenError, SyntaxError):
        return None
    return found
