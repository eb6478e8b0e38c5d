"""The journal: batches as they are written, and that what goes wrong with one event leaves no gap among the others."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import FrameType, FunctionType
from typing import Any

import pytest

from backscope.protocol import events as ev
from backscope.recorder import narration as say
from backscope.recorder.journal import LOST, Journal
from backscope.recorder.user_code import UserCode


def events(written: list[bytes]) -> list[Any]:
    """The events of all batches."""
    return [ev.decode(line) for line in b"".join(written).splitlines()]


def test_a_batch_is_whole_lines() -> None:
    """Each call of write gets one or more events, each ended by a newline; nothing is written twice."""
    written: list[bytes] = []
    journal = Journal(written.append, UserCode(None), {}, set())
    journal.add(say.output_printed, None, "stdout", "a")
    journal.add(say.output_printed, None, "stdout", "b")
    assert written == []
    journal.drain()
    journal.drain()
    assert len(written) == 1 and written[0].endswith(b"\n")
    assert [e.text for e in events(written)] == ["a", "b"]


def test_drains_by_itself() -> None:
    """A long program does not pile up its moments."""
    written: list[bytes] = []
    journal = Journal(written.append, UserCode(None), {}, set())
    for _ in range(Journal.BATCH):
        journal.add(say.output_printed, None, "stdout", "x")
    assert len(events(written)) == Journal.BATCH


@pytest.mark.parametrize(("error", "texts"), [(KeyError, ["a", "c"]), (MemoryError, ["a", "b", "b again", "c"])])
def test_failure_leaves_no_gap(error: type[Exception], texts: list[str], lost: list[Exception]) -> None:
    """An event that can't be made is left out, with a warning; one that memory was too short for is made next time."""
    attempts: list[int] = []

    def fails_once(n: Any, seq: int, line: Any) -> Iterator[ev.Event]:
        attempts.append(seq)
        if error is MemoryError:
            yield from say.output_printed(n, seq, line, "stdout", "b")
        if len(attempts) == 1:
            raise error
        yield from say.output_printed(n, seq + 1, line, "stdout", "b again")

    written: list[bytes] = []
    journal = Journal(written.append, UserCode(None), {}, set())
    journal.add(say.output_printed, None, "stdout", "a")
    engines = {**globals(), "__name__": "backscope.recorder.narration.test"}
    journal.add(FunctionType(fails_once.__code__, engines, closure=fails_once.__closure__), None)
    journal.add(say.output_printed, None, "stdout", "c")
    with pytest.raises(error) if error is MemoryError else nullcontext():
        journal.drain()
    journal.drain()
    found = events(written)
    assert [e.text for e in found if isinstance(e, ev.OutputPrinted)] == texts
    assert [e.seq for e in found] == list(range(len(found)))
    warned = [e for e in found if isinstance(e, ev.WarningRaised)]
    assert [e.category for e in warned] == [LOST] * (error is KeyError)
    assert all("KeyError in test_journal.py, line" in e.message for e in warned)
    lost.clear()


@pytest.mark.filterwarnings("ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
def test_signals_leave_no_gap(record: Callable[..., Any]) -> None:
    """A program whose handlers raise again and again, wherever it is, has a log without a gap."""
    # The handler raises once each time that it is wanted: one that is late must not reach what runs after the program,
    # nor the jump back to the head of the loop, which is outside of the try since Python 3.13.
    run = record(
        "import signal\n"
        "def late(number, frame):\n    global wanted, raised\n    if wanted:\n        wanted = False\n"
        "        raised += 1\n        raise TimeoutError\n"
        "x = torch.ones(3, requires_grad=True)\nraised, wanted = 0, False\n"
        "before = signal.signal(signal.SIGVTALRM, late)\n"
        "signal.setitimer(signal.ITIMER_VIRTUAL, 0.0005, 0.0005)\n"
        "while raised < 300:\n    try:\n        while raised < 300:\n            wanted = True\n"
        "            y = (x * 2).sum()\n            print(end='.')\n            wanted = False\n"
        "    except TimeoutError:\n        pass\n"
        "signal.setitimer(signal.ITIMER_VIRTUAL, 0)\nsignal.signal(signal.SIGVTALRM, before)\n"
    )
    assert [e.seq for e in run.events] == list(range(len(run.events)))
    assert run.events[-1].status == "ok"


def test_a_drain_deep_in_recursion_loses_nothing() -> None:
    """With whatever little room the program left, events are written whole, or kept for the next time."""

    def tell(_: Any, seq: int, line: Any, text: str, deeper: int = 20) -> Iterator[ev.Event]:
        if deeper:
            return tell(_, seq, line, text, deeper - 1)
        return iter([ev.OutputPrinted(seq=seq, line=None, stream="stdout", text=text)])

    limit = sys.getrecursionlimit()
    written: list[bytes] = []
    journal = Journal(written.append, UserCode(None), {}, set())
    depth = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    waited = 0
    for room in range(60):
        journal.add(tell, None, str(room))
        before = len(written)
        try:
            sys.setrecursionlimit(depth + room)
            journal.drain()
        except RecursionError:  # There was not even room to call it.
            pass
        finally:
            sys.setrecursionlimit(limit)
        waited += len(written) == before
    assert 0 < waited < 20
    assert sys.getrecursionlimit() == limit
    journal.drain()
    assert [e.seq for e in events(written)] == list(range(60))
    assert [e.text for e in events(written)] == [str(room) for room in range(60)]
