"""Divides the text of a lesson into prose and blocks: `:::{kind} key="value"` ... `:::`, MyST's colon fences."""

from __future__ import annotations

import re

import msgspec

from backscope_server.lessons.lesson_error import LessonError

_OPENING = re.compile(r"(:{3,})\{\s*(\w*)\s*\}(.*)")
_CLOSING = re.compile(r"(:{3,})\s*")
_CODE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATTRIBUTE = re.compile(r'\s+(\w+)="((?:[^"\\]|\\["\\])*)"')
_ESCAPED = re.compile(r'\\(["\\])')


class Prose(msgspec.Struct, frozen=True):
    """Text between blocks, which begins at `line`."""

    line: int
    text: str


class Fence(msgspec.Struct, frozen=True):
    """A block: the line that opens it, its attributes, and the lines of its body, the first one at `line` + 1."""

    line: int
    kind: str
    attributes: dict[str, str]
    body: list[str]


def divide(lines: list[str], first: int) -> list[Prose | Fence]:
    """Divide the lines of a file from number `first` on, 1 for its first, into prose and blocks.

    Raises: LessonError.
    """
    parts: list[Prose | Fence] = []
    open_: Fence | None = None
    colons = 0
    held: list[str] = []
    began = first
    code = CodeFences()
    for at, line in enumerate(lines[first - 1 :], first):
        if not code.inside(line) and line.lstrip().startswith(":::"):
            opening, closing = _OPENING.fullmatch(line.rstrip()), _CLOSING.fullmatch(line)
            if line[0] != ":":
                raise LessonError(at, "A fence begins at the left: remove the spaces before `:::`.")
            if opening is not None:
                if open_ is not None:
                    raise LessonError(at, f"The block of line {open_.line} is still open: close it with `:::` before.")
                _keep(parts, began, held)
                open_, colons = Fence(at, opening[2], attributes(opening[3], at), []), len(opening[1])
                continue
            if closing is None:
                raise LessonError(at, 'A block opens with its kind in braces, as `:::{step} at="before pass 1"`.')
            if open_ is None:
                raise LessonError(at, "There is no open block here: remove this line, or open one above.")
            if len(closing[1]) < colons:
                raise LessonError(
                    at, f"The block of line {open_.line} opened with {colons} colons: close it with as many."
                )
            parts.append(open_)
            open_, held, began = None, [], at + 1
        elif open_ is not None:
            open_.body.append(line)
        else:
            held.append(line)
    if open_ is not None:
        raise LessonError(open_.line, f"The block `{open_.kind}` has no end: close it with `{':' * colons}`.")
    _keep(parts, began, held)
    return parts


def attributes(text: str, line: int) -> dict[str, str]:
    r"""Read the attributes of a block or an item: `key="value"`, in which `\"` is a quote and `\\` a backslash.

    Raises: LessonError.
    """
    found: dict[str, str] = {}
    at = 0
    while one := _ATTRIBUTE.match(text, at):
        if one[1] in found:
            raise LessonError(line, f"`{one[1]}` is given twice.")
        found[one[1]] = _ESCAPED.sub(r"\1", one[2])
        at = one.end()
    if text[at:].strip():
        raise LessonError(
            line, f'`{text[at:].strip()[:40]}` is no attribute: write `key="value"`, a quote in it as `\\"`.'
        )
    return found


class CodeFences:
    """Finds the code blocks of Markdown, line by line."""

    def __init__(self) -> None:
        self._mark = ""

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


def _keep(parts: list[Prose | Fence], began: int, held: list[str]) -> None:
    """Add the prose since the last block, if there is any."""
    while held and not held[0].strip():
        del held[0]
        began += 1
    if text := "\n".join(held).rstrip():
        parts.append(Prose(began, text))
