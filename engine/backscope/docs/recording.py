"""Recording a program of a book: once for each text and version, in a process of its own with a time limit."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from backscope.docs.options import BookError
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
    """A recorded program: its trace, what it printed and, where an error ended it, that error with its line."""

    name: str
    path: Path
    printed: str
    error: str | None
    line: int | None


def record(source: str, cache: Path) -> Recorded:
    """Record a program, or take what a build before this one recorded.

    Raises: BookError where it takes too long, or cannot be recorded.
    """
    name = hashlib.sha256(f"{VERSION}\0{source}".encode()).hexdigest()[:16]
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{name}.backscope"
    if not path.exists():
        _run(source, path)
    printed: list[str] = []
    error: str | None = None
    line: int | None = None
    failed = False
    for encoded in trace.read(path):
        event = decode(encoded)
        if isinstance(event, OutputPrinted):
            printed.append(event.text)
        elif isinstance(event, ErrorRaised):
            error, line = f"{event.type}: {event.message}", event.line
        elif isinstance(event, ProgramFinished):
            failed = event.status != "ok"
    return Recorded(name, path, "".join(printed), (error or "it ended early") if failed else None, line)


def _run(source: str, path: Path) -> None:
    command = [sys.executable, "-c", _CHILD, str(path)]
    try:
        done = subprocess.run(
            command, input=source, capture_output=True, text=True, encoding="utf-8", timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        raise BookError(f"the program takes more than {TIME_LIMIT} seconds") from None
    if done.returncode != 0 or not path.exists():
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise BookError(f"the program cannot be recorded: {said[-1]}")


def check(recorded: Recorded, *, expects_error: bool) -> None:
    """Refuse a program that fails, or one that was to fail and does not.

    Raises: BookError.
    """
    if recorded.error is not None and not expects_error:
        place = "" if recorded.line is None else f" in its line {recorded.line}"
        raise BookError(f"the program fails{place}: {recorded.error}; say expect-error where it should")
    if recorded.error is None and expects_error:
        raise BookError("the program was to fail by expect-error, and it does not")
