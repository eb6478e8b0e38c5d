"""Measures the seconds that the tests of each file take, and writes them to the file that divides the suite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SECONDS = Path(__file__).with_name("seconds.json")
"""The seconds of each file of tests; tests/suites.py divides the suite by them."""


class FileSeconds:
    """A plugin of pytest that adds up the seconds of each file, and writes them to SECONDS at the end."""

    def __init__(self) -> None:
        self.files: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the duration of a phase of a test to its file."""
        file = Path(report.location[0]).as_posix().removeprefix("tests/browser/")
        self.files[file] = self.files.get(file, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Write SECONDS: files that were not run keep their entry, files that no longer exist lose it."""
        before = json.loads(SECONDS.read_text("utf-8")) if SECONDS.exists() else {}
        found = {name: round(took, 1) for name, took in {**before, **self.files}.items()}
        kept = {name: found[name] for name in sorted(found) if (SECONDS.parent / name).exists()}
        SECONDS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
