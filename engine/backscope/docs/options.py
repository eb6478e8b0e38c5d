"""The options that a program in a book may have, in every kind of book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OPTIONS = ("step", "theme", "title", "height", "expect-error")
"""Their names; README.md says what each does."""

_THEMES = ("system", "light", "dark")
_HEIGHT = 560


class BookError(Exception):
    """The error for a program in a book that cannot be shown; its text says why."""


@dataclass(frozen=True)
class Options:
    """What an author wants of a program: the step to open at, 1 for the first, None for the one a page opens at."""

    step: int | None = None
    theme: str = "system"
    title: str = ""
    height: int = _HEIGHT
    expect_error: bool = False


def read(given: Mapping[str, str | None]) -> Options:
    """Return the options that were written.

    Raises: BookError.
    """
    unknown = sorted(given.keys() - set(OPTIONS))
    if unknown:
        raise BookError(f"there is no option {unknown[0]!r}; there are {', '.join(OPTIONS)}")
    theme = given.get("theme") or "system"
    if theme not in _THEMES:
        raise BookError(f"theme is one of {', '.join(_THEMES)}, not {theme!r}")
    return Options(
        step=_number("step", given.get("step"), least=1),
        theme=theme,
        title=given.get("title") or "",
        height=_number("height", given.get("height"), least=200) or _HEIGHT,
        expect_error="expect-error" in given,
    )


def _number(name: str, text: str | None, *, least: int) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or int(text) < least:
        raise BookError(f"{name} is a number from {least} on, not {text!r}")
    return int(text)
