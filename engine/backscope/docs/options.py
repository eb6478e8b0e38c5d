"""The options that a program in a book may have, in every kind of book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OPTIONS = ("step", "at", "predict", "lesson", "theme", "title", "height", "expect-error")
"""Their names; README.md says what each does."""

_THEMES = ("system", "light", "dark")
_HEIGHT, _HEIGHT_OF_LESSONS = 560, 720
_APART = (
    ("step", "at"),
    ("step", "predict"),
    *(("lesson", name) for name in ("step", "at", "predict", "expect-error")),
)
"""Options of which a program has one at most."""


class BookError(Exception):
    """The error for a program in a book that cannot be shown; its text says why."""


@dataclass(frozen=True)
class Options:
    """What an author wants of a program, or of the lesson `lesson`, a path or the name of one of Backscope's own.

    The program opens at `step`, 1 for the first, or at the moment `at`, without them where a page opens. With
    `predict`, the reader first says the value of that expression at the moment. A frame `grows` where the text of a
    lesson is longer, unless its height was written.
    """

    step: int | None = None
    at: str = ""
    predict: str = ""
    lesson: str = ""
    theme: str = "system"
    title: str = ""
    height: int = _HEIGHT
    grows: bool = True
    expect_error: bool = False


def read(given: Mapping[str, str | None]) -> Options:
    """Return the options that were written.

    Raises: BookError.
    """
    unknown = sorted(given.keys() - set(OPTIONS))
    if unknown:
        raise BookError(f"there is no option {unknown[0]!r}; there are {', '.join(OPTIONS)}")
    for name in ("at", "predict", "lesson"):
        if name in given and not given[name]:
            raise BookError(f"{name} is empty")
        if "\n" in (given.get(name) or ""):
            raise BookError(f"{name} is one line, not {given[name]!r}")
    for one, other in _APART:
        if one in given and other in given:
            raise BookError(f"{one} and {other} do not go together: keep one of them")
    theme = given.get("theme") or "system"
    if theme not in _THEMES:
        raise BookError(f"theme is one of {', '.join(_THEMES)}, not {theme!r}")
    lesson, predict = given.get("lesson") or "", given.get("predict") or ""
    height = _number("height", given.get("height"), least=200)
    usual = _HEIGHT_OF_LESSONS if lesson or predict else _HEIGHT
    return Options(
        step=_number("step", given.get("step"), least=1),
        at=given.get("at") or "",
        predict=predict,
        lesson=lesson,
        theme=theme,
        title=given.get("title") or "",
        height=height or usual,
        grows=height is None,
        expect_error="expect-error" in given,
    )


def _number(name: str, text: str | None, *, least: int) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or int(text) < least:
        raise BookError(f"{name} is a number from {least} on, not {text!r}")
    return int(text)
