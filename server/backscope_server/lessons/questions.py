"""The questions of predictions and their wrong answers, as they are written."""

from __future__ import annotations

from backscope_server.lessons import node_name
from backscope_server.lessons.block_parts import Items, an_expression
from backscope_server.lessons.fence import Fence
from backscope_server.lessons.lesson import (
    ChoiceOption,
    ChoiceQuestion,
    NodeQuestion,
    OrderQuestion,
    Question,
    ValueQuestion,
    Wrong,
)
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.moment_name import NotAName

FORMS = ("ask", "choose", "point", "arrange")
"""The attributes of which a prediction has exactly one."""
MOST_OPTIONS = 12


def question_of(fence: Fence, items: Items) -> Question:
    """Return the question of a prediction.

    Raises: LessonError.
    """
    given, line = fence.attributes, fence.line
    forms = [form for form in FORMS if form in given]
    if len(forms) != 1:
        raise LessonError(
            line, f"A predict has one of {', '.join(FORMS)}; this one has {' and '.join(forms) or 'none'}."
        )
    if forms != ["choose"] and (options := items.all("option")):
        raise LessonError(options[0].line, 'Options go with choose="...": write `- if` for a wrong answer.')
    if "within" in given and forms != ["ask"]:
        raise LessonError(line, '`within` goes with ask="..." alone.')
    text = given[forms[0]]
    match forms[0]:
        case "ask":
            return ValueQuestion(ask=an_expression(text, line), within=_within(given.get("within"), line))
        case "choose":
            return ChoiceQuestion(ask=an_expression(text, line), options=_options(fence, items))
        case "point":
            return NodeQuestion(ask=_nodes(text, line, 1)[0])
    return OrderQuestion(ask=_nodes(text, line, 2))


def wrong_answers(question: Question, items: Items) -> list[Wrong]:
    """Return the wrong answers of a prediction with their feedback.

    Raises: LessonError.
    """
    if isinstance(question, ChoiceQuestion):
        if found := items.all("if"):
            raise LessonError(
                found[0].line, "A choice has its feedback at its options: write `- option` in place of `- if`."
            )
        return [
            Wrong(line=item.line, answer=item.value, confusion=item.confusion, text=item.feedback(), index=index)
            for index, item in enumerate(items.all("option"))
            if item.confusion is not None or any(map(str.strip, item.text))
        ]
    wrong: list[Wrong] = []
    for item in items.all("if"):
        if isinstance(question, ValueQuestion):
            answer = an_expression(item.value, item.line)
        else:
            exactly = 1 if isinstance(question, NodeQuestion) else len(question.ask)
            answer = ", ".join(_nodes(item.value, item.line, exactly))
        wrong.append(Wrong(line=item.line, answer=answer, confusion=item.confusion, text=item.feedback()))
    return wrong


def _options(fence: Fence, items: Items) -> list[ChoiceOption]:
    options = [
        ChoiceOption(
            line=item.line,
            expression=an_expression(item.value, item.line),
            label=item.given.get("label", item.value),
        )
        for item in items.all("option")
    ]
    if not 2 <= len(options) <= MOST_OPTIONS:
        raise LessonError(
            fence.line, f'A choice has 2 to {MOST_OPTIONS} options, `- option "None"`; this one has {len(options)}.'
        )
    return options


def _within(text: str | None, line: int) -> float | None:
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise LessonError(line, f"`within` is a number from 0 on, as `0.01`, not {text!r}.")
    return number


def _nodes(text: str, line: int, least: int) -> list[str]:
    """Return the names of nodes, one where `least` is 1, otherwise as many or more, each of them once."""
    names = [" ".join(name.split()) for name in text.split(",")]
    try:
        for name in names:
            node_name.parse(name)
    except NotAName as error:
        raise LessonError(line, str(error)) from None
    if least == 1 and len(names) > 1:
        raise LessonError(line, f"{text!r} names {len(names)} nodes, and the question is about one.")
    if len(names) < least:
        raise LessonError(line, f"{text!r} names too few nodes: the order has {least} or more, separated by commas.")
    if len(set(names)) < len(names):
        raise LessonError(line, f"{text!r} names a node twice.")
    return names
