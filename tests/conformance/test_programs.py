"""Protects programs: each prints on Backscope, recorded step by step, what it prints on PyTorch 2.13.0."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from backscope.program.runner import run
from backscope.protocol import events as ev

HERE = Path(__file__).parent
EXPECTED: dict[str, dict[str, str | None]] = json.loads((HERE / "programs.json").read_text("utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_prints_what_pytorch_prints(name: str, difference: Callable[[str, str], str | None]) -> None:
    """This holds for stdout to the last digit, and for the exception if one ends the program."""
    written: list[bytes] = []
    run((HERE / "programs" / name).read_text("utf-8"), written.append, filename=name)
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    stdout = "".join(e.text for e in events if isinstance(e, ev.OutputPrinted) and e.stream == "stdout")
    ends = [e for e in events if isinstance(e, ev.ErrorRaised) and e.stage == "program"]
    error = f"{ends[0].type}: {ends[0].message}" if ends else ""
    expected = EXPECTED[name]
    assert difference(expected["error"] or "", error) is None, error
    assert difference(expected["stdout"] or "", stdout) is None, stdout


def test_every_program_was_recorded() -> None:
    """A new program needs a recording of what PyTorch prints."""
    assert set(EXPECTED) == {path.name for path in (HERE / "programs").glob("*.py")}
