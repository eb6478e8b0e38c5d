"""One check of `python3 tests`: a command, its output, the time that it took, and its result."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LIMIT = 3600
"""Seconds that one check may take before it is ended and counts as failed."""

_printing = threading.Lock()

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# pytest's last line, and vitest's count of tests.
_CLOSING = re.compile(r"^(=+ .* in [\d.]+s.*=+|\s*Tests\s+\d.*)$")

_FAILED = re.compile(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$")
"""A line of pytest's short summary."""


@dataclass
class Check:
    """A command and its result; `needs` are called before and make what it requires, if that is missing.

    `tests` are the files and folders of tests that pytest is given behind the command.
    `retry` is added to the command to run what failed a second time, once the machine has nothing else to do.
    """

    name: str
    command: Sequence[str | Path]
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    needs: Sequence[Callable[[], object]] = ()
    tests: Sequence[Path] = ()
    retry: Sequence[str] = ()
    failed: bool = False
    failures: list[str] = field(default_factory=list)
    raced: list[str] = field(default_factory=list)
    seconds: float = 0.0
    processor_seconds: float = 0.0
    closing: str = ""
    process: subprocess.Popen[bytes] | None = None

    def run(self, *, live: bool, retried: bool = False) -> None:
        """Run the command, print its output, `live` or when it is over, and keep its closing line.

        Units: `seconds` are those that passed; `processor_seconds` those that the command and the processes that it
        waited for computed, in user and in system mode.
        """
        printed = [f"\n── {self.name}{', again' if retried else ''}\n".encode()]
        if live:
            _show(printed)
        self.failures, self.closing = [], ""
        began = time.monotonic()
        process = self.process = subprocess.Popen(
            [str(part) for part in (*self.command, *self.tests, *(self.retry if retried else ()))],
            cwd=self.folder,
            env={**variables(), **self.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None
        ended = threading.Event()
        over = threading.Event()
        alarm = threading.Timer(LIMIT, lambda: (ended.set(), _abort(process, over)))
        alarm.start()
        try:
            for raw in process.stdout:
                printed.append(raw)
                if live:
                    _show(printed)
                line = _COLOUR.sub("", raw.decode(errors="replace")).rstrip()
                if _CLOSING.match(line):
                    self.closing = line.strip()
                elif found := _FAILED.match(line):
                    self.failures.append(found[1])
            self.processor_seconds += _wait(process)
            self.failed = process.returncode != 0
        finally:
            process.stdout.close()
            over.set()
            alarm.cancel()
            self.seconds += time.monotonic() - began
            self.process = None
        if ended.is_set():
            self.failed = True
            self.closing = f"ended after {LIMIT} seconds"
            printed.append(f"{self.name} took longer than {LIMIT} seconds and was ended.\n".encode())
        _show(printed)

    def run_again(self) -> None:
        """Run the failed tests again with nothing beside them: if they pass now, they depend on timing."""
        first, failures = self.closing, self.failures
        self.run(live=True, retried=True)
        if not self.failed:
            self.raced = failures
        self.closing = f"{first.strip('= ')}; alone: {self.closing.strip('= ')}"


def variables() -> dict[str, str]:
    """Return this process's environment variables, set so that modules are compiled once for all processes."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _abort(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    """Have a command print where it is, as pytest's fault handler does at this signal, and kill what is left of it."""
    if os.name != "nt":
        process.send_signal(signal.SIGABRT)
    if os.name == "nt" or not over.wait(5):
        end(process)


def _wait(process: subprocess.Popen[bytes]) -> float:
    """Wait for the end of a command; return the processor seconds of it and of the processes that it waited for."""
    if os.name == "nt":  # Windows counts no time of children.
        process.wait()
        return 0.0
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _show(printed: list[bytes]) -> None:
    with _printing:
        sys.stdout.buffer.write(b"".join(printed))
        sys.stdout.buffer.flush()
    printed.clear()
