"""Explains a variable, a tensor or the run at a moment in text: the answers to all questions about it."""

from __future__ import annotations

import re

from backscope.diagnosis.why import NotAsked, Question, Subject, Tape, ask, questions, text
from backscope.runtime.known_names import meant

MOST_NAMES = 12
CAUGHT = "caught"
"""The question about an error that the program has caught."""
_INDEX = re.compile(r"\[[-\d\s,:.]*\]$")


def explain(tape: Tape, seq: int, about: str | int | None = None) -> str:
    """Explain a variable such as "w" or "w.grad", a tensor by its identity, or the run and its error.

    "w.grad[0]" is explained as the whole.  "caught" is an error that the program had caught
    when another one ended it; without that it is only mentioned.

    Raises: NotAsked where there is no such variable.
    """
    parts: list[str] = []
    passed_over: list[str] = []
    if about == CAUGHT and tape.find(CAUGHT, seq) is None:
        subject = Subject()
        parts += [_answer(tape, seq, one) for one in questions(tape, seq, subject) if one.key == CAUGHT]
        return parts[0] if parts else "The program caught no error before the one that `why` explains."
    if about is None or about == "error":
        subject = Subject()
        error = next((e for e in reversed(tape.errors) if e.seq <= seq), None)
        if error is not None:
            where = "" if error.line is None else f" at line {error.line}"
            parts.append(f"{error.type}{where}: {error.message}")
    elif isinstance(about, int):
        subject = Subject(tensor=about)
    else:
        known = tape.find(about.removesuffix(".grad"), seq) is not None
        whole = about if known else _INDEX.sub("", about)
        subject = Subject(tensor=_tensor(tape, seq, whole))
        if whole != about:
            parts.append(f"Of {whole} as a whole:")
    for question in questions(tape, seq, subject):
        if question.key == CAUGHT:
            passed_over.append(f"{question.text} Ask about `caught`.")
        else:
            parts.append(_answer(tape, seq, question))
    parts += passed_over
    if not parts:
        return "Nothing went wrong so far. Ask about a variable, for instance why its .grad is as it is."
    return "\n\n".join(parts)


def _answer(tape: Tape, seq: int, question: Question) -> str:
    return f"{question.text}\n{text(ask(tape, seq, question.key, question.about))}"


def _tensor(tape: Tape, seq: int, name: str) -> int:
    found = tape.find(name.removesuffix(".grad"), seq)
    if found is None:
        known = [n for n, bound in tape.bound.items() if bound[0].seq <= seq]
        raise NotAsked(f"No variable {name} had a tensor by then. {_others(name, known)}")
    return found


def _others(name: str, known: list[str]) -> str:
    """Return the part of a message about an unknown variable that names the known ones."""
    if not known:
        return "None has one yet."
    inside = [n for n in known if n.startswith((f"{name}.", f"{name}["))]
    if inside:
        return f"It holds {_named(inside)}: ask about one of them."
    guess = meant(name.removesuffix(".grad"), known)
    start = f"Did you mean {guess}? " if guess is not None else ""
    return f"{start}Those that have one: {_named(known)}."


def _named(names: list[str]) -> str:
    more = f", and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"
