"""Protects the parser: what is written comes back part by part, and any other text gives an error with its line."""

from __future__ import annotations

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
from backscope_server.lessons.lesson_error import LessonError

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
    assert error is None or 1 <= error.line <= text.count("\n") + 1
    assert error is None or str(error).endswith((".", "`"))


def test_windows_lines_are_read_as_any():
    text = (FRONT + "Hello\n").replace("\n", "\r\n")
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
