"""The widget's state has the events of its recording in bounded parts, while it is made and once it is complete."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import backscope
from backscope import torch
from backscope.player import cell
from backscope.program.recorded_block import RecordedBlock
from backscope.protocol import events as ev

pytest.importorskip("anywidget")

from backscope.notebook import Widget, widget as room


@pytest.fixture(autouse=True)
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Widget, "_carrier", None)
    monkeypatch.setattr(cell, "_page", lambda: ("a page", "its-name"))
    yield
    Widget.close_all()


def work(rounds: int = 1) -> None:
    w = torch.ones(3, requires_grad=True)
    for _ in range(rounds):
        (w * w).sum().backward()


def recorded(rounds: int = 1) -> RecordedBlock:
    with backscope.record() as trace:
        work(rounds)
    return trace


def log_of(state: dict[str, Any]) -> list[bytes]:
    parts = [state[f"_part_{number}"] for number in range(state["_parts"])]
    assert state["_length"] == sum(map(len, parts))
    return b"".join(parts).splitlines()


def test_a_complete_recording_is_in_its_state_in_bounded_parts() -> None:
    trace = recorded(rounds=200)
    state = Widget(trace).get_state()
    assert log_of(state) == trace.lines
    assert state["_parts"] > 2
    assert all(len(state[f"_part_{number}"]) <= room.PART_BYTES for number in range(state["_parts"]))


def test_a_run_is_sent_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Widget(backscope.record())
    states, came = [], threading.Event()

    def send_state(key: tuple[str, ...]) -> None:
        states.append(widget.get_state(key))
        came.set()

    monkeypatch.setattr(widget, "send_state", send_state)
    with widget as run:
        work(rounds=200)
        assert came.wait(60)
        during = len(states)
    assert run is widget and 0 < during < len(states)
    whole: dict[str, Any] = {}
    lengths = []
    for state in states:
        whole |= state
        lengths.append(state["_length"])
        assert sum(key.startswith("_part_") for key in state) == 1
    assert lengths == sorted(set(lengths)), "each one brings something new"
    assert log_of(whole) == widget.recording.lines == log_of(widget.get_state())
    assert widget.recording.status == "ok"


def test_an_error_is_recorded_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Widget(backscope.record())
    with pytest.raises(RuntimeError, match="does not require grad"), widget:
        torch.ones(2).sum().backward()
    assert widget.recording.status == "error"
    assert log_of(widget.get_state()) == widget.recording.lines


def test_a_log_that_grows_too_long_is_cut_for_the_page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recorded(rounds=20)
    monkeypatch.setattr(room, "MOST_SENT", sum(len(line) + 1 for line in trace.lines[:30]))
    *lines, last = log_of(Widget(trace).get_state())
    assert lines == trace.lines[:30]
    assert ev.decode(last) == ev.ProgramFinished(seq=30, line=None, status="cut")


def test_the_page_is_in_the_state_of_one_widget_and_others_get_it_when_they_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = recorded()
    first, second = Widget(trace), Widget(trace)
    assert [one.get_state()["_page"] for one in (first, second)] == ["a page", ""]
    answers: list[object] = []
    monkeypatch.setattr(second, "send", answers.append)
    second._handle_custom_msg({"wanted": "page"}, [])
    second._handle_custom_msg({"wanted": "money"}, [])
    assert answers == [{"page": "a page"}]
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    assert Widget(trace).get_state()["_page"] == "a page", "each output of Colab is a document of its own"


def test_the_moment_is_that_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Widget(recorded())
    assert widget.moment.step == 0
    widget.set_state({"step": 2, "seq": 6})
    assert widget.moment.step == 2 and widget.moment.seq == widget.seq
    widget.step = 10_000
    assert isinstance(widget.moment.event, ev.BackwardFinished)


def test_without_a_page_there_is_no_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell, "_page", lambda: None)
    with pytest.raises(RuntimeError, match="not built"):
        Widget(recorded())
