"""A recording among what is around it: other recordings, threads, modes and calls go on as ever."""

from __future__ import annotations

import sys
import threading
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from recorded import line_with, of

import backscope
from backscope import torch
from backscope.program import runner
from backscope.protocol import events as ev, trace as trace_file
from backscope.runtime.listening import hub

line_of = partial(line_with, Path(__file__))


def test_what_is_around_the_block_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Output and warnings appear as before and are recorded; no listener is left afterwards."""
    out, err, warn = sys.stdout, sys.stderr, warnings.showwarning
    w = torch.ones(1, requires_grad=True)
    before = w * 2
    with pytest.warns(UserWarning, match="careful"), backscope.record() as trace:  # noqa: PT031
        print("one", 2)
        print("three", end="")
        warnings.warn("careful", stacklevel=1)  # careful
        after = before * 3
    assert capsys.readouterr().out == "one 2\nthree"
    assert (sys.stdout, sys.stderr, warnings.showwarning) == (out, err, warn)
    assert "".join(e.text for e in of(trace, ev.OutputPrinted)) == "one 2\nthree"
    assert [(e.line, e.message) for e in of(trace, ev.WarningRaised)] == [(line_of("careful"), "careful")]
    count = len(trace.events)
    (after * 2).backward()
    assert w.grad == 12
    assert len(trace.events) == count
    assert hub.listener is None
    assert hub.keeper is None


def test_another_recording_at_the_same_time_is_refused() -> None:
    """In this thread and in another, saying where the first one is; the first one goes on."""
    said: list[BaseException] = []

    def in_a_thread() -> None:
        try:
            with backscope.record():
                pass
        except RuntimeError as error:
            said.append(error)

    with backscope.record() as trace:  # first
        with pytest.raises(RuntimeError, match=f"from line {line_of('first')} of .*test_recording_surroundings.py"):
            backscope.record().__enter__()
        thread = threading.Thread(target=in_a_thread)
        thread.start()
        thread.join()
        torch.ones(1)
    assert "there is one at a time" in str(said[0])
    assert len(of(trace, ev.TensorCreated)) == 1
    with pytest.raises(RuntimeError, match="was made already"):
        trace.__enter__()


def test_not_inside_of_a_backward_pass() -> None:
    """A recording that begins inside a pass is refused: it would have half of the pass."""
    w = torch.ones(1, requires_grad=True)
    w.register_hook(lambda g: backscope.record().__enter__())
    with pytest.raises(RuntimeError, match="inside of a backward pass"):
        (w * 2).backward()
    assert hub.listener is None


WHOLE = """
import backscope
import torch
w = torch.tensor(2.0, requires_grad=True)
with backscope.record() as trace:
    y = w * 3
    print("inside")
    y.backward()
    try:
        backscope.record().__enter__()
    except RuntimeError as error:
        refusal = str(error)
assert trace.status == "ok" and "from line 5 of" in refusal, refusal
assert "w.grad is 3" in trace.why("w.grad") and "w.grad is 3" in trace.why(w)
try:
    with backscope.record() as failed:
        y.backward()
except RuntimeError:
    assert failed.status == "error" and "retain_graph" in failed.why()
for item in (trace, failed):
    item.save(f"{folder}/{item.status}.backscope")
with backscope.record(most_bytes=1000) as short:
    w * 2
assert short.status == "cut"
v = w * 5
"""


def test_a_block_of_a_program_that_is_recorded_as_a_whole(tmp_path: Path) -> None:
    """Its recording is that of the program up to the end of the block, the program's own goes on."""
    written: list[bytes] = []
    status = runner.run(WHOLE.replace("{folder}", str(tmp_path)), written.append)
    told = [ev.decode(line) for line in b"".join(written).splitlines()]
    assert status == "ok", told
    assert [e.seq for e in told] == list(range(len(told)))
    assert any("cut short" in e.message for e in told if isinstance(e, ev.WarningRaised))
    assert [e.name for e in told if isinstance(e, ev.TensorNamed)][-1] == "v"
    for name in ("ok", "error"):
        part = trace_file.read(tmp_path / f"{name}.backscope")
        events = [ev.decode(line) for line in part]
        assert isinstance(events[0], ev.ProgramStarted)
        assert events[-1] == ev.ProgramFinished(seq=len(events) - 1, line=None, status=name)
        assert events[:-1] == told[: len(events) - 1]


def test_a_module_of_a_recorded_program_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The events before the block were not kept: the program's own text does not name the package."""
    (tmp_path / "recording_of_mine.py").write_text("import backscope\nwith backscope.record(): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    written: list[bytes] = []
    assert runner.run("import recording_of_mine\n", written.append) == "error"
    assert b"itself, and not a module of it alone, has `import backscope`" in b"".join(written)


def test_other_threads_are_not_recorded() -> None:
    """What they do at the same time works, and does not get into the recording."""
    w = torch.ones(2, requires_grad=True)
    done: list[Any] = []

    def work() -> None:
        own = torch.ones(3, requires_grad=True)
        model = torch.nn.Linear(3, 1)
        (model(own * 2).sum() + (own * own).sum()).backward()
        torch.optim.SGD([own], lr=0.1).step()
        done.append(own.grad)

    with backscope.record() as trace:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        (w * 2).sum().backward()
    assert done[0].shape == (3,)
    assert [e.op for e in of(trace, ev.OpApplied)] == ["mul", "sum"]
    assert len(of(trace, ev.BackwardStarted)) == len(of(trace, ev.GradAccumulated)) == 1


@pytest.mark.parametrize("mode", [torch.autograd.detect_anomaly, torch.inference_mode, torch.no_grad])
def test_inside_of_other_modes_and_the_other_way_round(mode: Any) -> None:
    """Those that listen themselves go on, and are over where they end."""
    w = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mode():
            with backscope.record() as inner:
                w * 2
            w * 3
        with backscope.record() as outer:
            with mode():
                w * 2
            w * 3
    assert [e.op for e in of(inner, ev.OpApplied)] == ["mul"]
    assert [e.op for e in of(outer, ev.OpApplied)] == ["mul", "mul"]
    assert hub.listener is None


def test_inside_of_forward_and_of_a_function() -> None:
    """Calls that began before the block have no events of their end."""
    recordings = []

    class Inner(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            with backscope.record() as trace:
                out = x * 2
            recordings.append(trace)
            return out

    class Own(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            with backscope.record() as trace:
                out = x * 2
            recordings.append(trace)
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = torch.ones(1, requires_grad=True)
    Own.apply(Inner()(x)).backward()
    assert x.grad == 4
    assert [[e.op for e in of(trace, ev.OpApplied)] for trace in recordings] == [["mul"], ["mul"]]
