"""Protects the timers that have a run written and a debugger look for commands: the system's, and a thread's."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from backscope.program import flush_timer, runner

KINDS = (
    [flush_timer.SignalTimer, flush_timer.ThreadTimer] if hasattr(signal, "setitimer") else [flush_timer.ThreadTimer]
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_timer_calls_in_the_main_thread_rests_and_leaves_the_signal_as_it_was(kind):
    number = signal.SIGTERM if kind is flush_timer.ThreadTimer else signal.SIGALRM
    before = signal.getsignal(number)
    seen: list[threading.Thread] = []
    timer = kind(lambda _number, frame: seen.append(threading.current_thread()))
    count = threading.active_count()
    while len(seen) < 3:
        pass
    timer.hold()
    for _ in range(1000):  # What was on its way comes now.
        pass
    at_rest = len(seen)
    threading.Event().wait(5 * flush_timer.FLUSH_SECONDS)
    assert len(seen) <= at_rest + 1
    timer.go_on()
    while len(seen) < at_rest + 3:
        pass
    timer.hold()
    timer.stop()
    assert set(seen) == {threading.main_thread()}
    assert signal.getsignal(number) is before
    assert count == threading.active_count()


def test_there_is_none_in_another_thread():
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(flush_timer.timer(lambda _number, _frame: None)))
    thread.start()
    thread.join()
    assert found == [None]


def test_a_long_program_is_written_where_the_system_has_no_timer(monkeypatch):
    monkeypatch.delattr(signal, "setitimer")

    class Enough(BaseException):
        pass

    written: list[bytes] = []

    def write(batch: bytes) -> None:
        written.append(batch)
        if b'"name":"x"' in batch:  # In the midst of the loop.
            raise Enough

    source = "import torch\nx = torch.ones(2)\nfor _ in range(30_000_000):\n    pass\n"
    assert runner.run(source, write) == "error"
    assert b'.Enough"' in b"".join(written)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


STOPPED = """
import signal, threading
from backscope.program.flush_timer import SignalTimer
arrive = threading.Event()
thread = threading.Thread(target=lambda: (arrive.wait(), signal.raise_signal(signal.SIGALRM)))
OTHER_THREAD and thread.start()
seen = []
for _ in range(2):
    timer = SignalTimer(lambda number, frame: seen.append(number))
    while not seen:
        pass
    timer.stop()
    seen.clear()
if OTHER_THREAD:
    arrive.set()
    thread.join()
print(seen, signal.getsignal(signal.SIGALRM) is signal.SIG_DFL)
"""
"""Stops a timer; in another thread, a signal arrives only then."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
@pytest.mark.parametrize("other_thread", [True, False])
def test_a_signal_that_another_thread_handles_late_does_nothing(other_thread):
    """The process goes on and prints nothing; without other threads the handler is the default one again."""
    program = STOPPED.replace("OTHER_THREAD", str(other_thread))
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"[] {not other_thread}\n"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
def test_a_timer_that_cannot_be_set_leaves_the_signal_as_it_was(monkeypatch):
    def none(*_arguments):
        raise OSError("no timer")

    monkeypatch.setattr(signal, "setitimer", none)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OSError, match="no timer"):
        flush_timer.SignalTimer(lambda _number, _frame: None)
    assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.parametrize("kind", KINDS)
def test_a_handler_that_is_not_of_python_is_no_failure(kind, monkeypatch):
    number = signal.SIGTERM if kind is flush_timer.ThreadTimer else signal.SIGALRM
    before = signal.getsignal(number)
    original = signal.signal

    def foreign(number, handler):
        original(number, handler)

    original(number, signal.SIG_DFL)
    monkeypatch.setattr(signal, "signal", foreign)
    monkeypatch.setattr(flush_timer, "_is_only_thread", lambda: True)
    kind(lambda _number, _frame: None).stop()
    assert signal.getsignal(number) is signal.SIG_DFL
    original(number, before)


def test_the_last_events_are_written_whatever_becomes_of_the_timer():
    class Broken:
        def stop(self):
            raise TypeError

    class Recorder:
        drained = 0

        def drain(self):
            self.drained += 1

    paced = flush_timer.Pace(Recorder())
    paced._timer = Broken()
    with pytest.raises(TypeError):
        paced.stop()
    assert paced.recorder.drained == 1
