"""The journal: batches as they are written, and that what goes wrong with one event leaves no gap among the others."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from backscope import events as ev, narration as say
from backscope.journal import Journal


def events(written: list[bytes]) -> list[Any]:
    """The events of all batches."""
    return [ev.decode(line) for line in b"".join(written).splitlines()]


def test_a_batch_is_whole_lines() -> None:
    """Each call of write gets one or more events, each ended by a newline; nothing is written twice."""
    written: list[bytes] = []
    journal = Journal(written.append)
    journal.printed("stdout", "a")
    journal.printed("stdout", "b")
    assert written == []
    journal.drain()
    journal.drain()
    assert len(written) == 1 and written[0].endswith(b"\n")
    assert [e.text for e in events(written)] == ["a", "b"]


def test_drains_by_itself() -> None:
    """A long program does not pile up its moments."""
    written: list[bytes] = []
    journal = Journal(written.append)
    for _ in range(Journal.BATCH):
        journal.printed("stdout", "x")
    assert len(events(written)) == Journal.BATCH


@pytest.mark.parametrize(("error", "texts"), [(KeyError, ["a", "c"]), (MemoryError, ["a", "b", "b again", "c"])])
def test_failure_leaves_no_gap(error: type[Exception], texts: list[str]) -> None:
    """An event that can't be made is left out; one that memory was too short for is made the next time."""
    attempts: list[int] = []

    def fails_once(n: Any, seq: int, line: Any) -> Iterator[ev.Event]:
        attempts.append(seq)
        if error is MemoryError:
            yield from say.output_printed(n, seq, line, "stdout", "b")
        if len(attempts) == 1:
            raise error
        yield from say.output_printed(n, seq + 1, line, "stdout", "b again")

    written: list[bytes] = []
    journal = Journal(written.append)
    journal.printed("stdout", "a")
    journal.add(fails_once, None)
    journal.printed("stdout", "c")
    with pytest.raises(error):
        journal.drain()
    journal.drain()
    found = events(written)
    assert [e.text for e in found] == texts
    assert [e.seq for e in found] == list(range(len(found)))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
def test_signals_leave_no_gap(record: Callable[..., Any]) -> None:
    """A program whose handlers raise again and again, wherever it is, has a log without a gap."""
    run = record(
        "import signal\n"
        "def late(number, frame):\n    raise TimeoutError\n"
        "def rounds():\n    global raised\n    while raised < 300:\n        try:\n            while True:\n"
        "                y = (x * 2).sum()\n                print(end='.')\n"
        "        except TimeoutError:\n            raised += 1\n"
        "x = torch.ones(3, requires_grad=True)\nraised = 0\nbefore = signal.signal(signal.SIGVTALRM, late)\n"
        "signal.setitimer(signal.ITIMER_VIRTUAL, 0.0005, 0.0005)\n"
        "while raised < 300:\n    try:\n        rounds()\n    except TimeoutError:\n        raised += 1\n"
        "signal.setitimer(signal.ITIMER_VIRTUAL, 0)\nsignal.signal(signal.SIGVTALRM, before)\n"
    )
    assert [e.seq for e in run.events] == list(range(len(run.events)))
    assert run.events[-1].status == "ok"
