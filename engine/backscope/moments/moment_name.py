"""Moments as authors name them, by their meaning: `before MulBackward0 #1 in pass 2`, `at line 7 in round 3`."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias, get_args

import msgspec

from backscope.runtime.known_names import one_of, quoted

When: TypeAlias = Literal["before", "at", "after"]

VARIABLE = r"[^\W\d](?:[\w.\[\]]|[^\x00-\x7f\s])*"
"""A variable, with any letter that Python takes; some letters end with signs that are none themselves."""
NODE = r"(?![a-z_])[^\W\d]\w*"
_NUMBER = r" #([1-9][0-9]{0,5})"
_TAIL = re.compile(r"(.*?)((?: in (?:pass|round) [1-9][0-9]{0,5}){0,2})")
_SCOPE = re.compile(r" in (pass|round) ([1-9][0-9]{0,5})")


class Form(msgspec.Struct, frozen=True):
    """One way to name an event of a run: an example, its pattern, what it means, and which words go before it."""

    kind: str
    written: str
    pattern: re.Pattern[str]
    meaning: str
    when: tuple[When, ...] = ("before", "after")

    @property
    def example(self) -> str:
        """The name in `written`; empty where the form has none."""
        found = self.pattern.fullmatch(self.written)
        assert found is not None
        return found[1] if self.pattern.groups else ""

    def named(self, name: str) -> str:
        """Return an event of this form as it is written, with a name in the place of the example's."""
        return self.written.replace(self.example, name, 1) if self.example else self.written


def _form(kind: str, written: str, pattern: str, meaning: str, *when: When) -> Form:
    return Form(kind, written, re.compile(pattern), meaning, when or ("before", "after"))


FORMS = (
    _form("start", "the start", "the start", "the first step of the run", "at"),
    _form("end", "the end", "the end", "the last step of the run", "at"),
    _form("error", "the error", "the error", "an error, caught or not", "before", "at"),
    _form("line", "line 7", r"line ([1-9][0-9]{0,5})", "a line of the program: the steps in a row that it makes",
          "before", "at", "after"),
    _form("op", "op mul", r"op (\w+)", "an op runs forward, by its name"),
    _form("set", "y is set", rf"({VARIABLE}) is set", "a variable is bound to a tensor"),
    _form("changes", "w changes", rf"({VARIABLE}) changes", "a tensor changes in place, also by an optimizer"),
    _form("pass", "a pass", "a pass", "a backward pass, from its start to its end"),
    _form("node", "MulBackward0", rf"({NODE})", "a node of a backward pass, by its class"),
    _form("receives", "x receives", rf"({VARIABLE}) receives", "a gradient arrives at the node of a tensor"),
    _form("accumulates", "w accumulates", rf"({VARIABLE}) accumulates", "the `.grad` of a leaf gets a gradient"),
    _form("cleared", "w.grad is cleared", rf"({VARIABLE})\.grad is cleared", "a `.grad` becomes None or zero"),
    _form("optimizer", "an optimizer step", "an optimizer step", "a step of an optimizer"),
    _form("hook", "hook clip", r"hook (\S+)", "a hook runs, by its name"),
    _form("print", "a print", "a print", "the program prints"),
)  # fmt: skip
"""Every form of an event."""
FORM_OF = {form.kind: form for form in FORMS}
"""The form of each kind of event."""


class MomentName(msgspec.Struct, frozen=True, kw_only=True):
    """A moment: an event `number` of a kind, counted from 1 within a pass and a round where these are given."""

    when: When
    kind: str
    name: str
    number: int
    in_pass: int | None
    in_round: int | None


class NotAName(ValueError):
    """The error for a text that names no moment or node; the text says what to write."""


def composed(text: str) -> str:
    """Return a name with single spaces, and its letters as Python has them in the names of variables."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def parse(text: str) -> MomentName:
    """Parse the name of a moment.

    Raises: NotAName.
    """
    words = composed(text)
    when, _, rest = words.partition(" ")
    if when not in get_args(When):
        raise NotAName(
            f"{quoted(words)} is no moment: it begins with before, at or after, as `after w accumulates #2`."
        )
    found = _TAIL.fullmatch(rest)
    assert found is not None
    event, number = found[1], 1
    scopes = _SCOPE.findall(found[2])
    if len({kind for kind, _ in scopes}) < len(scopes):
        raise NotAName(f"{quoted(words)} names two passes or two rounds: keep one of each.")
    if (counted := re.fullmatch(rf"(.*){_NUMBER}", event)) is not None:
        event, number = counted[1], int(counted[2])
    within = {kind: int(at) for kind, at in scopes}
    for form in FORMS:
        if (named := form.pattern.fullmatch(event)) is None:
            continue
        if when not in form.when:
            raise NotAName(f"{quoted(words)} is no moment: write {' or '.join(form.when)} {quoted(event)}, not {when}.")
        return MomentName(
            when=when,
            kind=form.kind,
            name=named[1] if named.re.groups else "",
            number=number,
            in_pass=within.get("pass"),
            in_round=within.get("round"),
        )
    if (counted := re.fullmatch(r"(?:the )?(pass|print|optimizer step) (\d+)", event)) is not None:
        article = "an" if counted[1].startswith("o") else "a"
        raise NotAName(
            f"{quoted(event)} is no event that a moment can name: write `{article} {counted[1]} #{counted[2]}`."
        )
    raise NotAName(
        f"{quoted(event)} is no event that a moment can name. {one_of(event, [form.written for form in FORMS])}"
    )
