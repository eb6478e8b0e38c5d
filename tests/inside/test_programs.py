"""Protects programs from the sandbox's layers: examples and PyTorch's programs print inside it what PyTorch prints."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from backscope_server.session.session import Session

TESTS = Path(__file__).parents[1]
CONFORMANCE = TESTS / "conformance"
SHARED = TESTS.parents[1] / "shared/conformance/programs"

Finish = Callable[[str], Session]


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{path.stem}_for_the_sandbox", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _printed(session: Session) -> tuple[str, str]:
    events = [json.loads(line) for line in session.log.lines]
    text = "".join(e["text"] for e in events if e["kind"] == "output_printed" and e["stream"] == "stdout")
    ends = [e for e in events if e["kind"] == "error_raised" and e["stage"] != "engine"]
    return text, f"{ends[-1]['type']}: {ends[-1]['message']}" if ends else ""


examples = _load(CONFORMANCE / "record_examples.py")
EXAMPLES = dict(examples.programs())
EXPECTED = json.loads((CONFORMANCE / "programs.json").read_text("utf-8"))


def test_every_example_prints_inside_what_pytorch_prints(finish: Finish) -> None:
    recorded = json.loads((CONFORMANCE / "examples.json").read_text("utf-8"))
    wrong = {}
    for name, source in EXAMPLES.items():
        stdout, error = _printed(finish(source))
        said = {"stdout": examples.normal(stdout), "error": examples.normal((error.splitlines() or [""])[-1])}
        if said != recorded[name]:
            wrong[name] = said
    assert len(EXAMPLES) > 20 and wrong == {}


def _differences(finish: Finish, folder: Path) -> dict[str, str]:
    difference = _load(CONFORMANCE / "conftest.py").difference
    wrong = {}
    for path in sorted(folder.glob("*.py")):
        expected = EXPECTED[path.name]
        stdout, error = _printed(finish(path.read_text("utf-8")))
        found = difference(expected["error"] or "", error) or difference(expected["stdout"] or "", stdout)
        if found is not None:
            wrong[path.name] = found
    return wrong


def test_every_program_prints_inside_what_pytorch_prints(finish: Finish) -> None:
    assert len(EXPECTED) > 50
    assert _differences(finish, CONFORMANCE / "programs") == {}


def test_the_programs_beside_the_repository_are_these() -> None:
    if not SHARED.is_dir():
        pytest.skip(f"there is no folder {SHARED}")
    unlike = [
        path.name
        for path in SHARED.glob("*.py")
        if path.read_bytes() != (CONFORMANCE / "programs" / path.name).read_bytes()
    ]
    assert unlike == []
