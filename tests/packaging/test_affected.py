"""Protects `python3 tests --changed`: it runs the tests that a change can affect, and all if that is not known."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
OP = "engine/backscope/ops/fft/__init__.py"
WHY = "engine/backscope/diagnosis/why/absence.py"
WALL = "server/backscope_server/sandbox/layers/seccomp.py"


@pytest.fixture(scope="module")
def change() -> Any:
    sys.path.insert(0, str(ROOT / "tests"))
    try:
        return importlib.import_module("affected").Change()
    finally:
        sys.path.remove(str(ROOT / "tests"))


def test_an_op_affects_what_imports_it_and_programs_in_processes(change: Any) -> None:
    found = change.affected([OP])
    assert not found.everything
    assert {"tests/engine/ops/test_gradients.py", "tests/conformance/test_programs.py"} <= found.tests
    assert {"tests/inside/test_engine.py", "tests/browser/stage/test_values.py"} <= found.tests
    assert {"tests/server/session/test_pool.py", "tests/server/terminal/test_debug.py"} <= found.tests
    assert "tests/packaging/test_fresh_machine.py" not in found.tests
    assert {"mypy", "import rules", "ruff check"} <= found.checks
    assert found.vitest == ""


def test_an_answer_to_why_affects_no_test_of_ops(change: Any) -> None:
    found = change.affected([WHY])
    assert "tests/engine/diagnosis/why/test_absence.py" in found.tests
    assert not [name for name in found.tests if name.startswith(("tests/engine/ops/", "tests/engine/optim/"))]


def test_a_wall_of_the_sandbox_affects_what_runs_behind_it(change: Any) -> None:
    found = change.affected([WALL])
    assert {"tests/server/attacks/test_attacks.py", "tests/inside/test_programs.py"} <= found.tests
    assert not [name for name in found.tests if name.startswith(("tests/engine/", "tests/conformance/"))]


def test_what_processes_begin_with_and_suites_are_there(change: Any) -> None:
    affected = sys.modules[type(change).__module__]
    assert {*affected.PROGRAMS, *affected.SERVING} <= change.modules.names
    for name in (*affected.MAPPING, *affected.WITH_PROGRAMS, *affected.WITH_SERVER):
        assert (ROOT / name).exists()


def test_a_lesson_affects_the_tests_of_lessons_alone(change: Any) -> None:
    found = change.affected(["server/backscope_server/lessons/text/01_graph.md"])
    assert not found.everything
    assert {"tests/server/lessons/test_text.py", "tests/server/api/test_lesson_routes.py"} <= found.tests
    assert {name for name in found.tests if "lesson" not in name} <= {
        "tests/packaging/test_documents.py",
        "tests/packaging/test_wheel.py",
        "tests/packaging/test_affected.py",
    }
    assert "generated types" in change.affected(["server/backscope_server/lessons/lesson.py"]).checks


def test_a_module_of_the_server_affects_pages_and_hostile_programs(change: Any) -> None:
    found = change.affected(["server/backscope_server/api/rest.py"]).tests
    assert {"tests/browser/stage/test_values.py", "tests/server/attacks/test_attacks.py"} <= found
    assert not [name for name in found if name.startswith(("tests/engine/", "tests/inside/"))]


def test_the_grammar_of_the_terminal_affects_neither_pages_nor_the_engine(change: Any) -> None:
    found = change.affected(["server/backscope_server/terminal/grammar.py"])
    assert "tests/server/terminal/test_grammar.py" in found.tests
    assert not [name for name in found.tests if name.startswith(("tests/engine/", "tests/server/sandbox/"))]


def test_a_source_of_the_page_affects_the_page(change: Any) -> None:
    found = change.affected(["web/src/main.ts"])
    assert found.vitest == "changed"
    assert {"Biome", "Svelte and TypeScript", "generated types"} <= found.checks
    assert {"tests/browser/stage/test_values.py", "tests/packaging/test_page_build.py"} <= found.tests
    assert not [name for name in found.tests if name.startswith(("tests/engine/", "tests/server/"))]
    assert change.affected(["web/package-lock.json"]).vitest == "whole"
    assert change.affected(["web/vite.config.ts", "web/src/main.ts"]).vitest == "whole"


def test_a_test_affects_itself_and_a_conftest_its_folder(change: Any) -> None:
    assert change.affected(["tests/server/test_settings.py"]).tests == {"tests/server/test_settings.py"}
    gradients = "tests/engine/ops/test_gradients.py"
    assert change.affected([gradients]).tests == {gradients, "tests/inside/test_engine.py"}
    found = change.affected(["tests/server/sandbox/conftest.py"]).tests
    assert {name for name in change.files if name.startswith("tests/server/sandbox/")} <= found
    assert not [name for name in found if name.startswith("tests/engine/")]
    found = change.affected(["tests/server/attacks/programs/k_laughs.py"]).tests
    assert {"tests/server/attacks/test_arena.py", "tests/server/attacks/test_attacks.py"} <= found
    assert not [name for name in found if name.startswith(("tests/server/session/", "tests/engine/"))]


def test_streams_that_the_pages_tests_read_affect_these(change: Any) -> None:
    found = change.affected(["tests/golden/hooks.jsonl"])
    assert found.vitest == "whole"
    assert "tests/golden/test_golden.py" in found.tests


def test_a_document_affects_the_tests_that_read_it(change: Any) -> None:
    found = change.affected(["server/backscope_server/operations/README.md"])
    assert {"tests/server/test_settings.py", "tests/packaging/test_documents.py"} <= found.tests
    assert found.checks == set()
    assert not [name for name in found.tests if name.startswith(("tests/engine/", "tests/browser/"))]


@pytest.mark.parametrize("file", ["pyproject.toml", "engine/new.txt", "tests/conftest.py", "engine/backscope/gone.py"])
def test_what_nobody_knows_affects_everything(change: Any, file: str) -> None:
    assert file in change.affected([file, "README.md"]).everything


def test_no_change_affects_nothing(change: Any) -> None:
    found = change.affected([])
    assert (found.everything, found.tests, found.checks, found.vitest) == ("", set(), set(), "")


def test_each_module_affects_some_test(change: Any) -> None:
    used = set().union(*(change.tests.of(ROOT / file) for file in change.files))
    engine = [name for name in change.modules.names if name.startswith("backscope.")]
    without = [name for name in engine if not change.modules.importing({name}) & used]
    assert without == []


def test_files_that_git_does_not_know_yet_are_changed_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
    affected = importlib.import_module("affected")
    monkeypatch.setattr(affected, "ROOT", tmp_path)

    def git(*arguments: str) -> None:
        named = ["-c", "user.name=Tests", "-c", "user.email=tests@localhost"]
        subprocess.run(["git", *named, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for number, name in enumerate(("first", "second")):
        (tmp_path / name).write_text(name)
        git("add", "--all")
        git("commit", "-m", str(number))
    (tmp_path / "first").unlink()
    (tmp_path / "new").touch()
    assert affected.changed_since(affected.revision()) == ["first", "new", "second"]
    assert affected.changed_since(affected.revision("HEAD")) == ["first", "new"]
    with pytest.raises(SystemExit, match="nothing-like-it"):
        affected.revision("nothing-like-it")


def test_the_suites_run_the_files_that_are_affected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("server", "tests"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    suites = importlib.import_module("suites")
    affected = {
        "since": "1234567890abcdef",
        "changed": 2,
        "everything": "",
        "reasons": ["a reason"],
        "tests": ["tests/engine/test_imports.py", "tests/golden/test_golden.py"],
        "checks": ["mypy"],
        "vitest": "changed",
    }

    def answer(command: list[str], **_: Any) -> Any:
        assert command[1:] == [str(ROOT / "tests" / "affected.py"), "HEAD~3"]
        return subprocess.CompletedProcess(command, 0, json.dumps(affected), "")

    monkeypatch.setattr(suites.subprocess, "run", answer)
    parts = {part: getattr(suites, part)() for part in ("lint", "engine")}
    parts["web"] = [suites.Check("vitest", ["npm", "test"], ROOT), suites.Check("Biome", ["npm", "lint"], ROOT)]
    chosen = suites._affected(parts, "HEAD~3")
    assert [check.name for check in chosen["lint"]] == ["mypy"]
    (engine,) = chosen["engine"]
    assert [path.name for path in engine.tests] == ["test_imports.py", "test_golden.py"]
    (vitest,) = chosen["web"]
    assert vitest.command[2:] == ["--", "--changed", "1234567890abcdef", "--passWithNoTests"]
    said = capsys.readouterr().out
    assert "2 files changed since 1234567890" in said
    assert "- a reason" in said
    assert "Run: mypy, pytest engine (2), vitest." in said

    affected["everything"] = "somefile may affect anything"
    assert suites._affected(parts, "HEAD~3") == parts
    assert "somefile" in capsys.readouterr().out


def test_every_file_of_the_tests_is_known(change: Any) -> None:
    for file in subprocess.check_output(["git", "ls-files", "tests"], cwd=ROOT, text=True).split():
        change.affected([file])
    assert not change.affected(["tests/benchmarks/peers.py"]).everything
    assert change.affected(["tests/traces/protocol_1/early_hooks.backscope"]).vitest == "whole"
