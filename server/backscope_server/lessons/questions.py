"""The questions of predictions and their wrong answers, as they are written."""

from __future__ import annotations

from functools import partial

from backscope.moments.moment_name import NotAName
from backscope.runtime.known_names import quoted
from backscope_server.lessons import node_name
from backscope_server.lessons.block_parts import Item, Items, an_expression
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
from backscope_server.lessons.lesson_error import Faults, LessonError

FORMS = ("ask", "choose", "point", "arrange")
"""The attributes of which a prediction has exactly one."""
MOST_OPTIONS = 12


def question_of(fence: Fence, items: Items, faults: Faults) -> Question | None:
    """Return the question of a prediction, None where it has mistakes."""
    given, line = fence.attributes, fence.line
    forms = [form for form in FORMS if form in given]
    if len(forms) != 1:
        faults.add(line, f"A predict has one of {', '.join(FORMS)}; this one has {' and '.join(forms) or 'none'}.")
        return None
    if forms != ["choose"] and (misplaced := items.all("option")):
        faults.add(misplaced[0].line, 'Options go with choose="...": write `- if` for a wrong answer.')
    if "within" in given and forms != ["ask"]:
        faults.add(line, '`within` goes with ask="..." alone.')
    text = given[forms[0]]
    match forms[0]:
        case "ask":
            ask = faults.attempt(lambda: an_expression(text, line))
            before = len(faults.found)
            within = faults.attempt(lambda: _within(given.get("within"), line))
            return None if ask is None or len(faults.found) > before else ValueQuestion(ask=ask, within=within)
        case "choose":
            ask = faults.attempt(lambda: an_expression(text, line))
            options = _options(fence, items, faults)
            return None if ask is None or options is None else ChoiceQuestion(ask=ask, options=options)
        case "point":
            nodes = faults.attempt(lambda: _nodes(text, line, 1))
            return None if nodes is None else NodeQuestion(ask=nodes[0])
    nodes = faults.attempt(lambda: _nodes(text, line, 2))
    return None if nodes is None else OrderQuestion(ask=nodes)


def wrong_answers(question: Question | None, items: Items, faults: Faults) -> list[Wrong]:
    """Return the wrong answers of a prediction with their feedback."""
    if isinstance(question, ChoiceQuestion):
        if found := items.all("if"):
            faults.add(found[0].line, "A choice has its feedback at its options: write `- option` in place of `- if`.")
        explained = [
            (index, item)
            for index, item in enumerate(items.all("option"))
            if item.confusion is not None or any(map(str.strip, item.text))
        ]
        return [
            Wrong(line=item.line, answer=item.value, confusion=item.confusion, text=item.feedback(), index=index)
            for index, item in explained
        ]
    made = [faults.attempt(partial(_wrong, question, item)) for item in items.all("if")]
    return [one for one in made if one is not None]


def _wrong(question: Question | None, item: Item) -> Wrong:
    text = item.feedback()
    if isinstance(question, ValueQuestion):
        answer = an_expression(item.value, item.line)
    elif isinstance(question, NodeQuestion | OrderQuestion):
        exactly = 1 if isinstance(question, NodeQuestion) else len(question.ask)
        answer = ", ".join(_nodes(item.value, item.line, exactly))
    else:
        answer = item.value
    return Wrong(line=item.line, answer=answer, confusion=item.confusion, text=text)


def _options(fence: Fence, items: Items, faults: Faults) -> list[ChoiceOption] | None:
    """Return the options of a choice, None where they have mistakes."""
    number = items.count("option")
    if not 2 <= number <= MOST_OPTIONS:
        faults.add(fence.line, f'A choice has 2 to {MOST_OPTIONS} options, `- option "None"`; this one has {number}.')
        return None
    made = [faults.attempt(partial(_option, item)) for item in items.all("option")]
    options = [one for one in made if one is not None]
    return options if len(options) == number else None


def _option(item: Item) -> ChoiceOption:
    expression = an_expression(item.value, item.line)
    return ChoiceOption(line=item.line, expression=expression, label=item.given.get("label", item.value))


def _within(text: str | None, line: int) -> float | None:
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise LessonError(line, f"`within` is a number from 0 on, as `0.01`, not {quoted(text)}.")
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
        raise LessonError(line, f"{quoted(text)} names {len(names)} nodes, and the question is about one.")
    if len(names) < least:
        raise LessonError(
            line, f"{quoted(text)} names too few nodes: the order has {least} or more, separated by commas."
        )
    if len(set(names)) < len(names):
        raise LessonError(line, f"{quoted(text)} names a node twice.")
    return names
