"""Writes a lesson as the text of its file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from backscope_server.lessons import lesson_file
from backscope_server.lessons.block_parts import list_at_end
from backscope_server.lessons.confusion import CONFUSIONS
from backscope_server.lessons.fence import CodeFences
from backscope_server.lessons.front_matter import TEXTS, written_text
from backscope_server.lessons.lesson import (
    USUAL_TITLE,
    AsideBlock,
    Block,
    ChangeBlock,
    ChoiceQuestion,
    Edit,
    Lesson,
    Missed,
    NodeQuestion,
    OrderQuestion,
    PredictBlock,
    ProgramBlock,
    StepBlock,
    TextBlock,
    ValueQuestion,
    Wrong,
)

_BACKTICKS = re.compile(r"\s*(`{3,})\s*")
_COMPUTED = {"line", "lines", "source_line", "solution_line", "place", "value", "nodes"}
"""The fields that a file does not have: they come from its lines and its runs."""


class NotWritable(ValueError):
    """The error for a lesson with a part that no file can have; the text says which part."""


def write(lesson: Lesson) -> str:
    """Return the text of a lesson's file: what `lesson_file.parse` makes of it has the same parts.

    A program that does not end in a newline gets one.

    Raises: NotWritable.
    """
    needs = [f"needs: [{', '.join(lesson.needs)}]"] if lesson.needs else []
    front = [*(f"{key}: {written_text(getattr(lesson, key))}" for key in TEXTS), f"minutes: {lesson.minutes}", *needs]
    text = "\n".join(["---", *front, "---", "\n\n".join(_blocks(lesson.blocks)), ""])
    _check(lesson, text)
    return text


def _check(lesson: Lesson, text: str) -> None:
    """Check that a text has the parts of the lesson that it was written from.

    Raises: NotWritable.
    """
    found, faults = lesson_file.examine(lesson.name, text)
    if found is None:
        lines = text.split("\n")
        raise NotWritable(
            f"The lesson cannot be written: {faults[0]} It is this line: {lines[faults[0].line - 1][:80]}"
        )
    wanted, got = _as_written(lesson.model_dump()), _as_written(found.model_dump())
    if wanted == got:
        return
    for key in ("name", *TEXTS, "minutes", "needs"):
        if wanted[key] != got[key]:
            raise NotWritable(f"The lesson cannot be written: its {key} would be read as {got[key]!r:.80}.")
    for at, (one, other) in enumerate(zip_longest(wanted["blocks"], got["blocks"]), 1):
        if one != other:
            kind = (one or other)["kind"]
            raise NotWritable(f"The lesson cannot be written: its block {at}, a {kind}, would be read as another one.")


def _as_written(part: Any) -> Any:
    """Return a dumped part without what a file does not have."""
    if isinstance(part, list):
        return [_as_written(one) for one in part]
    if not isinstance(part, dict):
        return part
    computed = _COMPUTED | ({"answer"} if "form" in part else set())
    kept = {key: _as_written(one) for key, one in part.items() if key not in computed}
    return {key: _ended(one) if key in ("source", "solution") else one for key, one in kept.items()}


def _blocks(blocks: list[Block]) -> Iterator[str]:
    """Yield the text of each block, a change with its solution."""
    program = ""
    for block in blocks:
        match block:
            case TextBlock():
                yield block.text
            case AsideBlock():
                yield _fenced("aside", {"title": block.title if block.title != USUAL_TITLE else None}, block.text)
            case ProgramBlock():
                program = block.name
                given = {
                    "name": block.name if block.name != "program" else None,
                    "seed": str(block.seed) if block.seed else None,
                    "raises": block.raises,
                }
                yield _fenced("program", given, _code(block.source))
            case StepBlock():
                about = {"at": block.at.text, "hide": _hidden(block), "program": _unless(program, block.program)}
                yield _fenced("step", about, block.text)
            case PredictBlock():
                yield _prediction(block, _unless(program, block.program))
            case ChangeBlock():
                yield _change(block, _unless(program, block.program))
                yield _fenced("solution", {}, _code(block.solution))


def _hidden(block: StepBlock | PredictBlock) -> str | None:
    return ", ".join(block.hide) or None


def _unless(usual: str, name: str) -> str | None:
    return name if name != usual else None


def _fenced(kind: str, given: dict[str, str | None], *body: str) -> str:
    attributes = "".join(f" {name}={_quoted(value)}" for name, value in given.items() if value is not None)
    return "\n".join([f":::{{{kind}}}{attributes}", *body, ":::"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _code(source: str) -> str:
    """Return a code block of Python, with more backticks than a line of the source has alone."""
    source = _ended(source)
    lines = source.split("\n")
    longest = max((len(found[1]) for line in lines if (found := _BACKTICKS.fullmatch(line))), default=2)
    marks = "`" * max(3, longest + 1)
    return f"{marks}python\n{source}{marks}"


def _ended(source: str) -> str:
    return source if source.endswith("\n") else f"{source}\n"


def _prediction(block: PredictBlock, program: str | None) -> str:
    question = block.question
    given: dict[str, str | None] = {"at": block.at.text}
    items = [_item("if", one.answer, one.text, one.confusion) for one in block.wrong]
    match question:
        case ValueQuestion():
            given |= {"ask": question.ask, "within": None if question.within is None else repr(question.within)}
        case ChoiceQuestion():
            given["choose"] = question.ask
            items = list(_options(question, block.wrong))
        case NodeQuestion():
            given["point"] = question.ask
        case OrderQuestion():
            given["arrange"] = ", ".join(question.ask)
    given |= {"hide": _hidden(block), "program": program}
    return _fenced("predict", given, *_above_items(block.text), *items, *_ends(block))


def _above_items(text: str) -> list[str]:
    """Return a text, and an empty line where it ends with a list, of which the items below would be a part."""
    return [text] if list_at_end(text.split("\n")) is None else [text, ""]


def _options(question: ChoiceQuestion, wrong: list[Wrong]) -> Iterator[str]:
    feedback = {one.index: one for one in wrong}
    for index, option in enumerate(question.options):
        label = option.label if option.label != option.expression else None
        one = feedback.get(index)
        if one is None:
            yield _item("option", option.expression, "", None, label)
        else:
            yield _item("option", one.answer, one.text, one.confusion, label)


def _change(block: ChangeBlock, program: str | None) -> str:
    given = {
        "check": block.check,
        "at": block.at.text if block.at.text != "at the end" else None,
        "edit": _edit(block.edit),
        "program": program,
    }
    items = [_missed(one) for one in block.missed]
    return _fenced("change", given, *_above_items(block.text), *items, *_ends(block))


def _edit(edit: Edit) -> str | None:
    match edit.of:
        case "numbers":
            return None
        case "program":
            return "program"
    return f"line {edit.first}" if edit.first == edit.last else f"lines {edit.first}-{edit.last}"


def _missed(one: Missed) -> str:
    return _item("if", one.check, one.text, one.confusion)


def _ends(block: PredictBlock | ChangeBlock) -> Iterator[str]:
    if block.otherwise is not None:
        yield _item("else", None, block.otherwise)
    yield _item("right", None, block.right)


def _item(keyword: str, value: str | None, text: str, confusion: str | None = None, label: str | None = None) -> str:
    """Return an item with its feedback, which begins below it where it cannot be on its first line."""
    head = f"- {keyword}" + ("" if value is None else f" {_quoted(value)}")
    head += "" if label is None else f" label={_quoted(label)}"
    head += "" if confusion is None else f" confusion={_quoted(confusion)}"
    if not text or (confusion is not None and text == CONFUSIONS.get(confusion)):
        return head
    first, *more = text.split("\n")
    below = _indented([first, *more])
    if first != first.strip() or (first.startswith(("```", "~~~")) and _closed(below)):
        return "\n".join([f"{head}:", *below])
    return "\n".join([f"{head}: {first}", *_indented(more)])


def _closed(lines: list[str]) -> bool:
    """Return whether every code block in lines is closed, and no line outside of them begins with `:::`."""
    code = CodeFences()
    return all(code.inside(line) or not line.lstrip().startswith(":::") for line in lines) and not code.open


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]
