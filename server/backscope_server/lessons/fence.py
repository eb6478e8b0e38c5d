"""Divides the text of a lesson into prose and blocks: `:::{kind} key="value"` ... `:::`, MyST's colon fences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from backscope_server.lessons.lesson_error import Faults

_OPENING = re.compile(r"(:{3,})\{([^{}]*)\}(.*)")
_MISSHAPEN = re.compile(r" {0,3}(:{1,2}|`{3,}|~{3,})\{(\w+)\}.*")
"""A block as it is written elsewhere, with fewer colons or as a code block."""
_CLOSING = re.compile(r":{3,}")
_UNBRACED = re.compile(r"(:{3,})\W*(\w*)")
_CODE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATTRIBUTE = re.compile(r'\s+(\w+)="((?:[^"\\]|\\["\\])*)"')
_ESCAPED = re.compile(r'\\(["\\])')
_TYPOGRAPHIC = re.compile("[\u201c\u201d\u201e\u00ab\u00bb]")
"""Quotes that word processors write."""
_SHOWN = 40
"""The most characters of a text that a message repeats."""


class Prose(msgspec.Struct, frozen=True):
    """Text between blocks, which begins at `line`."""

    line: int
    text: str


class Fence(msgspec.Struct, frozen=True):
    """A block: the line that opens it, its attributes, and the lines of its body, the first one at `line` + 1.

    `sound` is False where a mistake in its first line has been reported, and `ended` where its end is missing.
    """

    line: int
    kind: str
    attributes: dict[str, str]
    body: list[str]
    sound: bool = True
    ended: bool = True


def divide(lines: list[str], first: int, faults: Faults) -> list[Prose | Fence]:
    """Divide the lines of a file from number `first` on, 1 for its first, into prose and blocks."""
    parts: list[Prose | Fence] = []
    open_: Fence | None = None
    colons = 0
    held: list[str] = []
    began = first
    code = CodeFences()
    for at, line in enumerate(lines[first - 1 :], first):
        outside = not code.open
        if code.inside(line) or not line.lstrip().startswith(":::"):
            if outside and (misshapen := _MISSHAPEN.fullmatch(line)) is not None:
                faults.add(at, f"A block opens with three colons at the left, as `:::{{{misshapen[2][:_SHOWN]}}}`.")
                if open_ is None and misshapen[1][0] == ":":
                    _keep(parts, began, held)
                    open_, colons = Fence(at, misshapen[2], {}, [], sound=False), 3
                    continue
            (held if open_ is None else open_.body).append(line)
            continue
        if line[0] != ":":
            faults.add(at, "A fence begins at the left: remove the spaces before `:::`.")
        fence = line.strip()
        if _CLOSING.fullmatch(fence) is not None:
            if open_ is None:
                faults.add(at, "There is no open block here: remove this line, or open one above.")
                continue
            if len(fence) < colons:
                faults.add(at, f"The block of line {open_.line} opened with {colons} colons: close it with as many.")
            parts.append(open_)
            open_, held, began = None, [], at + 1
            continue
        if open_ is not None:
            faults.add(at, f"The block of line {open_.line} is still open: close it with `:::` before.")
            parts.append(msgspec.structs.replace(open_, ended=False))
        else:
            _keep(parts, began, held)
        open_, colons = _opened(at, fence, faults)
    if open_ is not None:
        end = f"`{':' * colons}`" if colons <= _SHOWN else f"{colons} colons"
        faults.add(open_.line, f"The block `{open_.kind[:_SHOWN]}` has no end: close it with {end}.")
        parts.append(msgspec.structs.replace(open_, ended=False))
    else:
        _keep(parts, began, held)
    return parts


def _opened(line: int, fence: str, faults: Faults) -> tuple[Fence, int]:
    """Return the block that a line opens, and with how many colons."""
    opening = _OPENING.fullmatch(fence)
    if opening is None:
        faults.add(line, 'A block opens with its kind in braces, as `:::{step} at="before a pass"`.')
        written = _UNBRACED.match(fence)
        assert written is not None
        return Fence(line, written[2], {}, [], sound=False), len(written[1])
    before = len(faults.found)
    given = attributes(opening[3], line, faults)
    return Fence(line, opening[2].strip(), given, [], sound=len(faults.found) == before), len(opening[1])


def attributes(text: str, line: int, faults: Faults) -> dict[str, str]:
    r"""Read the attributes of a block or an item: `key="value"`, in which `\"` is a quote and `\\` a backslash."""
    found: dict[str, str] = {}
    at = 0
    while one := _ATTRIBUTE.match(text, at):
        if one[1] in found:
            faults.add(line, f"`{one[1]}` is given twice.")
        found.setdefault(one[1], _ESCAPED.sub(r"\1", one[2]))
        at = one.end()
    if (rest := text[at:].strip()) != "":
        advice = " Its quotes are not straight: write them as in this example." if _TYPOGRAPHIC.search(rest) else ""
        faults.add(line, f'`{rest[:_SHOWN]}` is no attribute: write `key="value"`, a quote in it as `\\"`.{advice}')
    return found


class CodeFences:
    """Finds the code blocks of Markdown, line by line."""

    def __init__(self) -> None:
        self._mark = ""

    @property
    def open(self) -> bool:
        """True while the last line is in a code block without an end so far."""
        return self._mark != ""

    def inside(self, line: str) -> bool:
        """Return whether a line is in a code block or opens or closes one."""
        found = _CODE.fullmatch(line)
        if self._mark:
            if found is not None and found[1].startswith(self._mark) and not found[2].strip():
                self._mark = ""
            return True
        if found is None or (found[1][0] == "`" and "`" in found[2]):
            return False
        self._mark = found[1]
        return True


def joined(lines: Sequence[str]) -> str:
    """Return lines of Markdown as a text, without the empty ones around it; its indentation stays."""
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    return "\n".join(lines[first:]).rstrip()


def _keep(parts: list[Prose | Fence], began: int, held: list[str]) -> None:
    """Add the prose since the last block, if there is any."""
    if text := joined(held):
        first = next(at for at, line in enumerate(held) if line.strip())
        parts.append(Prose(began + first, text))
