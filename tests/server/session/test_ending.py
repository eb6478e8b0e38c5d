"""Protects the messages of ended runs: each cause has a type, a limit in numbers and advice."""

from __future__ import annotations

import signal

import pytest

from backscope.protocol import events
from backscope_server.sandbox.child import EXIT_ENGINE, EXIT_LOCKDOWN, EXIT_MEMORY
from backscope_server.sandbox.launcher import Child
from backscope_server.sandbox.limits import Limits
from backscope_server.sandbox.messages import Exited
from backscope_server.session import ending

LIMITS = Limits(
    wall_seconds=1.5, cpu_seconds=3, memory_bytes=3 << 29, output_bytes=1 << 20, events=1000, log_bytes=1, event_bytes=1
)


def gone(status: int, cpu_seconds: float = 0.1) -> Child:
    child = Child(1, 0, None)
    child.finish(Exited(child=1, status=status, cpu_seconds=cpu_seconds))
    return child


@pytest.mark.parametrize(
    ("status", "cpu_seconds", "kind", "text", "layer"),
    [
        (signal.SIGXCPU, 3.0, "TimeLimitExceeded", "3 s of processor time", "rlimits"),
        (signal.SIGKILL, 4.0, "TimeLimitExceeded", "3 s of processor time", "rlimits"),
        (signal.SIGKILL, 0.1, "MemoryLimitExceeded", "machine ran out of memory", "kernel"),
        (EXIT_MEMORY << 8, 0.1, "MemoryLimitExceeded", "1.5 GB", "rlimits"),
        (signal.SIGSYS, 0.1, "ProgramDied", "system call", "seccomp"),
        (signal.SIGSEGV, 0.1, "ProgramDied", "Segmentation fault", None),
        (3 << 8, 0.1, "ProgramDied", "exit status 3", None),
        (EXIT_ENGINE << 8, 0.1, "ProgramDied", "engine failed", None),
        (EXIT_LOCKDOWN << 8, 0.1, "ProgramDied", "PermissionError: no", None),
    ],
)
def test_each_way_to_end_a_process_has_a_message(status, cpu_seconds, kind, text, layer):
    begun = status != EXIT_LOCKDOWN << 8
    found = ending.of_exit(gone(status, cpu_seconds), LIMITS, "noise\nPermissionError: no\n", begun=begun)
    assert (found.status, found.type, found.layer) == ("limit", kind, layer)
    assert text in found.message


def test_the_exit_status_of_a_failed_lockdown_is_ignored_once_the_program_has_begun():
    found = ending.of_exit(gone(EXIT_LOCKDOWN << 8), LIMITS, "nothing was run\n")
    assert "exit status 114" in found.message
    assert "nothing was run" not in found.message


def test_diagnostics_are_shown_as_text_of_bounded_length():
    found = ending.of_exit(gone(EXIT_ENGINE << 8), LIMITS, "x" * 5000 + "\x1b]0;\x07\u202e\x00.\n")
    assert found.message.isprintable()
    assert 500 < len(found.message) < 700


def test_a_lost_process_has_a_message():
    child = Child(1, 0, None)
    child.finish(None, "the zygote has died")
    assert "the zygote has died" in ending.of_exit(child, LIMITS, "").message


def test_the_line_of_a_crash_is_the_innermost_of_the_program():
    stack = (
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n"
        '  File "/lib/ctypes/__init__.py", line 519 in string_at\n'
        '  File "program.py", line 7 in deepest\n  File "program.py", line 12 in <module>\n'
    )
    assert ending.crash_line(stack, "program.py") == 7
    assert ending.crash_line(stack, "program") is None
    assert ending.crash_line('  File "program.py", line 99999999999999999999 in x\n', "program.py") is None


def test_the_last_events_are_events():
    lines = ending.closing_events(ending.wall_time(LIMITS), 5, 3)
    error, finished = map(events.decode, lines)
    assert isinstance(error, events.ErrorRaised)
    assert isinstance(finished, events.ProgramFinished)
    assert (error.seq, error.line, finished.seq, finished.status) == (5, 3, 6, "limit")
    (stopped,) = map(events.decode, ending.closing_events(ending.STOPPED, 0, None))
    assert isinstance(stopped, events.ProgramFinished)
    assert stopped.status == "stopped"
