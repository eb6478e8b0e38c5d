"""The parts that blocks have in common: attributes, code, moments, expressions, and the items of a question."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable

import msgspec

from backscope.moments.moment_name import NotAName, parse
from backscope.runtime import syntax_tree
from backscope.runtime.known_names import meant, one_of, quoted
from backscope_server.lessons.confusion import CONFUSIONS
from backscope_server.lessons.fence import CodeFences, Fence, attributes, joined
from backscope_server.lessons.lesson import Edit, Moment, PanelName
from backscope_server.lessons.lesson_error import Faults, LessonError

ATTRIBUTES: dict[str, dict[str, str]] = {
    "program": {
        "name": "its name, where a lesson has several programs",
        "seed": "the seed of every random generator; 0 where none is given",
        "raises": "the type of the error that ends it, as `RuntimeError`; none where it ends well",
    },
    "step": {
        "at": "the moment that is shown",
        "hide": "the panels that are not shown with it, as `code, inspector`; none where this is left out",
        "program": "the name of the program; the last one above where none is given",
    },
    "predict": {
        "at": "the moment that the question is about",
        "ask": "an expression: the reader gives its value",
        "within": "how far a number may be from the answer",
        "choose": "an expression: the reader chooses its value among options",
        "point": "a node: the reader points at it",
        "arrange": "nodes, separated by commas: the reader puts them in the order in which they run",
        "hide": "as for a step",
        "program": "as for a step",
    },
    "change": {
        "check": "an expression that is true in a run that reaches the aim, and not in the program as it is",
        "at": "the moment at which it is evaluated; `at the end` where none is given",
        "edit": "what may be changed: `numbers`, `line 4`, `lines 4-6` or `program`; `numbers` where none is given",
        "program": "as for a step",
    },
    "solution": {},
    "aside": {"title": "what the reader sees of it before opening it"},
}
"""The attributes of each block and their meanings."""

PANELS: dict[PanelName, str] = {
    "code": "the program",
    "console": "the prints and errors of the program",
    "inspector": "the facts about what is selected on the stage",
    "debugger": "the breakpoints, and the variables of a paused program",
    "timeline": "the steps of the run, and the buttons that go through them",
}
"""The panels that a block can hide, by their names on the page, and what is in each."""

ITEMS: dict[str, dict[str, str]] = {
    "predict": {
        '- if "4": ...': "the feedback for a wrong answer: a value or an expression over the program's variables; for "
        "`point` a node, for `arrange` nodes in an order",
        '- option "None": ...': "for `choose`: an option, an expression, with the feedback for choosing it; the right "
        "one has none",
        "- else: ...": "the feedback for every other wrong answer",
        "- right: ...": "why the answer is right; every prediction has it",
    },
    "change": {
        '- if "x.grad == 7": ...': "the feedback for a run that does not reach the aim, and in which this is true",
        "- else: ...": "the feedback for every other run that does not reach it",
        "- right: ...": "why the solution is right; every change has it",
    },
}
"""The items of each block that has some, and their meanings."""

ITEM_ATTRIBUTES = {
    "confusion": "the confusion that the answer comes from; its sentence is the feedback where the item has no text",
    "label": "of an option: what the reader sees instead of the expression",
}
"""The attributes of items."""

MOST_CHARACTERS = 1000
"""The longest expression."""

_ITEM = re.compile(
    r'- (if|option|else|right)(?: ("(?:[^"\\]|\\.)*"))?((?: \w+="(?:[^"\\]|\\.)*")*)\s*(?::(?:[ \t]+(.*))?)?'
)
_CODE = re.compile(r"(`{3,})python")
_CODE_OF_ANY = re.compile(r"`{3,}|~{3,}")
_BEGINS = re.compile(r"- (if|option|else|right)\b")
_MISSHAPEN = re.compile(r' {0,3}[-*+][ \t]*[*_]*(?:((?i:if|option))[*_ \t]*"|(else|right)[*_ \t]*:)')
"""An item with another sign, other spaces or capitals: it would be read as a part of the text above it."""
_LISTED = re.compile(r"[-*+][ \t]+(\w*)")
"""A line of a list of Markdown, with its first word."""
_FORMS = {"if": '- if "4": ...', "option": '- option "None": ...', "else": "- else: ...", "right": "- right: ..."}
_EDIT = re.compile(r"lines? ([1-9]\d{0,5})(?:-([1-9]\d{0,5}))?")


def known_attributes(fence: Fence, faults: Faults) -> Fence:
    """Return a block with the attributes that its kind has; unknown ones are read as what was probably meant."""
    known = ATTRIBUTES[fence.kind]
    given = {name: value for name, value in fence.attributes.items() if name in known}
    for name, value in fence.attributes.items():
        if name not in known:
            more = one_of(name, known) if known else "It has none."
            faults.add(fence.line, f"A {fence.kind} has no attribute {quoted(name)}. {more}")
            if (guess := meant(name, known)) is not None:
                given.setdefault(guess, value)
    return msgspec.structs.replace(fence, attributes=given)


def a_moment(fence: Fence, usual: str | None) -> Moment:
    """Return the moment in the attribute `at`, or the usual one.

    Raises: LessonError.
    """
    text = fence.attributes.get("at", usual)
    if text is None:
        raise LessonError(fence.line, f'The {fence.kind} has no at="...", the moment that it is about.')
    try:
        parse(text)
    except NotAName as error:
        raise LessonError(fence.line, str(error)) from None
    return Moment(text=" ".join(text.split()))


def hidden_panels(fence: Fence) -> list[PanelName]:
    """Return the panels in the attribute `hide`, in the order in which they are written.

    Raises: LessonError.
    """
    text = fence.attributes.get("hide")
    if text is None:
        return []
    hidden: list[PanelName] = []
    for name in (part.strip() for part in text.split(",")):
        if not name:
            raise LessonError(fence.line, f"`hide` is a list of panels, as `code, inspector`, not {quoted(text)}.")
        if name not in PANELS:
            raise LessonError(fence.line, f"There is no panel {quoted(name)}. {one_of(name, PANELS)}")
        if name in hidden:
            raise LessonError(fence.line, f"`hide` has the panel {quoted(name)} twice.")
        hidden.append(name)
    return hidden


def an_expression(text: str, line: int) -> str:
    """Return an expression of Python that is well formed.

    Raises: LessonError.
    """
    if len(text) > MOST_CHARACTERS:
        raise LessonError(
            line, f"{quoted(text)} has {len(text):,} characters; an expression has {MOST_CHARACTERS:,} at most."
        )
    try:
        with warnings.catch_warnings(action="ignore"):
            syntax_tree.parse(text.strip(), "eval")
    except SyntaxError as error:
        said = _comparison_meant(text.strip()) or f"is no expression of Python: {error.msg}."
        raise LessonError(line, f"{quoted(text)} {said}") from None
    except (ValueError, RecursionError, MemoryError):
        raise LessonError(line, f"{quoted(text)} is no expression of Python.") from None
    return text.strip()


def _comparison_meant(text: str) -> str | None:
    """Return the advice for an assignment that was to be a comparison; None for any other text."""
    with warnings.catch_warnings(action="ignore"):
        tree = syntax_tree.tree_of(text)
    match tree:
        case ast.Module(body=[ast.Assign(targets=[target], value=value)]):
            meant = f"{ast.unparse(target)} == {ast.unparse(value)}"
            return f"sets a value. To compare two, write {quoted(meant)}."
    return None


def an_edit(fence: Fence) -> Edit:
    """Return what may be changed in a program.

    Raises: LessonError.
    """
    text = fence.attributes.get("edit", "numbers")
    if text == "numbers":
        return Edit(of="numbers")
    if text == "program":
        return Edit(of="program")
    found = _EDIT.fullmatch(text)
    if found is None or int(found[2] or found[1]) < int(found[1]):
        raise LessonError(fence.line, f"`edit` is `numbers`, `line 4`, `lines 4-6` or `program`, not {quoted(text)}.")
    return Edit(of="lines", first=int(found[1]), last=int(found[2] or found[1]))


def code_of(fence: Fence) -> tuple[str, int]:
    """Return the code of a block and the line of the file where it begins: the block is one code block of Python.

    Raises: LessonError.
    """
    body = fence.body
    filled = [at for at, line in enumerate(body) if line.strip()]
    opened = _CODE.fullmatch(body[filled[0]].strip()) if filled else None
    if opened is None:
        at = fence.line + 1 + filled[0] if filled and _CODE_OF_ANY.match(body[filled[0]].strip()) else fence.line
        raise LessonError(at, f"A {fence.kind} is one code block: begin it with ```python, end it with ```.")
    opening = filled[0]
    closing = next((at for at in filled[1:] if body[at].strip() == opened[1]), None)
    if closing is None:
        raise LessonError(fence.line + 1 + opening, f"The code block has no end: close it with {opened[1]}.")
    if closing != filled[-1] and fence.ended:
        at = next(at for at in filled if at > closing)
        raise LessonError(
            fence.line + 1 + at, f"A {fence.kind} has nothing beside its code block: move this out of it."
        )
    code = body[opening + 1 : closing]
    if not any(line.strip() for line in code):
        raise LessonError(fence.line, f"The {fence.kind} is empty: write its code into the code block.")
    if (swallowed := _swallowed(code)) is not None:
        raise LessonError(
            fence.line + 1 + opening,
            f"The code block has no end before line {fence.line + 2 + opening + swallowed}: close it with {opened[1]}.",
        )
    return "\n".join(code) + "\n", fence.line + 2 + opening


def _swallowed(code: list[str]) -> int | None:
    """Return the index of the line from which on code is the rest of a lesson, None where it is all code."""
    at = next((at for at, line in enumerate(code) if line.startswith(":::")), None)
    return at if at is not None and _is_python(code[:at]) and not _is_python(code) else None


def _is_python(code: list[str]) -> bool:
    with warnings.catch_warnings(action="ignore"):
        return syntax_tree.tree_of("\n".join(code)) is not None


class Item:
    """One item: its keyword, the text in quotes behind that, its attributes and its feedback.

    `sound` is False where a mistake in its first line has been reported.
    """

    def __init__(
        self, line: int, keyword: str, value: str, given: dict[str, str], text: list[str], *, sound: bool = True
    ) -> None:
        self.line = line
        self.keyword = keyword
        self.value = value
        self.given = given
        self.text = text
        self.sound = sound

    @property
    def confusion(self) -> str | None:
        """The confusion that the item names."""
        return self.given.get("confusion")

    def feedback(self) -> str:
        """Return its text, or else the sentence of its confusion.

        Raises: LessonError where it has neither.
        """
        text = joined(self.text)
        if not text and self.confusion is None:
            raise LessonError(self.line, 'The item has no feedback: write it behind a colon, or give confusion="...".')
        return text or CONFUSIONS[self.confusion or ""]


class Items:
    """The body of a block: its text, and below it the items that begin with some keywords."""

    def __init__(self, fence: Fence, keywords: tuple[str, ...], faults: Faults) -> None:
        self.fence = fence
        self._items: list[Item] = []
        text: list[str] = []
        code = CodeFences()
        for at, line in enumerate(fence.body, fence.line + 1):
            inside = code.inside(line)
            if keywords and not inside and (begun := _BEGINS.match(line)) is not None:
                if not self._items and (listed := list_at_end(text)) is not None:
                    known = _any_of(f"- {keyword}" for keyword in keywords)
                    faults.add(
                        fence.line + 1 + listed,
                        f"An item begins with {known}. A list in the text needs an empty line below it.",
                    )
                self._items.append(_item(at, line, begun[1], keywords, fence, faults))
            elif keywords and not inside and (like := _MISSHAPEN.match(line)) is not None:
                keyword = (like[1] or like[2]).lower()
                faults.add(at, f"Write this item at the left, as `{_FORMS[keyword]}`.")
                self._items.append(Item(at, keyword, "", {}, [], sound=False))
            elif not self._items:
                text.append(line)
            elif line.startswith("  ") or not line.strip() or inside:
                self._items[-1].text.append(line.removeprefix("  "))
            elif (other := _LISTED.match(line)) is not None and other[1]:
                faults.add(at, f"There is no item {quoted(other[1])}. {one_of(other[1].lower(), keywords)}")
                self._items.append(Item(at, meant(other[1].lower(), keywords) or "", "", {}, [], sound=False))
            elif not fence.ended:  # What follows an item of a block without an end need not belong to it.
                break
            else:
                faults.add(
                    at, "Below its items a block has items alone: indent this line by two spaces, or move it up."
                )
        self.text = joined(text)

    def needed_text(self) -> str:
        """Return the text above the items.

        Raises: LessonError where there is none.
        """
        if not self.text:
            raise LessonError(
                self.fence.line, f"The {self.fence.kind} has no text: say in a sentence what it is about."
            )
        return self.text

    def all(self, keyword: str) -> list[Item]:
        """Return the items with a keyword, without those whose first line has a mistake."""
        return [item for item in self._items if item.keyword == keyword and item.sound]

    def count(self, keyword: str) -> int:
        """Return how many items have a keyword."""
        return sum(item.keyword == keyword for item in self._items)

    def one(self, keyword: str) -> str | None:
        """Return the text of the only item with a keyword, None where there is none.

        Raises: LessonError where there are several, or it is empty.
        """
        found = self.all(keyword)
        if len(found) > 1:
            raise LessonError(found[1].line, f"`{keyword}` is given twice: the first one is at line {found[0].line}.")
        return found[0].feedback() if found else None

    def needed(self, keyword: str, what: str) -> str:
        """Return the text of the item with a keyword; an empty text where a mistake in the item has been reported.

        Raises: LessonError where there is none.
        """
        text = self.one(keyword)
        if text is None and self.count(keyword) == 0:
            raise LessonError(self.fence.line, f"The {self.fence.kind} has no `- {keyword}: ...`, {what}.")
        return text or ""


def list_at_end(text: list[str]) -> int | None:
    """Return the index of the last line of a list with which a text ends, None where it ends otherwise."""
    code = CodeFences()
    found: int | None = None
    for at, line in enumerate(text):
        inside = code.inside(line)
        if not inside and _LISTED.match(line):
            found = at
        elif not inside and not line.strip():
            found = None
    return found


def _any_of(beginnings: Iterable[str]) -> str:
    *most, last = (f"`{one}`" for one in beginnings)
    return f"{', '.join(most)} or {last}"


def _item(line: int, text: str, keyword: str, keywords: tuple[str, ...], fence: Fence, faults: Faults) -> Item:
    """Read the first line of an item, which begins with `keyword`; the block may have items with `keywords`."""
    found = _ITEM.fullmatch(text.rstrip())
    quoting = keyword in ("if", "option")
    if found is None or quoting is (found[2] is None):
        of = f"{_any_of(_FORMS.values())}" if found is not None or ":" in text else f"`{_FORMS[keyword]}`, with a colon"
        faults.add(line, f"An item is {of}.")
        return Item(line, keyword, "", {}, [], sound=False)
    if keyword not in keywords:
        faults.add(line, f"A {fence.kind} has no item {keyword!r}. {one_of(keyword, keywords)}")
        return Item(line, keyword, "", {}, [], sound=False)
    value = "" if found[2] is None else attributes(f" value={found[2]}", line, faults).get("value", "")
    given = attributes(found[3], line, faults)
    for name in given:
        if name not in ITEM_ATTRIBUTES or (name == "label" and keyword != "option"):
            faults.add(line, f"The item has no attribute {quoted(name)}. {one_of(name, ITEM_ATTRIBUTES)}")
    item = Item(line, keyword, value, given, [found[4] or ""])
    if (confusion := item.confusion) is not None and confusion not in CONFUSIONS:
        faults.add(line, f"There is no confusion {quoted(confusion)}. {one_of(confusion, CONFUSIONS)}")
        given["confusion"] = next(iter(CONFUSIONS))  # A known one, in which `feedback` finds a sentence.
    return item
