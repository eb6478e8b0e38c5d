"""Protects the examples of the page: each prints on Backscope exactly what it prints on PyTorch 2.13.0."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from backscope.program.runner import run
from backscope.protocol import events as ev

HERE = Path(__file__).parent


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_examples", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


examples = _load(HERE / "record_examples.py")
RECORDED: dict[str, dict[str, str]] = json.loads((HERE / "examples.json").read_text("utf-8"))
PROGRAMS = dict(examples.programs())


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_what_pytorch_prints(name: str) -> None:
    """This holds for stdout, and for the exception if one ends the program."""
    written: list[bytes] = []
    run(PROGRAMS[name], written.append)
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    stdout = "".join(e.text for e in events if isinstance(e, ev.OutputPrinted) and e.stream == "stdout")
    ends = [e for e in events if isinstance(e, ev.ErrorRaised) and e.stage == "program"]
    error = f"{ends[0].type}: {ends[0].message}".splitlines()[-1] if ends else ""
    assert {"stdout": examples.normal(stdout), "error": examples.normal(error)} == RECORDED[name]


def test_every_example_was_recorded() -> None:
    """A new example needs its recording: `python tests/conformance/record_examples.py` with PyTorch."""
    assert set(RECORDED) == set(PROGRAMS)


@pytest.mark.torch
@pytest.mark.parametrize("name", PROGRAMS)
def test_recording_is_current(name: str) -> None:
    """The recording is what the installed PyTorch prints now."""
    assert examples.printed(PROGRAMS[name]) == RECORDED[name]
