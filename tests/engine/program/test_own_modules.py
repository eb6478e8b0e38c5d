"""Programs of several files: each event and each error has the file of its line, in both ways of recording."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from backscope.diagnosis.why import Tape
from backscope.program.explanation import explain
from backscope.program.runner import run
from backscope.protocol import events as ev
from backscope.protocol.file_lines import FileLine, written
from backscope.protocol.without_source import without_source
from backscope.torch._backend.import_hook import Alias

MODEL = """import torch

class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x):
        z = x * self.weight
        for _ in range(2):
            y = z.exp()
        return y

def loss_of(out):
    total = out.sum()
    return total

def spoil(out):
    out.add_(1)
    return out

def fail(x):
    return x[7]
"""
TRAIN = """import torch
from parts.model import Scale, fail, loss_of, spoil

model = Scale()
x = torch.tensor([1.0, 1.0])
loss = loss_of(model(x))
loss.backward()
"""


def of(events: list[Any], kind: type) -> list[Any]:
    """Return the events of a kind."""
    return [event for event in events if isinstance(event, kind)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program's folder, from which it imports."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "model.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    linecache.clearcache()
    return tmp_path


def ran(folder: Path, source: str) -> list[Any]:
    """Run a program as a whole; return its events."""
    written_lines: list[bytes] = []
    run(source, written_lines.append, filename="train.py", folder=str(folder))
    return [ev.decode(line) for line in b"".join(written_lines).splitlines()]


def recorded(folder: Path, source: str) -> list[Any]:
    """Run a program in a recorded block, two lines further down; return its events."""
    head = "import backscope\nwith backscope.record() as trace:\n"
    body = head + "".join(f"    {line}\n" for line in source.splitlines())
    path = folder / "train.py"
    path.write_text(body)
    code: CodeType = compile(body, str(path), "exec")
    space: dict[str, Any] = {"__name__": "__main__"}
    with Alias():
        try:
            exec(code, space)
        except Exception:  # noqa: BLE001 - the recording has it
            pass
        finally:
            for name in ("parts", "parts.model"):
                sys.modules.pop(name, None)
    trace = space["trace"]
    return list(trace.events)


def placed(events: list[Any], offset: int = 0) -> list[tuple[str, Any, Any, Any]]:
    """Kind, line, file and name of the events that the user's code causes."""
    kinds = (ev.OpApplied, ev.TensorNamed, ev.RoundStarted, ev.BackwardStarted)
    found = []
    for event in events:
        if isinstance(event, kinds) and not (isinstance(event, ev.OpApplied) and event.line is None):
            file = event.file or None
            line = event.line if file else event.line - offset
            what = event.name if isinstance(event, ev.TensorNamed) else type(event).__name__
            found.append((type(event).__name__, line, file, what))
    return found


def test_lines_of_modules_have_their_file(folder: Path) -> None:
    events = ran(folder, TRAIN)
    added = of(events, ev.SourceAdded)
    assert [(one.file, one.filename, one.source) for one in added] == [(1, "parts/model.py", MODEL)]
    ops = [(op.op, op.line, op.file or 0) for op in of(events, ev.OpApplied)]
    assert ops == [("mul", 9, 1), ("exp", 11, 1), ("exp", 11, 1), ("sum", 15, 1)]
    assert [(one.name, one.line, one.file or 0) for one in of(events, ev.TensorNamed)] == [
        ("model.weight", 4, 0), ("x", 5, 0), ("z", 9, 1), ("y", 11, 1), ("y", 11, 1), ("out", 14, 1), ("total", 15, 1),
        ("loss", 6, 0),
    ]  # fmt: skip
    assert [(one.line, one.file, one.text) for one in of(events, ev.RoundStarted)] == [(10, 1, "for _ in range(2)")] * 2
    assert [(one.name, one.line, one.file) for one in of(events, ev.FunctionEntered)] == [("loss_of", 14, 1)]
    assert all(not one.file for one in of(events, ev.BackwardStarted))
    first = next(event.seq for event in events if event.file and not isinstance(event, ev.SourceAdded))
    assert added[0].seq < first
    assert [event.seq for event in events] == list(range(len(events)))


def test_a_recorded_block_tells_the_same(folder: Path) -> None:
    events = recorded(folder, TRAIN)
    assert placed(events, 2) == placed(ran(folder, TRAIN))
    assert [one.filename for one in of(events, ev.SourceAdded)] == ["parts/model.py"]


def test_modules_of_the_run_are_gone_after_it(folder: Path) -> None:
    ran(folder, TRAIN)
    assert "parts.model" not in sys.modules
    ran(folder, TRAIN)


def test_an_error_in_a_module_names_its_file(folder: Path) -> None:
    events = ran(folder, TRAIN + "fail(x)\n")
    error = of(events, ev.ErrorRaised)[-1]
    assert (error.line, error.file, error.type) == (23, 1, "IndexError")
    assert [(one.line, one.file or 0, one.text) for one in error.traceback] == [
        (8, 0, "fail(x)"), (23, 1, "return x[7]")
    ]  # fmt: skip


def test_an_explanation_names_both_files_of_a_change_in_place(folder: Path) -> None:
    source = TRAIN.replace("loss = loss_of(model(x))", "out = model(x)\nspoil(out)\nloss = out.sum()")
    for events, line in ((ran(folder, source), 9), (recorded(folder, source), 11)):
        error = of(events, ev.ErrorRaised)[-1]
        why = error.diagnosis
        assert why is not None
        assert "line 11 of parts/model.py" in why.cause and "line 19 of parts/model.py" in why.cause
        pairs = list(zip(why.lines, why.files, strict=True))
        assert {(11, 1), (19, 1), (line, 0)} >= set(pairs) and (19, 1) in pairs
        tape = Tape(events)
        assert "line 19 of parts/model.py" in explain(tape, tape.seq, None)


def test_a_program_of_one_file_has_no_files(folder: Path) -> None:
    written_lines: list[bytes] = []
    run("import torch\ntorch.ones(2)\n", written_lines.append, folder=str(folder))
    assert b'"file":' not in b"".join(written_lines)


def test_a_module_that_is_too_long_is_told_without_its_text(folder: Path) -> None:
    (folder / "parts" / "model.py").write_text(MODEL + f"# {'x' * 500_000}\n")
    assert of(ran(folder, TRAIN), ev.SourceAdded)[0].source is None


def test_source_is_left_out(folder: Path) -> None:
    events = ran(folder, TRAIN + "fail(x)\n")
    lines = [ev.encode(event) for event in events]
    kept = [ev.decode(line) for line in without_source(lines)]
    assert len(kept) == len(events)
    text = b"".join(without_source(lines)).decode()
    for code in ("from parts", "def forward", "return x[7]", "range(2)", "fail(x)"):
        assert code not in text.replace('"function":"fail"', "")
    assert of(kept, ev.ProgramStarted)[0].source is None
    assert of(kept, ev.RoundStarted)[0].text == "for ..."


def test_files_of_lines_come_back_from_events(folder: Path) -> None:
    events = ran(folder, TRAIN + "fail(x)\n")
    tape = Tape(events)
    read = [tape.files.read(event) for event in events]
    error = of(read, ev.ErrorRaised)[-1]
    assert f"line {error.line}" == "line 23 of parts/model.py"
    assert isinstance(error.traceback[-1].line, FileLine)
    assert tape.files.text(error.line).strip() == "return x[7]"
    assert [ev.encode(written(event)) for event in read] == [ev.encode(event) for event in events]
