"""Protects the verdict on a changed program: reached, missed with its feedback, or not to be judged."""

from __future__ import annotations

import pytest

from backscope_server.lessons import lesson_file
from backscope_server.lessons.judging import attempt_of, judge
from backscope_server.lessons.lesson import ChangeBlock

LESSON = lesson_file.read(lesson_file.FOLDER / "02_chain_rule.md")
(CHANGE,) = (block for block in LESSON.blocks if isinstance(block, ChangeBlock))
PROGRAM = LESSON.program(CHANGE.program)


@pytest.fixture(scope="module")
def verdict(sandbox, runs):
    """Return a function that judges the program with something in it replaced."""

    async def judged(before, after):
        run = await runs.run(PROGRAM.source.replace(before, after), PROGRAM.seed)
        return await judge(CHANGE, attempt_of(CHANGE, run, PROGRAM), run.evaluate)

    return lambda before, after: sandbox.run(judged(before, after))


@pytest.mark.parametrize(("before", "after"), [("2.0", "4.0"), ("3 * x", "7 * x")])
def test_any_change_with_which_the_check_is_true_reaches_it(verdict, before, after):
    found = verdict(before, after)
    assert (found.reached, found.text, found.problem) == (True, CHANGE.right, None)


@pytest.mark.parametrize(
    ("before", "after", "text"), [("2.0", "3.0", CHANGE.missed[0].text), ("2.0", "5.0", CHANGE.otherwise)]
)
def test_a_miss_gets_its_feedback(verdict, before, after, text):
    found = verdict(before, after)
    assert (found.reached, found.text, found.problem) == (False, text, None)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("2.0", "2.0", "The program is still the same."),
        ("x ** 2", "x ** 2 + 4 * x", "Only numbers may change here: put the rest of the program back as it was."),
        (
            "2.0, r",
            "2, r",
            "The program fails at line 3: RuntimeError: Only Tensors of floating point and complex dtype can require "
            "gradients",
        ),
    ],
)
def test_what_cannot_be_judged_says_why(verdict, before, after, problem):
    found = verdict(before, after)
    assert (found.reached, found.text, found.problem) == (False, problem, problem)


def test_a_program_that_fails_gets_its_error_before_the_feedback(sandbox, runs):
    lesson = lesson_file.read(lesson_file.FOLDER / "06_accumulation.md")
    change = next(block for block in lesson.blocks if isinstance(block, ChangeBlock))
    program = lesson.program(change.program)

    async def judged():
        source = program.source.replace("    loss = w", "    w.grad = Non\n    loss = w")
        run = await runs.run(source, program.seed)
        return await judge(change, attempt_of(change, run, program), run.evaluate)

    found = sandbox.run(judged())
    assert not found.reached
    assert found.problem.startswith("The program fails at line 5: NameError: name 'Non' is not defined")
    assert found.text == f"{found.problem}\n\n{change.missed[0].text}"
