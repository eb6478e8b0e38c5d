"""Protects the end of a run that fails itself: streams, the main module and the timer are restored."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from backscope.debugger.debugger import Debugger
from backscope.program.flush_timer import Pace
from backscope.program.runner import run
from backscope.protocol.transport import Script
from backscope.recorder.recorder import Recorder
from backscope.runtime import process
from backscope.runtime.listening import hub

SOURCE = "import sys, torch\nsys.setrecursionlimit(3000)\ny = torch.ones(1) * 2\nprint(y)\n"


def end_fails(patch: pytest.MonkeyPatch) -> None:
    """The debugger raises at the end."""
    patch.setattr(Debugger, "end", _fails)


def drain_fails(patch: pytest.MonkeyPatch) -> None:
    """The journal raises after the program has ended."""
    plain = Recorder.drain

    def drain(self: Recorder) -> None:
        if hub.listener is None and stopped:
            _fails()
        plain(self)

    stopped: list[bool] = []
    patch.setattr(Debugger, "ended", lambda *_: stopped.append(True))
    patch.setattr(Recorder, "drain", drain)


def restart_fails(patch: pytest.MonkeyPatch) -> None:
    """Restoring the process-wide state raises."""
    plain = process.restart

    def restart() -> None:
        if begun:
            _fails()
        begun.append(True)
        plain()

    begun: list[bool] = []
    patch.setattr(process, "restart", restart)


def begin_fails(patch: pytest.MonkeyPatch) -> None:
    """The debugger raises before the first statement."""
    patch.setattr(Debugger, "begin", _fails)


def _fails(*given: Any) -> None:
    raise OSError("a fault")


@pytest.mark.parametrize("fault", [end_fails, drain_fails, restart_fails, begin_fails])
def test_all_is_restored_if_the_end_fails(fault: Callable[[pytest.MonkeyPatch], None]) -> None:
    """run() raises the error, and its streams, module, timer and recursion limit are gone."""

    def around() -> list[Any]:
        return [sys.stdout, sys.stderr, sys.modules["__main__"], sys.getrecursionlimit(), hub.listener]

    before = around()
    handler = signal.getsignal(signal.SIGALRM)
    stopped: list[Pace] = []
    plain = Pace.stop

    def stop(self: Pace) -> None:
        stopped.append(self)
        plain(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pace, "stop", stop)
        fault(patch)
        with pytest.raises(OSError, match="a fault"):
            run(SOURCE, lambda _: None, transport=Script([]))
    after = around()
    timer = signal.getitimer(signal.ITIMER_REAL)
    signal.setitimer(signal.ITIMER_REAL, 0)  # A timer that is left must not disturb later tests.
    sys.stdout, sys.stderr, sys.modules["__main__"] = before[:3]
    sys.setrecursionlimit(before[3])
    hub.listener = hub.debugger = None
    assert after == before
    assert timer == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == handler
    assert len(stopped) == 1


def test_all_events_are_written_if_the_debugger_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log has program_finished as its last event, though the debugger raises at the end."""
    end_fails(monkeypatch)
    written: list[bytes] = []
    with pytest.raises(OSError, match="a fault"):
        run(SOURCE, written.append, transport=Script([]))
    hub.debugger = None
    lines = b"".join(written).splitlines()
    assert b"program_started" in lines[0]
    assert b"program_finished" in lines[-1]
    assert any(b"output_printed" in line for line in lines)
