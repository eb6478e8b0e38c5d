"""Errors in a recorded block: each is recorded once, where the program gets it, and propagates as without one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from recorded import line_with, of

import backscope
from backscope import torch
from backscope.protocol import events as ev

line_of = partial(line_with, Path(__file__))


def test_an_error_is_recorded_and_goes_on() -> None:
    """With its diagnosis, its line and the frames of the program alone."""
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="second time"), backscope.record() as trace:  # noqa: PT012
        y = (w * w).sum()
        y.backward()
        y.backward()  # again
    last = of(trace, ev.ErrorRaised)[-1]
    assert (last.stage, last.line, trace.status) == ("program", line_of("again"), "error")
    assert last.diagnosis is not None
    assert line_of("again") in last.diagnosis.lines
    assert [at.line for at in last.traceback] == [line_of("again")]
    assert "ended with RuntimeError" in repr(trace)
    assert of(trace, ev.ProgramFinished)[0].status == "error"


def errors(trace: backscope.Recording) -> list[tuple[int | None, str, str]]:
    """Return line, stage and type of the recorded errors."""
    return [(e.line, e.stage, e.type) for e in of(trace, ev.ErrorRaised)]


def test_errors_that_the_block_catches_are_recorded() -> None:
    """Whether a handler does anything or not, each once, where nothing else happens between them too."""
    w = torch.ones(2, requires_grad=True)
    with backscope.record() as trace:
        try:
            torch.ones(2).sum().backward()  # without a history
        except RuntimeError:
            pass
        with contextlib.suppress(RuntimeError):
            (w * 2).backward()  # several
        caught = 0
        for key in (5, 6):
            try:
                w[key]  # no such row
            except IndexError:
                caught += 1
        with contextlib.suppress(RuntimeError):
            torch.nn.Linear(3, 1)(w)  # too few features
        try:
            w.grad.zero_()  # over None
        except AttributeError as error:
            print(error)
        h = (w * w).sum()
        h.backward()
        with contextlib.suppress(RuntimeError):
            h.backward()  # twice
    assert errors(trace) == [
        (line_of("without a history"), "engine", "RuntimeError"),
        (line_of("several"), "engine", "RuntimeError"),
        (line_of("no such row"), "engine", "IndexError"),
        (line_of("no such row"), "engine", "IndexError"),
        (line_of("too few features"), "engine", "RuntimeError"),
        (line_of("over None"), "engine", "AttributeError"),
        (line_of("twice"), "engine", "RuntimeError"),
    ]
    assert all(e.diagnosis is not None for e in of(trace, ev.ErrorRaised))
    assert trace.status == "ok"
    assert "second time" in trace.why()


def test_an_error_in_a_handler_is_recorded_after_the_one_that_it_handles() -> None:
    """Each once, though the first is handled still when the second is over."""
    with backscope.record() as trace:
        try:
            torch.ones(2).sum().backward()  # the first
        except RuntimeError:
            with contextlib.suppress(RuntimeError):
                (torch.ones(2) + torch.ones(3)).sum()  # the second
            print(torch.ones(2) * 2)
    assert [line for line, _, _ in errors(trace)] == [line_of("the first"), line_of("the second")]


@contextlib.contextmanager
def cleaning() -> Iterator[None]:
    """Runs an op when it is left."""
    try:
        yield
    finally:
        torch.ones(2) * 2


@pytest.mark.parametrize("caught", [False, True])
def test_an_error_that_comes_through_a_finally_is_recorded_once(caught: bool) -> None:
    """It is recorded at the end of the block if it is not caught, else in its handler, after the `finally`."""
    with contextlib.suppress(RuntimeError), backscope.record() as trace:
        with contextlib.suppress(RuntimeError) if caught else contextlib.nullcontext():
            try:
                with cleaning():
                    torch.ones(2) + torch.ones(3)  # do not fit
            finally:
                torch.ones(2) * 2
                torch.ones(2) * 3
        torch.ones(2) * 4
    assert errors(trace) == [(line_of("do not fit"), "engine" if caught else "program", "RuntimeError")]
    assert of(trace, ev.ErrorRaised)[0].diagnosis is not None


def test_why_of_an_error_that_was_caught_before_any_pass() -> None:
    """It is what went wrong, with its reason."""
    with backscope.record() as trace:
        loss = torch.ones(2).sum()
        with contextlib.suppress(RuntimeError):
            loss.backward()
    assert trace.why().startswith("RuntimeError at line ")
    assert "loss was computed from" in trace.why()


def test_no_other_errors_are_recorded() -> None:
    """The program's own, what is handled around the block, and what the engine tries itself."""
    try:
        torch.ones(2).sum().backward()
    except RuntimeError:
        with backscope.record() as trace:
            try:
                {}["nothing"]
            except KeyError:
                print(torch.ones(2) * 2)
    assert errors(trace) == []
