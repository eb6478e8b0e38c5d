"""Protects the writer of lessons: what it writes is read as the same lesson, and what no file can have is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings, strategies as st

from backscope_server.lessons import lesson_file, writing
from backscope_server.lessons.block_parts import PANELS
from backscope_server.lessons.confusion import CONFUSIONS
from backscope_server.lessons.lesson import (
    AsideBlock,
    ChangeBlock,
    ChoiceOption,
    ChoiceQuestion,
    Edit,
    Lesson,
    Missed,
    Moment,
    NodeQuestion,
    OrderQuestion,
    PredictBlock,
    ProgramBlock,
    StepBlock,
    TextBlock,
    ValueQuestion,
    Wrong,
)
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.writing import NotWritable

COMPUTED = ("line", "lines", "source_line", "solution_line", "place", "value", "nodes")


def parts(lesson: Lesson) -> object:
    """Return what a lesson's file says, without lines and without what its runs have given."""

    def kept(part: dict[str, object]) -> dict[str, object]:
        return {k: v for k, v in part.items() if k not in COMPUTED and not (k == "answer" and "form" in part)}

    return json.loads(lesson.model_dump_json(), object_hook=kept)


signs = st.characters(exclude_categories=["C", "Z"]) | st.sampled_from('"\\`~:-{} \t')
lines = st.text(signs, max_size=12)
texts = (
    st.lists(lines | st.sampled_from(["- if x", '- right: "y"', "  code", "```", "---"]), min_size=1, max_size=4)
    .map("\n".join)
    .filter(str.strip)
)
"""Texts of any kind; some cannot be written, such as one with a line that begins with `:::`."""
plain = st.lists(st.text("abcXYZ,. ü*_", min_size=1).filter(str.strip), min_size=1, max_size=3).map(
    lambda lines: "\n".join(lines).strip()
)
"""Texts that can be written."""
expressions = st.sampled_from(["4", "x", 'd["a"]', "'\\\\'", "x.grad == 2", "None"])
moments = st.sampled_from(["after y is set", "before MulBackward0 #2 in pass 3", "at line 7", "at the end"]).map(
    lambda text: Moment(text=text)
)
nodes = st.sampled_from(["next node", "MulBackward0 #2", "grad_fn of y", "leaf w"])
codes = st.sampled_from(["x = 1\n", "import torch\n\nx = 1\n", "s = '''\n:::\n```\n'''\n", "# ````\n````\n"])
hidden = st.just([]) | st.lists(st.sampled_from(list(PANELS)), unique=True, max_size=5)
maybe = st.none() | st.sampled_from(list(CONFUSIONS))
edits = st.one_of(
    st.sampled_from(["numbers", "program"]).map(lambda of: Edit(of=of)),
    st.tuples(st.integers(1, 9), st.integers(0, 9)).map(lambda n: Edit(of="lines", first=n[0], last=n[0] + n[1])),
)


@st.composite
def lessons(draw: st.DrawFn, text: st.SearchStrategy[str]) -> Lesson:
    """Draw a lesson whose texts are drawn from `text`."""
    names: list[str] = []
    blocks: list[object] = []

    def feedback() -> tuple[str | None, str]:
        confusion = draw(maybe)
        return confusion, draw(st.just(CONFUSIONS[confusion]) | text if confusion else text)

    def wrongs(answers: st.SearchStrategy[str]) -> list[Wrong]:
        found = draw(st.lists(answers, max_size=3))
        return [Wrong(line=1, answer=a, confusion=(f := feedback())[0], text=f[1]) for a in found]

    def question() -> tuple[object, list[Wrong]]:
        form = draw(st.sampled_from(["value", "choice", "node", "order"]))
        if form == "value":
            within = draw(st.none() | st.floats(0, 1e9))
            return ValueQuestion(ask=draw(expressions), within=within), wrongs(expressions)
        if form == "node":
            return NodeQuestion(ask=draw(nodes)), wrongs(nodes)
        if form == "order":
            order = draw(st.lists(nodes, min_size=2, max_size=4, unique=True))
            return OrderQuestion(ask=order), wrongs(st.permutations(order).map(", ".join))
        made = draw(st.lists(st.tuples(expressions, st.none() | lines), min_size=2, max_size=4))
        options = [ChoiceOption(line=1, expression=e, label=e if label is None else label) for e, label in made]
        explained = [at for at in range(len(options)) if draw(st.booleans())]
        wrong = [
            Wrong(line=1, answer=options[at].expression, confusion=(f := feedback())[0], text=f[1], index=at)
            for at in explained
        ]
        return ChoiceQuestion(ask=draw(expressions), options=options), wrong

    for kind in draw(st.lists(st.sampled_from(["text", "program", "step", "predict", "change", "aside"]), max_size=8)):
        if kind == "text" and not isinstance(blocks[-1] if blocks else None, TextBlock):
            blocks.append(TextBlock(line=1, text=draw(text)))
        elif kind == "aside":
            blocks.append(AsideBlock(line=1, title=draw(st.just("More about this") | lines), text=draw(text)))
        elif kind == "program":
            name = draw(st.sampled_from(["program", "one", "two", "three"]).filter(lambda name: name not in names))
            names.append(name)
            blocks.append(
                ProgramBlock(
                    line=1,
                    name=name,
                    source=draw(codes),
                    source_line=1,
                    seed=draw(st.integers(0, 99)),
                    raises=draw(st.none() | st.just("RuntimeError")),
                )
            )
            if len(names) == 4:
                break
        elif names and kind == "step":
            about = draw(st.sampled_from(names))
            blocks.append(StepBlock(line=1, program=about, at=draw(moments), text=draw(text), hide=draw(hidden)))
        elif names and kind == "predict":
            asked, wrong = question()
            blocks.append(
                PredictBlock(
                    line=1,
                    program=draw(st.sampled_from(names)),
                    at=draw(moments),
                    text=draw(text),
                    hide=draw(hidden),
                    question=asked,
                    wrong=wrong,
                    otherwise=draw(st.none() | text),
                    right=draw(text),
                )
            )
        elif names and kind == "change":
            missed = [
                Missed(line=1, check=check, confusion=(f := feedback())[0], text=f[1])
                for check in draw(st.lists(expressions, max_size=2))
            ]
            blocks.append(
                ChangeBlock(
                    line=1,
                    program=draw(st.sampled_from(names)),
                    text=draw(text),
                    check=draw(expressions),
                    at=draw(moments),
                    edit=draw(edits),
                    missed=missed,
                    otherwise=draw(st.none() | text),
                    right=draw(text),
                    solution=draw(codes),
                    solution_line=1,
                )
            )
    title = st.text(signs, min_size=1, max_size=20).filter(str.strip)
    return Lesson(
        name="x",
        title=draw(title),
        goal=draw(title),
        learned=draw(title),
        minutes=draw(st.integers(1, 60)),
        needs=draw(st.lists(st.sampled_from(["01_a", "02_b"]), max_size=2)),
        lines={},
        blocks=blocks,
    )


@settings(deadline=None, max_examples=100)
@given(lessons(plain))
def test_what_is_written_is_read_as_the_same_lesson(lesson):
    text = writing.write(lesson)
    assert parts(lesson_file.parse("x", text)) == parts(lesson)
    assert writing.write(lesson_file.parse("x", text)) == text


@settings(deadline=None, max_examples=100)
@given(lessons(texts))
def test_a_lesson_with_any_texts_is_written_or_refused(lesson):
    try:
        text = writing.write(lesson)
    except NotWritable:
        return
    assert parts(lesson_file.parse("x", text)) == parts(lesson)


FRONT = "---\ntitle: A\ngoal: B\nlearned: C.\nminutes: 4\n---\n"
PROGRAM = ":::{program}\n```python\nx = 1\n```\n:::\n"
PIECES = """
- one: x|* else: y
|x|- if x|   - right: y|```|~~~|    code| |  |---|\t|\\|“|a  |:::{step} at='|> q|1. a|<b>|- option|::|~~|``
"""
pieces = st.sampled_from(PIECES.replace("\n", "").split("|"))
bodies = st.lists(pieces | st.text(max_size=4), max_size=8).map("\n".join)
whole = st.one_of(
    bodies,
    bodies.map(lambda body: f":::{{aside}}\n{body}\n:::"),
    bodies.map(
        lambda body: f':::{{predict}} at="at the end" ask="x"\nWhat?\n- if "2": {body}\n- right:\n  {body}\n:::'
    ),
    st.tuples(bodies, bodies).map(
        lambda two: (
            f':::{{predict}} at="at the end" choose="x"\n{two[0]}\n'
            f'- option "1"\n- option " 2 " confusion="nan": {two[1]}\n- right: y\n:::'
        )
    ),
)


@settings(deadline=None, max_examples=300)
@example(':::{predict} at="at the end" ask="x"\nWhat?\n- if "2": ```\n- right:\n  ```\n:::\n:::{aside}\n```\n:::')
@given(st.lists(whole, max_size=3).map("\n".join))
def test_every_lesson_that_can_be_read_can_be_written(body):
    try:
        lesson = lesson_file.parse("x", FRONT + PROGRAM + body)
    except LessonError:
        return
    assert parts(lesson_file.parse("x", writing.write(lesson))) == parts(lesson)


@pytest.mark.parametrize("path", lesson_file.paths(), ids=lambda path: path.stem)
def test_own_lessons_are_written_as_they_are(path):
    assert writing.write(lesson_file.read(path)) == path.read_text(encoding="utf-8")


def test_what_runs_have_given_is_not_written(checked):
    path = lesson_file.FOLDER / "02_chain_rule.md"
    solved = checked(path).solved.lesson
    assert parts(solved) == parts(lesson_file.read(path))
    assert writing.write(solved) == path.read_text(encoding="utf-8")


def test_a_program_without_a_newline_at_its_end_gets_one():
    block = ProgramBlock(line=1, name="program", source="x = 1", source_line=1, seed=0, raises=None)
    lesson = lesson_file.parse("x", FRONT + "Hello").model_copy(update={"blocks": [block]})
    assert writing.write(lesson) == f"{FRONT}{PROGRAM}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"blocks": [TextBlock(line=1, text="Look:\n::: here")]},
            'A block opens with its kind in braces, as `:::{step} at="before a pass"`. It is this line: ::: here',
        ),
        (
            {"blocks": [TextBlock(line=1, text="a"), TextBlock(line=1, text="b")]},
            "its block 1, a text, would be read as another one.",
        ),
        (
            {"blocks": [ProgramBlock(line=1, name="program", source="", source_line=1, seed=0, raises=None)]},
            "The program is empty: write its code into the code block. It is this line: :::{program}",
        ),
        ({"title": "x" * 201}, "`title` has 201 characters; 200 are the most. It is this line: title: " + "x" * 73),
        ({"minutes": 99}, "`minutes` is a whole number from 1 to 60, not '99'. It is this line: minutes: 99"),
        (
            {
                "blocks": [
                    ProgramBlock(line=1, name="program", source="x = 1\n", source_line=1, seed=0, raises=None),
                    StepBlock(line=1, program="program", at=Moment(text="at the end"), text="T", hide=["code", "code"]),
                ]
            },
            '`hide` has the panel \'code\' twice. It is this line: :::{step} at="at the end" hide="code, code"',
        ),
        ({"blocks": []}, None),
    ],
)
def test_what_no_file_can_have_is_refused_by_name(change, message):
    lesson = lesson_file.parse("x", FRONT + "Hello").model_copy(update=change)
    if message is None:
        assert lesson_file.parse("x", writing.write(lesson)).blocks == []
        return
    with pytest.raises(NotWritable) as found:
        writing.write(lesson)
    assert str(found.value) == f"The lesson cannot be written: {message}"
