"""Finds the name under which a lesson can refer to a step of a run: `after w accumulates #2`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from pydantic import BaseModel, ConfigDict

from backscope.caption import Run
from backscope.moments import moment_search
from backscope.moments.moment_name import FORM_OF, NotAName
from backscope.moments.moment_search import NotFound
from backscope_server.lessons.comparable import Value
from backscope_server.lessons.lesson import Moment
from backscope_server.lessons.lesson_runs import LessonRun

_PREFERRED = (
    ("after", "accumulates"),
    ("after", "cleared"),
    ("after", "optimizer"),
    ("after", "pass"),
    ("at", "error"),
    ("after", "node"),
    ("after", "set"),
    ("after", "changes"),
    ("after", "hook"),
    ("after", "print"),
    ("after", "op"),
    ("before", "pass"),
    ("before", "node"),
    ("before", "accumulates"),
    ("before", "set"),
    ("before", "op"),
    ("at", "line"),
    ("after", "line"),
    ("after", "receives"),
    ("before", "line"),
)
"""The word and the kind of event of each name that a step may have; those that say most about it come first."""


class NamedMoment(BaseModel):
    """A step of a run as a lesson names it, with the program that was run, and the type of the error that ended it.

    `answer` is the value of an expression at that step, None where no question is about it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: Moment
    source: str
    seed: int
    raises: str | None
    answer: Value | None = None


class NotNamed(LookupError):
    """The error for a step or a run that a lesson cannot show; the text says why and what to do."""


def named(run: LessonRun, step: int, yield_thread: Callable[[], None] = lambda: None) -> NamedMoment:
    """Return a step of a run as a lesson names it; `yield_thread` is called between parts of the search.

    Raises: NotNamed; NotFound where the run has no such step.
    """
    error = run.error
    if run.status != "ok" and error is None:
        raise NotNamed(
            "The program was stopped before its end. A lesson runs its program to the end: let it end, and add "
            "the moment then."
        )
    if 0 < len(run.run.moments) <= step:
        raise NotNamed(f"There is no step {step + 1}: the run has {len(run.run.moments)}.")
    place = moment_search.place(run.run, step)
    return NamedMoment(
        at=Moment(text=name_of(run.run, step, yield_thread), place=place),
        source=run.source,
        seed=run.seed,
        raises=None if error is None else error.type,
    )


def name_of(run: Run, step: int, yield_thread: Callable[[], None] = lambda: None) -> str:
    """Return a name of a step that `moment_search.find` finds there.

    Raises: NotNamed where it has none.
    """
    for when, kind in _PREFERRED:
        yield_thread()
        for name in _names(run, step, when, kind):
            if _leads_to(run, name, step):
                return name
    if step == 0:
        return "at the start"
    if step == len(run.moments) - 1:
        return "at the end"
    raise NotNamed("Nothing that a lesson can name happens at this step: add the step before or after it.")


def _names(run: Run, step: int, when: str, kind: str) -> Iterator[str]:
    """Yield the names of a kind of event that may lead to a step."""
    passes = list(moment_search.occurrences(run, "pass")) if kind == "node" else []
    count: Counter[tuple[str, int]] = Counter()
    for label, first, last in moment_search.occurrences(run, kind):
        # Nodes are counted within their pass: that number stays the same when another pass is added before.
        within = next((at for at, (_, begin, end) in enumerate(passes, 1) if begin <= first <= end), 0)
        scope = within if len(passes) > 1 else 0
        count[label, scope] += 1
        if moment_search.step_of(run, when, first, last) != step:
            continue
        number = f" #{count[label, scope]}" if count[label, scope] > 1 else ""
        yield f"{when} {FORM_OF[kind].named(label)}{number}" + (f" in pass {scope}" if scope else "")


def _leads_to(run: Run, name: str, step: int) -> bool:
    try:
        return moment_search.find(run, name).step == step
    except (NotAName, NotFound):  # The name of a lambda, or one with more digits than a name has.
        return False
