"""Lessons of a book: an author's own, one of Backscope's, and one that is made of a question about a program."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from backscope.docs.options import BookError, Options
from backscope.docs.recording import Recorded, key_of, run_child, whole_name

_CHILD = "backscope_server.command.book_lesson"
TIME_LIMIT = 300
"""Seconds that all programs of a lesson may take."""
_NO_SERVER = "lessons and predictions need Backscope's server: pip install 'backscope[docs]'"


class Part(msgspec.Struct):
    """A part of what is printed: a text, a program, an output, or a step of a program to be drawn, 1 for the first."""

    kind: Literal["text", "code", "output", "picture"]
    text: str = ""
    trace: int = 0
    step: int | None = None


class Solved(msgspec.Struct):
    """A lesson whose programs have run: `about` is the data that its page reads, `printed` what a PDF or EPUB shows."""

    faults: list[tuple[int, str]]
    title: str = ""
    about: dict[str, Any] = {}
    traces: list[bytes] = []
    printed: list[Part] = []


def solve(text: str, name: str, cache: Path, place: Callable[[int], str]) -> tuple[str, Solved]:
    """Solve a lesson, or take what a build before this one has made; return its key too.

    Without a text, it is the lesson of Backscope's own that has this name; errors name its lines by `place`.

    Raises: BookError.
    """
    if importlib.util.find_spec("backscope_server") is None:
        raise BookError(_NO_SERVER)
    cache.mkdir(parents=True, exist_ok=True)
    key = key_of("lesson", name, text)
    path = cache / f"{key}.json"
    if not path.exists():
        run_child(["-m", _CHILD, name, str(path)], text, path, "the lesson", TIME_LIMIT)
    solved = msgspec.json.decode(path.read_bytes(), type=Solved)
    if solved.faults:
        path.unlink()
        raise BookError("\n".join(f"{place(line)}: {fault}" for line, fault in solved.faults))
    return key, solved


_BEFORE_PROGRAM = 8
"""Lines of a question before those of its program."""


def place_in_question(line: int, source: str, options: Options) -> str:
    """Return what an author has written that a line of `question` comes from: a line of the program, or an option."""
    line_of_program = line - _BEFORE_PROGRAM
    if 0 < line_of_program <= len(source.rstrip().splitlines()):
        return f"line {line_of_program} of the program"
    return "title" if line == 2 and options.title else "predict"


def question(source: str, recorded: Recorded, options: Options) -> str:
    """Return a lesson that asks for a value in a program before it plays.

    Raises: BookError.
    """
    moment = whole_name(options.at or "at the end")
    expression = options.predict
    fence = "`" * max([4, *(len(ticks) + 1 for ticks in re.findall("`+", source))])
    raises = f' raises="{recorded.error_type}"' if recorded.error_type and recorded.error is not None else ""
    at, ask = (text.replace("\\", "\\\\").replace('"', '\\"') for text in (moment, expression))
    title = options.title or f"What is {expression}?"
    return f"""---
title: {json.dumps(title, ensure_ascii=False)}
goal: {json.dumps(f"Say what {expression} is", ensure_ascii=False)}
learned: {json.dumps(f"What {expression} is, and which steps make it so.", ensure_ascii=False)}
minutes: 1
---
:::{{program}}{raises}
{fence}python
{source.rstrip()}
{fence}
:::

:::{{predict}} at="{at}" ask="{ask}"
What is `{expression}` {moment}?
- right: The steps of the program show where it comes from.
:::
"""
