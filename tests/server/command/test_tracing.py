"""`backscope trace` runs a program on PyTorch as python does, and records it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from backscope.protocol import events as ev, trace

PROGRAM = '''"""A program."""
from __future__ import annotations
import sys
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for times in range(2):
    (w * w).sum().backward()
print(w.grad.tolist(), sys.argv[1:], __name__, __doc__)
if len(sys.argv) > 2:
    try:
        w.backward()
    except RuntimeError as error:
        raise ValueError("no scalar") from error
sys.exit(3)
'''


def command(folder: Path, *given: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    call = [sys.executable, "-m", "backscope_server"]
    return subprocess.run([*call, "trace", *given], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.torch
def test_a_program_runs_as_with_python(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    ran = command(tmp_path, "train.py", "-o", "here.backscope", "one")
    assert ran.stdout == "[4.0, 8.0] ['one'] __main__ A program.\n"
    assert ran.returncode == 3
    found = [ev.decode(line) for line in trace.read(tmp_path / "here.backscope")]
    assert ran.stderr == f"backscope: recorded {len(found):,} events in here.backscope; `backscope open` shows it\n"
    assert [e.line for e in found if isinstance(e, ev.BackwardStarted)] == [8, 8]
    assert [e.rounds for e in found if isinstance(e, ev.LoopFinished)] == [2]
    assert "w" in {e.name for e in found if isinstance(e, ev.TensorNamed)}
    assert found[0].source == PROGRAM


@pytest.mark.torch
def test_an_error_reads_as_with_python(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    ran = command(tmp_path, "--values", "none", "train.py", "one", "two")
    assert ran.returncode == 1
    plain = subprocess.run(
        [sys.executable, "train.py", "one", "two"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert 'train.py", line 14, in <module>' in plain.stderr
    assert ran.stderr.partition("backscope: recorded")[0] == plain.stderr
    found = [ev.decode(line) for line in trace.read(tmp_path / "train.backscope")]
    assert [(e.line, e.stage) for e in found if isinstance(e, ev.ErrorRaised)] == [(12, "engine"), (14, "program")]


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    ran = command(tmp_path, "train.py")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "cannot read train.py" in ran.stderr
