"""How long the tests of each file take, written to a file by which the tests are split into two halves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SECONDS = Path(__file__).with_name("seconds.json")
"""How long the tests of each file take, by which tests/suites.py makes two halves of them."""


class FileSeconds:
    """Adds up how long the tests of each file take, and writes it down at the end."""

    def __init__(self) -> None:
        self.files: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A phase of a test is over."""
        file = Path(report.location[0]).name
        self.files[file] = self.files.get(file, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Files that were not run keep what was written of them; those that are gone leave."""
        before = json.loads(SECONDS.read_text("utf-8")) if SECONDS.exists() else {}
        found = {name: round(took, 1) for name, took in {**before, **self.files}.items()}
        kept = {name: found[name] for name in sorted(found) if SECONDS.with_name(name).exists()}
        SECONDS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
