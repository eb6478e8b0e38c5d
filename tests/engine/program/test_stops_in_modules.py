"""Programs of several files under the debugger: breakpoints on lines of the files that they import, and steps there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script

LAYERS = """import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 3)

    def forward(self, x):
        h = self.fc(x)

        return torch.tanh(h)


def loss_of(out):
    if out is None:
        raise ValueError("nothing")
    return (out * out).mean()
"""
TRAIN = """import torch
from parts.layers import Net, loss_of

model = Net()
x = torch.ones(4, 2)
for step in range(3):
    out = model(x)
    loss = loss_of(out)
    loss.backward()
"""
GOING_ON = [c.Resume(id=0)] * 50


class Debugged:
    """A program in a folder, which is run under the debugger."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: list[Any] = []
        self.answers: list[Any] = []
        self.status = ""

    def run(self, breakpoints: list[c.Breakpoint], then: list[Any] | None = None, source: str = TRAIN) -> list[str]:
        """Run it; return where it stopped, as "parts/layers.py:10"."""
        orders = [msgspec.structs.replace(one, id=n) for n, one in enumerate(GOING_ON if then is None else then, 1)]
        script = Script([c.SetBreakpoints(id=0, breakpoints=breakpoints)], orders)
        written: list[bytes] = []
        self.status = run(
            source, written.append, filename=str(self.folder / "train.py"), transport=script, folder=str(self.folder)
        )
        self.events = [ev.decode(line) for line in b"".join(written).splitlines()]
        self.answers = script.answers
        names = {one.file: one.filename for one in self.events if isinstance(one, ev.SourceAdded)}
        return [f"{names.get(stop.file, 'train.py')}:{stop.line}" for stop in self.stops]

    @property
    def stops(self) -> list[ev.Paused]:
        """The stops of the last run."""
        return [event for event in self.events if isinstance(event, ev.Paused)]

    @property
    def set(self) -> c.BreakpointsSet:
        """The answer to the command that set the breakpoints."""
        answer = self.answers[0]
        assert isinstance(answer, c.BreakpointsSet)
        return answer


@pytest.fixture
def debugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Debugged:
    """A program of two files."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "layers.py").write_text(LAYERS)
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return Debugged(tmp_path)


def at(line: int, file: str | None = "parts/layers.py", **options: Any) -> c.LineBreakpoint:
    """Return a breakpoint on a line of a file."""
    return c.LineBreakpoint(id=1, line=line, file=file, **options)


def test_a_line_of_an_imported_file_stops(debugged: Debugged) -> None:
    assert debugged.run([at(10)]) == ["parts/layers.py:10"] * 3
    stop = debugged.stops[0]
    assert [(frame.file or 0, frame.line, frame.function) for frame in stop.stack] == [
        (0, 7, "<module>"), (1, 10, "forward"),
    ]  # fmt: skip
    assert debugged.set.places == [c.BreakpointPlace(id=1, line=10, file="parts/layers.py")]
    (pending,) = debugged.set.pending
    assert pending.note == "parts/layers.py has not been imported so far; the breakpoint waits for that."
    assert debugged.status == "ok"


def test_lines_of_other_files_with_the_same_number_do_not(debugged: Debugged) -> None:
    assert debugged.run([at(7, None)]) == ["train.py:7"] * 3
    assert debugged.run([at(7)]) == ["parts/layers.py:7"]


def test_code_that_runs_at_the_import_stops(debugged: Debugged) -> None:
    assert debugged.run([at(4)]) == ["parts/layers.py:4"]


def test_conditions_and_hits_count_there(debugged: Debugged) -> None:
    assert debugged.run([at(10, condition="x.sum() == 8")]) == ["parts/layers.py:10"] * 3
    assert debugged.run([at(10, condition="x is None")]) == []
    assert debugged.run([at(10, hits=3)]) == ["parts/layers.py:10"]
    assert debugged.stops[0].breakpoints == [1]


def test_a_line_without_a_statement_moves_on_or_is_refused_by_name(debugged: Debugged) -> None:
    assert debugged.run([at(11)]) == ["parts/layers.py:12"] * 3
    assert debugged.set.places == [c.BreakpointPlace(id=1, line=12, file="parts/layers.py")]
    assert debugged.run([at(99)]) == []
    assert [one.reason for one in debugged.set.unusable] == [
        "No statement begins at line 99 of parts/layers.py or after it."
    ]


def test_steps_go_into_the_file_and_come_back(debugged: Debugged) -> None:
    into = [c.Step(id=0, to="into")] * 4
    assert debugged.run([at(7, None)], [*into, c.Step(id=0, to="end")])[:5] == [
        "train.py:7", "parts/layers.py:10", "parts/layers.py:12", "train.py:8", "parts/layers.py:16",
    ]  # fmt: skip
    steps = [c.Step(id=0, to="line"), c.Step(id=0, to="out"), c.Step(id=0, to="end")]
    assert debugged.run([at(10)], steps) == ["parts/layers.py:10", "parts/layers.py:12", "train.py:8"]
    over = [c.Step(id=0, to="line"), c.Step(id=0, to="end")]
    assert debugged.run([at(7, None)], over) == ["train.py:7", "train.py:8"]


def test_a_breakpoint_can_be_set_once_the_file_is_imported(debugged: Debugged) -> None:
    then = [c.SetBreakpoints(id=0, breakpoints=[at(16)]), *GOING_ON]
    assert debugged.run([at(4, None)], then) == ["train.py:4", *["parts/layers.py:16"] * 3]
    answer = debugged.answers[1]
    assert answer.places == [c.BreakpointPlace(id=1, line=16, file="parts/layers.py")] and answer.pending == []
    cleared = [c.SetBreakpoints(id=0, breakpoints=[]), c.Resume(id=0)]
    assert debugged.run([at(10)], cleared) == ["parts/layers.py:10"]


def test_an_exception_stops_in_the_file(debugged: Debugged) -> None:
    source = TRAIN + "loss_of(None)\n"
    assert debugged.run([c.ExceptionBreakpoint(id=1)], source=source) == ["parts/layers.py:17"]
    assert debugged.run([], source=source) == [] and debugged.status == "error"


def test_what_is_changed_there_is_told_with_its_file(debugged: Debugged) -> None:
    debugged.run([at(12, hits=3)], [c.Assign(id=0, target="h", expression="h * 2"), *GOING_ON])
    (changed,) = [event for event in debugged.events if isinstance(event, ev.ValueChanged)]
    assert (changed.line, changed.file) == (12, 1)


@pytest.mark.parametrize("typed", ["parts/layers.py", "./parts/layers.py", "layers.py", "ABSOLUTE"])
def test_a_file_is_found_by_what_names_it(debugged: Debugged, typed: str) -> None:
    name = str(debugged.folder / "parts" / "layers.py") if typed == "ABSOLUTE" else typed
    then = [c.SetBreakpoints(id=0, breakpoints=[at(10, name)]), *GOING_ON]
    assert debugged.run([at(4, None)], then) == ["train.py:4", *["parts/layers.py:10"] * 3]


@pytest.mark.parametrize("typed", ["train.py", "./train.py"])
def test_the_main_file_has_a_name_too(debugged: Debugged, typed: str) -> None:
    assert debugged.run([at(8, typed)]) == ["train.py:8"] * 3
    assert debugged.set.places == [c.BreakpointPlace(id=1, line=8)] and debugged.set.pending == []


def test_files_that_are_not_the_programs_are_refused(debugged: Debugged) -> None:
    folder = debugged.folder
    assert debugged.run([at(5, os.__file__)]) == []
    assert [one.reason for one in debugged.set.unusable] == [
        f"{os.__file__} is no file of the program: those are below {folder}, without installed packages. "
        "Break at a line of yours that calls it, or at the name of an op."
    ]
    for typed, meant in (
        ("layers.py", "Did you mean parts/layers.py?"),
        ("lyers.py", "Name it as from there, for instance parts/model.py."),
        ("tran.py", "Did you mean train.py?"),
    ):
        debugged.run([at(5, typed)])
        assert [one.reason for one in debugged.set.unusable] == [f"There is no file {typed} in {folder}. {meant}"]
    (folder / "notes.py").write_text("no python here\n")
    debugged.run([at(1, "notes.py")])
    assert debugged.set.unusable[0].reason == "notes.py cannot be read as Python: invalid syntax, line 1."


def test_names_that_two_files_end_with_are_refused(debugged: Debugged) -> None:
    (debugged.folder / "more").mkdir()
    (debugged.folder / "more" / "layers.py").write_text("pass\n")
    then = [c.SetBreakpoints(id=0, breakpoints=[at(1, "layers.py")]), *GOING_ON]
    debugged.run([at(4, None)], then, source=TRAIN.replace("model = Net()", "import more.layers\nmodel = Net()"))
    assert debugged.answers[1].places[0].file == "parts/layers.py"  # The other one is imported by this line.
    debugged.run([at(5, None)], then, source=TRAIN.replace("model = Net()", "import more.layers\nmodel = Net()"))
    assert debugged.answers[1].unusable[0].reason == (
        "layers.py may be more/layers.py or parts/layers.py. Give the folder too."
    )


def test_a_program_without_a_folder_has_no_other_file() -> None:
    script = Script([c.SetBreakpoints(id=0, breakpoints=[at(1, "layers.py")])], GOING_ON)
    run("x = 1\n", lambda _: None, transport=script)
    (unusable,) = script.answers[0].unusable  # type: ignore[union-attr]
    assert unusable.reason == "This program has no file layers.py: it is one file. Give the number of a line alone."


def test_the_log_is_that_of_a_plain_run(debugged: Debugged) -> None:
    debugged.run([])
    plain = [msgspec.structs.replace(event, seq=0) for event in debugged.events]
    debugged.run([at(10)], [c.Step(id=0, to="into")] * 200)
    stopped = [e for e in debugged.events if not isinstance(e, (ev.Paused, ev.Resumed))]
    assert len(debugged.stops) > 15
    assert [msgspec.structs.replace(event, seq=0) for event in stopped] == plain
