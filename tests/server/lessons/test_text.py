"""Protects Backscope's own lessons: each holds, and has what a lesson needs to teach."""

from __future__ import annotations

import pytest

from backscope_server.lessons import lesson_file
from backscope_server.lessons.confusion import CONFUSIONS
from backscope_server.lessons.lesson import (
    ChangeBlock,
    ChoiceQuestion,
    PredictBlock,
    ProgramBlock,
    StepBlock,
    TextBlock,
    ValueQuestion,
)
from backscope_server.settings import Settings

PATHS = lesson_file.paths()
LESSONS = [lesson_file.read(path) for path in PATHS]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_lesson_holds(checked, path):
    found = checked(path)
    assert [f"{path.name}:{fault.line}: {fault}" for fault in found.faults] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_asks_lets_try_and_says_what_was_learned(lesson):
    assert isinstance(lesson.blocks[0], TextBlock), "a lesson begins with a sentence or three"
    assert lesson.learned.endswith(".")
    predictions = [block for block in lesson.blocks if isinstance(block, PredictBlock)]
    assert predictions, "a lesson has a question"
    for one in predictions:
        assert one.wrong, f"line {one.line}: a prediction explains at least one wrong answer"
        answered = one.otherwise is not None or len(one.wrong) > 1 or isinstance(one.question, ValueQuestion)
        assert answered, f"line {one.line}: add an `else`, the feedback for every other wrong answer"
    assert any(isinstance(block, ChangeBlock) for block in lesson.blocks), "a lesson has something to try"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_question_comes_after_a_moment_of_its_program(lesson):
    """The page stays at that moment while the reader answers; the start of a run has nothing to look at."""
    shown: set[str] = set()
    for block in lesson.blocks:
        if isinstance(block, PredictBlock) and isinstance(block.question, ValueQuestion | ChoiceQuestion):
            assert block.program in shown, f"line {block.line}"
        if isinstance(block, PredictBlock | StepBlock):
            shown.add(block.program)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_takes_three_to_six_minutes(lesson):
    """As FORMAT.md counts them."""
    texts = [lesson.goal, lesson.learned]
    seconds = 0.0
    for block in lesson.blocks:
        if isinstance(block, TextBlock | StepBlock | PredictBlock | ChangeBlock):
            texts.append(block.text)
        if isinstance(block, PredictBlock | ChangeBlock):
            texts.append(block.right)
            seconds += 15 if isinstance(block, PredictBlock) else 45
        if isinstance(block, PredictBlock) and isinstance(block.question, ChoiceQuestion):
            texts += [option.label for option in block.question.options]
        if isinstance(block, ProgramBlock):
            seconds += 2 * sum(1 for line in block.source.splitlines() if line.strip())
    minutes = sum(len(text.split()) for text in texts) / 200 + seconds / 60
    assert 3 <= minutes <= lesson.minutes <= 6


def test_lessons_need_only_those_before_them():
    names = [lesson.name for lesson in LESSONS]
    assert [name[:2] for name in names] == [f"{number:02}" for number in range(1, len(names) + 1)]
    for at, lesson in enumerate(LESSONS):
        assert set(lesson.needs) <= set(names[:at]), lesson.name


@pytest.mark.parametrize("confusion", CONFUSIONS)
def test_each_confusion_is_a_wrong_answer_with_feedback_of_its_own(confusion):
    texts = [
        wrong.text
        for lesson in LESSONS
        for block in lesson.blocks
        if isinstance(block, PredictBlock)
        for wrong in block.wrong
        if wrong.confusion == confusion
    ]
    assert texts
    assert CONFUSIONS[confusion] not in texts


def test_lessons_run_within_the_limits_of_a_public_server(limits):
    public = Settings(public=True).limits()
    for name in ("cpu_seconds", "memory_bytes", "output_bytes", "events", "log_bytes", "event_bytes"):
        assert getattr(limits, name) <= getattr(public, name), name
