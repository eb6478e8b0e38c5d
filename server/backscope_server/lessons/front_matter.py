"""Reads the front matter of a lesson: the lines `key: value` between two lines of `---`, a small part of YAML."""

from __future__ import annotations

import json
import re
from functools import partial

import msgspec

from backscope.runtime.known_names import meant, one_of, quoted
from backscope_server.lessons.lesson_error import Faults, LessonError

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
    """The keys of a lesson; `lines` has the line of each."""

    title: str
    goal: str
    learned: str
    minutes: int
    needs: list[str]
    lines: dict[str, int]


def read(text: list[str], faults: Faults) -> tuple[FrontMatter | None, int]:
    """Return the front matter of a lesson, None where it has mistakes, and the number of the first line behind it."""
    before = len(faults.found)
    end, behind = _bounds(text, faults)
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for at, line in enumerate(text[1 : end - 1], 2):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            faults.add(at, "A line of the front matter is `key: value`, as `minutes: 4`.")
            if (guess := meant(line.split()[0].rstrip(":"), KEYS)) is not None:
                lines.setdefault(guess, at)
            continue
        key, value = found[1], (found[2] or "").strip()
        if key not in KEYS:
            faults.add(at, f"There is no key {quoted(key)}. {one_of(key, KEYS)}")
            key = meant(key, KEYS) or key
        elif key in lines:
            faults.add(at, f"`{key}` is given twice: the first one is at line {lines[key]}.")
        values.setdefault(key, value)
        lines.setdefault(key, at)
    if behind > end:  # Where its end is missing, so may be a part of its keys.
        for key in (*TEXTS, "minutes"):
            if key not in lines:
                faults.add(end, f"The front matter has no `{key}`: {KEYS[key]}.")
    texts = {key: faults.attempt(partial(_text, key, values[key], lines[key])) for key in TEXTS if key in values}
    minutes = faults.attempt(partial(_minutes, values["minutes"], lines["minutes"])) if "minutes" in values else None
    needs = faults.attempt(partial(_names, values["needs"], lines["needs"])) if "needs" in values else []
    if len(faults.found) > before or minutes is None or needs is None:
        return None, behind
    given = {key: value for key, value in texts.items() if value is not None}
    return FrontMatter(**given, minutes=minutes, needs=needs, lines=lines), behind


def _bounds(text: list[str], faults: Faults) -> tuple[int, int]:
    """Return the number of the line that closes the front matter, and of the line that the rest begins with."""
    if text[0].rstrip() != _FENCE:
        faults.add(1, f"A lesson begins with front matter: a line `{_FENCE}`, then `title: ...`, `goal: ...`.")
        return 1, 1
    end = next((at for at, line in enumerate(text[1:], 2) if line.rstrip() == _FENCE), None)
    if end is not None:
        return end, end + 1
    faults.add(1, f"The front matter has no end: put a line `{_FENCE}` after its last key.")
    end = next((at for at, line in enumerate(text[1:], 2) if not _LINE.fullmatch(line.rstrip())), len(text) + 1)
    return end, end


def written_text(text: str) -> str:
    """Return a text as it is written for a key: plain where it can be, otherwise in double quotes."""
    plain = text.isprintable() and text == text.strip() and not _needs_quotes(text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def _needs_quotes(value: str) -> bool:
    first = value[:1] in tuple("'[]{}&*!|>%@`,?-#\"")
    return first or ": " in value or value.endswith(":") or " #" in value


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
    elif _needs_quotes(value):
        raise LessonError(line, f"Put the text of `{key}` in double quotes: YAML takes it for something else without.")
    if not text.strip():
        raise LessonError(line, f"`{key}` is empty: {KEYS[key]}.")
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise LessonError(
            line, f"`{key}` has half of a character, as `\\ud83d` without its other half: write the whole."
        )
    if len(text) > _LONGEST:
        raise LessonError(line, f"`{key}` has {len(text)} characters; {_LONGEST} are the most.")
    return text


def _minutes(value: str, line: int) -> int:
    if not re.fullmatch(r"[1-9]\d?", value, re.ASCII) or int(value) > 60:
        raise LessonError(line, f"`minutes` is {KEYS['minutes'].split(', ')[1]}, not {quoted(value)}.")
    return int(value)


def _names(value: str, line: int) -> list[str]:
    names = [name.strip() for name in value[1:-1].split(",")] if value[:1] == "[" and value[-1:] == "]" else [""]
    if names == [""] and value.replace(" ", "") == "[]":
        return []
    if not all(_NAME.fullmatch(name) for name in names):
        raise LessonError(line, "`needs` is a list of names of lessons, as `[01_graph, 02_chain_rule]`.")
    return names
