"""Recording a program of a book: once for each text and version, in a process of its own with a time limit."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from backscope import moments
from backscope.caption import Run, why_no_step
from backscope.docs.options import BookError
from backscope.moments import moment_name
from backscope.protocol import trace
from backscope.protocol.events import ErrorRaised, OutputPrinted, ProgramFinished, decode
from backscope.runtime.version import VERSION

TIME_LIMIT = 60
"""Seconds that a program may take."""

# An author's own build is trusted as the build's other code is: a process of its own is for the time limit, and so that
# nothing of the program stays in the build.
_CHILD = """
import sys
from backscope.program import runner
from backscope.protocol import trace
lines = []
runner.run(sys.stdin.read(), lambda batch: lines.extend(batch.splitlines()))
trace.write(sys.argv[1], lines)
"""


@dataclass(frozen=True)
class Recorded:
    """A recorded program: its trace, what it printed and, where an error ended it, that error, its type and line."""

    path: Path
    printed: str
    error: str | None
    error_type: str
    line: int | None


def key_of(*texts: str) -> str:
    """Return the name of what is made of these texts by this version."""
    return hashlib.sha256("\0".join([VERSION, *texts]).encode()).hexdigest()[:16]


def record(source: str, cache: Path) -> Recorded:
    """Record a program, or take what a build before this one recorded.

    Raises: BookError where it takes too long, or cannot be recorded.
    """
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{key_of(source)}.backscope"
    if not path.exists():
        run_child(["-c", _CHILD, str(path)], source, path, "the program")
    printed: list[str] = []
    error, error_type = "it ended early", ""
    line: int | None = None
    failed = False
    for encoded in trace.read(path):
        event = decode(encoded)
        if isinstance(event, OutputPrinted):
            printed.append(event.text)
        elif isinstance(event, ErrorRaised):
            error, error_type, line = f"{event.type}: {event.message}", event.type, event.line
        elif isinstance(event, ProgramFinished):
            failed = event.status != "ok"
    return Recorded(path, "".join(printed), error if failed else None, error_type, line)


def run_child(arguments: list[str], given: str, target: Path, what: str, seconds: int = TIME_LIMIT) -> None:
    """Run Python on a text until it has written a file, for so many seconds at most.

    Raises: BookError.
    """
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BookError(f"{what} takes more than {seconds} seconds") from None
    if done.returncode != 0 or not target.exists():
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise BookError(f"{what} cannot be recorded: {said[-1]}")


def check(recorded: Recorded, *, expects_error: bool) -> None:
    """Refuse a program that fails, or one that was to fail and does not.

    Raises: BookError.
    """
    if recorded.error is not None and not expects_error:
        place = "" if recorded.line is None else f" in its line {recorded.line}"
        raise BookError(f"the program fails{place}: {recorded.error}; say expect-error where it should")
    if recorded.error is None and expects_error:
        raise BookError("the program was to fail by expect-error, and it does not")


def check_step(recorded: Recorded, step: int) -> None:
    """Refuse a step, 1 for the first, that a program does not have.

    Raises: BookError.
    """
    if (reason := why_no_step(step, trace.read(recorded.path))) is not None:
        raise BookError(f"step: {reason}")


def step_at(recorded: Recorded, moment: str) -> int:
    """Return the step that a moment is at, 1 for the first.

    Raises: BookError.
    """
    run = Run()
    for encoded in trace.read(recorded.path):
        run.take(decode(encoded))
    try:
        return moments.find(run, whole_name(moment)).step + 1
    except moments.NotFound as error:
        raise BookError(f"at: {error}") from None


def whole_name(moment: str) -> str:
    """Return the name of a moment with `at` or `after` before it, where an author has left that out.

    Raises: BookError.
    """
    begins = moment.partition(" ")[0] in get_args(moment_name.When)
    reason = ""
    for written in [moment] if begins else [f"at {moment}", f"after {moment}"]:
        try:
            moment_name.parse(written)
            return written
        except moments.NotAName as error:
            reason = str(error)
    raise BookError(f"at: {reason}")
