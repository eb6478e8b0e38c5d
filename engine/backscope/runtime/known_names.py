"""Messages about names that are not known: the one that was probably meant, and those that there are."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 80
_MOST_NAMES = 20


def meant(wrong: str, known: Iterable[str]) -> str | None:
    """Return the known name that an unknown one is most like, None where it is like none."""
    return next(iter(get_close_matches(wrong[:_LONGEST], list(known), 1)), None)


def one_of(wrong: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the name that was probably meant, and known ones."""
    names = list(known)
    if not names:
        return "There is none."
    guess = meant(wrong, names)
    start = f"Did you mean {guess}? " if guess is not None else ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{start}There {'is' if len(names) == 1 else 'are'}: {', '.join(names[:_MOST_NAMES])}{more}."


def quoted(text: str) -> str:
    """Return a text in quotation marks for a message, a long one shortened."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
