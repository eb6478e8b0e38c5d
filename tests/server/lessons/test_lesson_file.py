"""Protects the parser: what is written comes back part by part, and any other text gives an error with its line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

from backscope_server.lessons import lesson_file
from backscope_server.lessons.confusion import CONFUSIONS
from backscope_server.lessons.lesson import (
    AsideBlock,
    ChangeBlock,
    Lesson,
    PredictBlock,
    ProgramBlock,
    StepBlock,
    TextBlock,
)
from backscope_server.lessons.lesson_error import MOST_FAULTS, LessonError

FRONT = "---\ntitle: A\ngoal: B\nlearned: C.\nminutes: 4\n---\n"

words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
sentences = (
    st.lists(words, min_size=1, max_size=6)
    .map(" ".join)
    .filter(lambda text: not text.lstrip().startswith((":::", "`", "~", "- ")) and text.strip() == text)
)
codes = st.sampled_from(["import torch\nx = torch.ones(2)\n", "x = 1\n", "# :::\nprint(':::')\n"])
expressions = st.sampled_from(["4", "x", 'd["a"]', "'\\\\'", "x.grad == 2", "None"])
moments = st.sampled_from(["after y is set", "before MulBackward0 #2 in pass 3", "at line 7 in round 3", "at the end"])
maybe = st.none() | st.sampled_from(list(CONFUSIONS))


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@st.composite
def predictions(draw: st.DrawFn) -> tuple[str, tuple[object, ...]]:
    """Draw a prediction of a value, as it is written and what is expected of it."""
    ask, at, text, right = draw(expressions), draw(moments), draw(sentences), draw(sentences)
    wrong = draw(st.lists(st.tuples(expressions, maybe, sentences), max_size=3))
    other = draw(st.none() | sentences)
    lines = [f":::{{predict}} at={quoted(at)} ask={quoted(ask)}", text]
    for value, confusion, feedback in wrong:
        named = "" if confusion is None else f' confusion="{confusion}"'
        lines.append(f"- if {quoted(value)}{named}: {feedback}")
    lines += [] if other is None else [f"- else: {other}"]
    lines += [f"- right: {right}", ":::"]
    return "\n".join(lines), ("predict", ask, at, text, right, wrong, other)


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, tuple[object, ...]]:
    check, text, right, code = draw(expressions), draw(sentences), draw(sentences), draw(codes)
    edit = draw(st.sampled_from(["numbers", "program", "line 4", "lines 4-6"]))
    written = (
        f":::{{change}} check={quoted(check)} edit={quoted(edit)}\n{text}\n- right: {right}\n:::\n"
        f":::{{solution}}\n```python\n{code}```\n:::"
    )
    return written, ("change", check, edit, text, right, code)


blocks = st.one_of(
    sentences.map(lambda text: (text, ("text", text))),
    st.tuples(moments, sentences).map(lambda one: (f":::{{step}} at={quoted(one[0])}\n{one[1]}\n:::", ("step", *one))),
    sentences.map(lambda text: (f"::::{{aside}} title={quoted('Why?')}\n{text}\n::::", ("aside", text))),
    predictions(),
    changes(),
)


def seen(block: object) -> tuple[object, ...]:
    """Return a parsed block as the strategies expect it."""
    match block:
        case TextBlock():
            return "text", block.text
        case StepBlock():
            return "step", block.at.text, block.text
        case AsideBlock():
            return "aside", block.text
        case PredictBlock():
            wrong = [(one.answer, one.confusion, one.text) for one in block.wrong]
            return "predict", block.question.ask, block.at.text, block.text, block.right, wrong, block.otherwise
        case ChangeBlock():
            edit = block.edit
            lines = f"lines {edit.first}-{edit.last}" if edit.first != edit.last else f"line {edit.first}"
            of = lines if edit.of == "lines" else edit.of
            return "change", block.check, of, block.text, block.right, block.solution
    raise TypeError(block)


@settings(deadline=None, max_examples=60)
@given(codes, st.lists(blocks, max_size=6))
def test_what_is_written_comes_back(code, parts):
    program = f':::{{program}} seed="3"\n```python\n{code}```\n:::'
    text = FRONT + "\n\n".join([program, *[written for written, _ in parts]]) + "\n"
    lesson = lesson_file.parse("x", text)
    first, *others = lesson.blocks
    assert isinstance(first, ProgramBlock)
    assert (first.source, first.seed, first.raises) == (code, 3, None)
    # Prose side by side is one text.
    expected: list[tuple[object, ...]] = []
    for _, one in parts:
        if one[0] == "text" and expected and expected[-1][0] == "text":
            expected[-1] = ("text", f"{expected[-1][1]}\n\n{one[1]}")
        else:
            expected.append(one)
    assert [seen(block) for block in others] == expected
    lines = text.split("\n")
    for block in lesson.blocks:
        written = lines[block.line - 1]
        assert written.lstrip(":").startswith(f"{{{block.kind}}}") or block.kind == "text"
    assert lines[first.source_line - 1] == code.split("\n")[0]
    assert Lesson.model_validate_json(lesson.model_dump_json()) == lesson


PIECES = """
:::|::::|:::{step}|:::{predict} |at="after y is set"|ask="x"|```python|```|- if |- right: x|---|title: A|minutes: 4
:::{program}|:::{change} check="x"|:::{solution}| |x|"|\\|- option "1"|- else: y|:::{aside}
"""
pieces = st.sampled_from([*PIECES.strip().replace("\n", "|").split("|"), "\n", "\n"])


@settings(deadline=None, max_examples=200)
@given(st.booleans(), st.lists(pieces | st.text(max_size=5), max_size=25).map("".join))
def test_any_text_is_a_lesson_or_an_error_with_a_line_of_it(front, body):
    text = (FRONT if front else "") + body
    error = None
    try:
        lesson_file.parse("x", text)
    except LessonError as raised:
        error = raised
    assert error is None or 1 <= error.line <= len(re.split("\r\n|\r|\n", text))
    assert error is None or str(error).endswith((".", "`"))


@settings(deadline=None, max_examples=100)
@given(st.booleans(), st.lists(pieces | st.text(max_size=5), max_size=40).map("".join))
def test_every_mistake_has_a_line_of_the_file_and_they_come_in_order(front, body):
    text = (FRONT if front else "") + body
    lesson, faults = lesson_file.examine("x", text)
    lines = [fault.line for fault in faults]
    assert lines == sorted(lines)
    assert all(1 <= line <= len(re.split("\r\n|\r|\n", text)) for line in lines)
    assert (lesson is None) is bool(faults)
    assert len({(fault.line, str(fault)) for fault in faults}) <= MOST_FAULTS + 1


PROGRAM = FRONT + ":::{program}\n```python\nx = 1\n```\n:::\n"
PREDICT = PROGRAM + ':::{predict} at="at the end" ask="x"\nT\n'
LARGE = {
    "empty lines": (FRONT, "\n", "x"),
    "empty lines in a block": (FRONT + ":::{aside}\n", "\n", "x\n:::"),
    "spaces before a kind": (FRONT + ":::{", " ", "x"),
    "spaces before an attribute": (PROGRAM + ":::{step}", " ", "x"),
    "an attribute that does not end": (PROGRAM + ':::{step} at="', '\\"', ""),
    "attributes": (PROGRAM + ":::{step}", ' a="b"', " "),
    "colons": (FRONT, ":", "x"),
    "ends": (FRONT, ":::\n", ""),
    "openings": (PROGRAM, ":::{step}\n", ""),
    "items": (PREDICT, '- if "1": x\n', "- right: y\n:::\n"),
    "an item that does not end": (PREDICT + '- if "1', '\\"', ": x\n- right: y\n:::\n"),
    "spaces in an item": (PREDICT + '- if "1" ', " ", "x: x\n- right: y\n:::\n"),
    "scopes of a moment": (PROGRAM + ':::{step} at="at ', " in pass 1", '"\nx\n:::\n'),
    "numbers of a moment": (PROGRAM + ':::{step} at="at ', " #1", '"\nx\n:::\n'),
    "brackets of a moment": (PROGRAM + ':::{step} at="after ', "x[", ' is set"\nx\n:::\n'),
    "nodes": (PROGRAM + ':::{predict} at="at the end" arrange="', "A, ", 'B"\nx\n- right: y\n:::\n'),
    "parentheses": (PROGRAM + ':::{predict} at="at the end" ask="', "(", '"\nx\n- right: y\n:::\n'),
    "keys": ("---\n", "titel: A\n", "---\n"),
    "a key": ("---\n", "a", ": b\n---\n"),
    "needs": ("---\nneeds: [", "a, ", "a]\n---\n"),
    "code": (FRONT + ":::{program}\n```python\n", "\n", "```\n:::\n"),
    "programs": (FRONT, ":::{program}\n```python\nx = 1\n```\n:::\n", ""),
}
"""Large files of one kind of part: for each the beginning, the part and the end."""


@pytest.mark.parametrize("name", LARGE)
def test_the_largest_file_is_read(name):
    """A reading that takes quadratic time would take hours."""
    begin, part, end = LARGE[name]
    text = begin + part * ((lesson_file.MOST_BYTES - len(begin) - len(end)) // len(part)) + end
    _, faults = lesson_file.examine("x", text)
    assert len(faults) <= MOST_FAULTS + 1
    assert all(len(str(fault)) < 1000 for fault in faults)


def test_hidden_panels_come_in_their_order():
    steps = ':::{step} at="at the end" hide="timeline ,code"\nT\n:::\n:::{step} at="at the end"\nT\n:::\n'
    question = ':::{predict} at="at the end" ask="x" hide="inspector"\nT\n- right: R\n:::\n'
    _, *blocks = lesson_file.parse("x", PROGRAM + steps + question).blocks
    assert [block.hide for block in blocks] == [["timeline", "code"], [], ["inspector"]]


@pytest.mark.parametrize(
    ("hide", "message"),
    [
        ("cod", "There is no panel 'cod'. Did you mean code? There are: code, console, inspector, debugger, timeline."),
        ("stage", "There is no panel 'stage'. There are: code, console, inspector, debugger, timeline."),
        ("Code", "There is no panel 'Code'. Did you mean code? There are:"),
        ("", "`hide` is a list of panels, as `code, inspector`, not ''."),
        ("code,, console", "`hide` is a list of panels, as `code, inspector`, not 'code,, console'."),
        ("code, code", "`hide` has the panel 'code' twice."),
    ],
)
def test_an_unknown_panel_is_a_mistake_at_its_line(hide, message):
    for block, rest in (("step", ""), ("predict", ' ask="x"')):
        text = f':::{{{block}}} at="at the end"{rest} hide="{hide}"\nT\n{"- right: R" if rest else "T"}\n:::\n'
        _, (fault,) = lesson_file.examine("x", PROGRAM + text)
        assert fault.line == 12
        assert str(fault).startswith(message)


def test_half_of_a_character_is_a_mistake():
    with pytest.raises(LessonError, match="`title` has half of a character") as found:
        lesson_file.parse("x", FRONT.replace("title: A", 'title: "\\ud83d"'))
    assert found.value.line == 2
    whole = lesson_file.parse("x", FRONT.replace("title: A", 'title: "\\ud83d\\ude00"'))
    assert whole.title == "\U0001f600"


def test_code_may_have_more_backticks():
    code = 's = """\n```\n"""\n'
    lesson = lesson_file.parse("x", FRONT + f":::{{program}}\n````python\n{code}````\n:::\n")
    assert [block.source for block in lesson.blocks] == [code]


def test_the_first_line_of_a_text_keeps_its_indentation():
    lesson = lesson_file.parse("x", FRONT + ":::{aside}\n\n    code\n\ntext\n:::\n")
    assert [block.text for block in lesson.blocks] == ["    code\n\ntext"]


def test_a_list_above_the_items_ends_with_an_empty_line():
    body = "Which?\n- one\n- two\n\n- right: y\n:::\n"
    (_, predict) = lesson_file.parse("x", PREDICT.replace("T\n", "") + body).blocks
    assert predict.text == "Which?\n- one\n- two"
    with pytest.raises(LessonError, match="A list in the text needs an empty line below it") as found:
        lesson_file.parse("x", PREDICT.replace("T\n", "") + body.replace("\n\n", "\n"))
    assert found.value.line == PREDICT.count("\n") + 2


def test_code_may_have_lines_of_colons():
    code = 's = """\n:::{step}\n:::\n"""\n'
    lesson = lesson_file.parse("x", FRONT + f":::{{program}}\n```python\n{code}```\n:::\n")
    assert [block.source for block in lesson.blocks] == [code]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_of_other_systems_are_read_as_any(end):
    text = (FRONT + "Hello\n").replace("\n", end)
    assert [block.text for block in lesson_file.parse("x", text).blocks] == ["Hello"]


def test_a_file_that_is_not_utf8_or_too_large_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "x.md"
    path.write_bytes(FRONT.encode() + b"\xff")
    with pytest.raises(LessonError, match=r"^The file is not UTF-8 here: save it as UTF-8\.$") as found:
        lesson_file.read(path)
    assert found.value.line == 7
    monkeypatch.setattr(lesson_file, "MOST_BYTES", 10)
    with pytest.raises(LessonError, match="10 are the most for a lesson"):
        lesson_file.read(path)
