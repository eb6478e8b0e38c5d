"""Protects the report of a check: the result of its command, its processor time, and the tests that raced."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

BEHAVES = """
import sys
from pathlib import Path
if "again" in sys.argv:
    print("==== 1 passed in 0.10s ====")
else:
    sum(range(3_000_000))
    print("FAILED tests/a.py::test_one[x - y] - AssertionError: 1 - 2")
    print("ERROR tests/a.py::test_two")
    print("==== 2 failed in 0.10s ====")
    sys.exit(1)
"""


@pytest.fixture
def suites(monkeypatch: pytest.MonkeyPatch) -> Any:
    for folder in ("server", "tests"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    found = importlib.import_module("suites")
    monkeypatch.setattr(found.environment, "run", lambda *_, **__: 0)
    return found


def check(suites: Any, source: str, **options: Any) -> Any:
    return suites.Check("a check", [sys.executable, "-c", source], ROOT, **options)


def test_it_keeps_the_closing_line_and_the_processor_time(suites: Any, capfd: pytest.CaptureFixture[str]) -> None:
    made = check(suites, "print(sum(range(3_000_000))); print('==== 3 passed in 0.10s ====')")
    made.run(live=False)
    assert not made.failed
    assert made.closing == "==== 3 passed in 0.10s ===="
    assert made.processor_seconds > 0
    assert suites._summary([made], 1.0, strict=True) == 0
    assert "All is well" in capfd.readouterr().out


def test_what_passes_alone_has_raced(suites: Any, capfd: pytest.CaptureFixture[str]) -> None:
    made = check(suites, BEHAVES, retry=["again"])
    made.run(live=False)
    assert made.failed
    assert len(made.failures) == 2
    made.run_again()
    assert not made.failed
    assert made.raced[1] == "tests/a.py::test_two"
    capfd.readouterr()
    assert suites._summary([made], 1.0, strict=False) == 0
    said = capfd.readouterr().out
    assert "RACED" in said
    assert "tests/a.py::test_two" in said
    assert "2 failed in 0.10s; alone: 1 passed" in said
    assert suites._summary([made], 1.0, strict=True) == 1


def test_what_fails_twice_fails(suites: Any) -> None:
    made = check(suites, BEHAVES, retry=["once more"])
    made.run(live=False)
    made.run_again()
    assert made.failed
    assert made.raced == []
    assert suites._summary([made], 1.0, strict=False) == 1


def test_one_that_does_not_end_is_ended(suites: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = check(suites, "import time; time.sleep(1000)")
    monkeypatch.setattr(sys.modules["check"], "LIMIT", 0.2)
    made.run(live=False)
    assert made.failed
    assert "took longer" not in made.closing
    assert made.closing == "ended after 0.2 seconds"


def test_shares_of_the_browsers_tests_take_equally_long(
    suites: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "browser").mkdir()
    monkeypatch.setattr(suites, "TESTS", tmp_path)
    seconds = {"test_a.py": 60.0, "test_b.py": 10.0, "room/test_a.py": 30.0, "test_d.py": 20.0}
    (tmp_path / "browser" / "seconds.json").write_text(json.dumps(seconds))
    files = [tmp_path / "browser" / name for name in seconds]
    assert suites._shares(files, 2) == [files[:1], sorted(files[1:])]
    # One that was not measured counts as the others do on average, 30 s.
    files.append(tmp_path / "browser" / "test_new.py")
    shares = suites._shares(files, 3)
    assert sorted(file for share in shares for file in share) == sorted(files)
    assert [len(share) for share in shares] == [1, 2, 2]


def test_each_file_of_the_browsers_tests_is_in_one_share(suites: Any) -> None:
    smoke = ROOT / "tests" / "browser" / "smoke"
    files = sorted(file for file in (ROOT / "tests" / "browser").rglob("test_*.py") if smoke not in file.parents)
    *shares, paths = suites.browser()
    assert sorted(file for check in shares for file in check.tests) == files
    assert paths.tests == (smoke,)
