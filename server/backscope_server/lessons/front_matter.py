"""Reads the front matter of a lesson: the lines `key: value` between two lines of `---`, a small part of YAML."""

from __future__ import annotations

import json
import re

import msgspec

from backscope_server.lessons.lesson_error import LessonError, one_of

TEXTS = {
    "title": "what the lesson is called",
    "goal": "what a reader can do after it, as `Say why ...`",
    "learned": "the sentence that a reader takes home, shown at the end",
}
"""The keys that every lesson has, with a text each."""
OTHERS = {
    "minutes": "how long it takes, a whole number from 1 to 60",
    "needs": "the lessons that come before, as `[01_graph, 02_chain_rule]`; none where this is left out",
}
KEYS = {**TEXTS, **OTHERS}
"""Every key and its meaning."""

_LINE = re.compile(r"([A-Za-z_]\w*):(?:[ \t]+(.*))?")
_NAME = re.compile(r"\w+", re.ASCII)
_LONGEST = 200
_FENCE = "---"


class FrontMatter(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a lesson; `lines` has the line of each, and `end` the line of the closing `---`."""

    title: str
    goal: str
    learned: str
    minutes: int
    needs: list[str]
    lines: dict[str, int]
    end: int


def read(text: list[str]) -> FrontMatter:
    """Read the front matter at the beginning of a lesson's lines.

    Raises: LessonError.
    """
    if not text or text[0].rstrip() != _FENCE:
        raise LessonError(1, f"A lesson begins with front matter: a line `{_FENCE}`, then `title: ...`, `goal: ...`.")
    end = next((at for at, line in enumerate(text[1:], 2) if line.rstrip() == _FENCE), None)
    if end is None:
        raise LessonError(1, f"The front matter has no end: put a line `{_FENCE}` after its last key.")
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for at, line in enumerate(text[1 : end - 1], 2):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            raise LessonError(at, "A line of the front matter is `key: value`, as `minutes: 4`.")
        key, value = found[1], (found[2] or "").strip()
        if key not in KEYS:
            raise LessonError(at, f"There is no key {key!r}. {one_of(key, KEYS)}")
        if key in lines:
            raise LessonError(at, f"`{key}` is given twice: the first one is at line {lines[key]}.")
        values[key], lines[key] = value, at
    for key in (*TEXTS, "minutes"):
        if key not in values:
            raise LessonError(end, f"The front matter has no `{key}`: {KEYS[key]}.")
    return FrontMatter(
        **{key: _text(key, values[key], lines[key]) for key in TEXTS},
        minutes=_minutes(values["minutes"], lines["minutes"]),
        needs=_names(values["needs"], lines["needs"]) if "needs" in values else [],
        lines=lines,
        end=end,
    )


def _text(key: str, value: str, line: int) -> str:
    """Read a text, plain or in double quotes; a plain one that YAML takes for something else is refused."""
    text = value
    if value[:1] == '"':
        try:
            text = json.loads(value)
        except ValueError:
            raise LessonError(
                line, f'`{key}` begins with `"` and does not end as a quoted text: check its quotes.'
            ) from None
    elif value[:1] in tuple("'[]{}&*!|>%@`,?-#") or ": " in value or value.endswith(":") or " #" in value:
        raise LessonError(line, f"Put the text of `{key}` in double quotes: YAML takes it for something else without.")
    if not text.strip():
        raise LessonError(line, f"`{key}` is empty: {KEYS[key]}.")
    if len(text) > _LONGEST:
        raise LessonError(line, f"`{key}` has {len(text)} characters; {_LONGEST} are the most.")
    return text


def _minutes(value: str, line: int) -> int:
    if not re.fullmatch(r"[1-9]\d?", value, re.ASCII) or int(value) > 60:
        raise LessonError(line, f"`minutes` is {KEYS['minutes'].split(', ')[1]}, not {value!r}.")
    return int(value)


def _names(value: str, line: int) -> list[str]:
    names = [name.strip() for name in value[1:-1].split(",")] if value[:1] == "[" and value[-1:] == "]" else [""]
    if names == [""] and value.replace(" ", "") == "[]":
        return []
    if not all(_NAME.fullmatch(name) for name in names):
        raise LessonError(line, "`needs` is a list of names of lessons, as `[01_graph, 02_chain_rule]`.")
    return names
