"""Explains errors that no op raised and that ended the program, and finds those that it caught before."""

from __future__ import annotations

import re

import msgspec

from backscope.diagnosis.why.answer import at, diagnosis, listed
from backscope.diagnosis.why.log.facts import last, lines_of, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

OUTSIDE = ("syntax", "limit")
"""Errors that no line raised while it ran."""
LONGEST = 200
"""The most characters of a line or a message that an answer shows."""
_RAISES = re.compile(r"(raise|assert)\b")
_CHAINED = re.compile(r"^raise\b.*\bfrom (?!None\b)")

_FIXES = {
    "KeyError": "Print the keys that there are, list(d), right before that line; d.get(key) gives None for one that is "
    "not there.",
    "NameError": "Bind the name before that line, or correct its spelling.",
    "UnboundLocalError": "Bind the name on every way that leads to that line: an assignment anywhere in a function "
    "makes it a name of that function.",
    "AssertionError": "Print both sides of the condition right before that line. Decimal numbers are compared with "
    "torch.allclose() or torch.testing.assert_close(): == wants every bit alike.",
    "ZeroDivisionError": "Look at what that line divides by; max(1, n) where it counts things that may be absent.",
    "IndexError": "Print the length right before that line: counting starts at 0.",
    "AttributeError": "Print type(x) of what the attribute is asked of, right before that line.",
    "ModuleNotFoundError": "Install the package where the program runs, or leave the import out.",
    "SystemExit": "Look at the condition that leads to that line: the program ends itself there.",
}

_UNPACKED = (
    "Count what the right side gives: x.split(n) cuts parts of n, x.chunk(n) gives n of them, and iterating over a "
    "tensor goes along dim 0. *rest takes what is left."
)
_CONFINED = (
    "Write the data into the program: where it runs, programs open no files, read no input and start no processes. "
    "`backscope run` runs it on your machine, where it may."
)
"""For what the sandbox refuses, by its errno; a file that its owner protects has another one."""


def failure(tape: Tape, seq: int) -> ev.ErrorRaised | None:
    """Return the last error by a moment, if it can be explained; one that was caught before it does not count."""
    raised = last(tape.errors, seq)
    if raised is None or (raised.diagnosis is None and (raised.stage in OUTSIDE or raised.line is None)):
        return None
    return raised


def caught(tape: Tape, seq: int) -> ev.ErrorRaised | None:
    """Return the last error with an explanation that the program had caught before another one."""
    final = last(tape.errors, seq)
    if final is None:
        return None
    shown_error = final.type, final.message
    before = [e for e in until(tape.errors, seq) if e.diagnosis is not None and (e.type, e.message) != shown_error]
    return before[-1] if before else None


def own(tape: Tape, seq: int, raised: ev.ErrorRaised) -> ev.Diagnosis:
    """Explain an error that neither an op nor a pass of the engine raised."""
    frames = raised.traceback
    text = frames[-1].text if frames else ""
    message = " ".join(raised.message.split())
    message = f": {message[:LONGEST]}" if message else ""
    shown = f", in `{text[:LONGEST]}`" if text else ""
    if _RAISES.match(text):
        cause = f"The program itself raised {raised.type}{at(raised.line)}{shown}{message}."
    else:
        cause = f"{raised.type}{at(raised.line)}{shown}{message}."
    outer = [f"line {frame.line}" for frame in frames[:-1] if frame.line != raised.line]
    if outer:
        inner = frames[-1].function
        cause += f" {'That line' if inner.startswith('<') else f'{inner}()'} was called from {listed(outer[-3:])}."
    before = caught(tape, seq)
    evidence = []
    if before is not None and before.diagnosis is not None and _CHAINED.search(text):
        cause = f"{cause} It was raised from the {before.type}{at(before.line)}, which tells more: "
        return msgspec.structs.replace(
            before.diagnosis,
            cause=cause.replace("..", ".") + before.diagnosis.cause,
            lines=lines_of(raised.line, before.diagnosis.lines),
        )
    if before is not None:
        cause += f" The {before.type}{at(before.line)} is not what ended the program: it was caught."
        evidence = [ev.Evidence(text=f"{before.type}{at(before.line)} was caught", line=before.line, node=before.node)]
    return diagnosis(
        cause.replace("..", "."),
        _fix(raised),
        lines=lines_of(raised.line, *[frame.line for frame in reversed(frames[:-1])]),
        evidence=evidence,
    )


def _fix(raised: ev.ErrorRaised) -> str:
    if " to unpack" in raised.message:
        return _UNPACKED
    if raised.type == "PermissionError" and raised.message.startswith("[Errno 1]"):
        return _CONFINED
    return _FIXES.get(raised.type, "Look at the values that the line works with, right before it.")
