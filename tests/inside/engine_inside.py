"""Runs the engine's tests in a child of the zygote: they are collected before the fork and run inside the sandbox.

A child cannot open a file, so pytest, the test files and what they import have to be in memory before.
"""

from __future__ import annotations

import functools
import importlib
import linecache
import os
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session

from backscope.program import runner
from backscope.protocol import events

ROOT = Path(__file__).parents[2]
COMMAND = "# run the engine's tests"
"""The source that has `run` do so; every other one is run as a program."""

_LATE = ["tracemalloc", "cProfile", "unittest.mock", "pdb"]
"""Modules that tests and pytest import only when they run."""
_BATCH = 200

_OF_EVERY_OP = (
    "test_catalogue.py::test_every_sample_calls_the_op_that_it_names",
    "test_gradients.py::test_gradients_have_shape_and_dtype_of_their_inputs",
    "test_gradients.py::test_formula_of_differentiable_op_gives_the_same_raw_and_recorded",
)
"""Each op forward, backward and through Tensors: one that loads something late would fail in a child alone."""
_CASES = 40
"""Of another test so many cases are run at most, spread over all: they differ in numbers, not in what walls forbid."""


class _Collector:
    """A pytest plugin that records the outcome of each test."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.reasons: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome of a phase of a test; a failure in one phase is that of the test."""
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid] = report.outcome
            if report.failed:
                self.reasons[report.nodeid] = str(report.longrepr)[-600:]


def _some(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests in their order, only some cases of those with many."""
    found: list[pytest.Item] = []
    for test, cases in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        each = list(cases)
        found += each if test.endswith(_OF_EVERY_OP) else each[:: -(-len(each) // _CASES)]
    return found


def _collected() -> tuple[Session, _Collector]:
    collector = _Collector()
    left_out = ["terminal", "faulthandler", "logging", "cacheprovider", "junitxml", "debugging"]
    options = [option for name in left_out for option in ("-p", f"no:{name}")]
    # Entry points of plugins, Backscope's own among them, would have pytest rewrite modules that are loaded already.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    config = _prepareconfig(
        [
            *("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "--capture=sys"),
            *("-o", "addopts=", "--import-mode=importlib", "-m", "not torch"),
            *options,
            str(ROOT / "tests/engine"),
        ],
        [collector],
    )
    # pytest remembers the folders of 256 paths, and looks on disk for those of more.
    plugins = config.pluginmanager
    plugins._get_directory = functools.cache(plugins._get_directory.__wrapped__)
    config._do_configure()
    session = Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    config.hook.pytest_collection(session=session)
    session.items = _some(session.items)
    for path in {item.path for item in session.items}:
        # Tracebacks show them.  Without a time of change nobody looks for the file.
        text = path.read_text("utf-8")
        linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    return session, collector


for _name in _LATE:
    importlib.import_module(_name)
_session, _collector = _collected()


def run(
    source: str, write: Callable[[bytes], None], *, filename: str = "program.py", seed: int = 0, **options: Any
) -> str:
    """Run the collected tests whose ids match the pattern after COMMAND, and print an outcome for each."""
    if not source.startswith(COMMAND):
        return runner.run(source, write, filename=filename, seed=seed, **options)
    wanted = re.compile(source.removeprefix(COMMAND).strip())
    seq = 0

    def emit(made: events.Event) -> None:
        nonlocal seq
        write(events.encode(made) + b"\n")
        seq += 1

    emit(
        events.ProgramStarted(
            seq=0,
            line=None,
            protocol=events.PROTOCOL_VERSION,
            filename=filename,
            source=source,
            seed=seed,
            versions=runner.versions(),
        )
    )
    items = [item for item in _session.items if wanted.search(item.nodeid)]
    printed = 0
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item is items[-1] or len(_collector.outcomes) - printed >= _BATCH:
            lines = []
            for name, outcome in list(_collector.outcomes.items())[printed:]:
                reason = _collector.reasons.get(name, "").replace("\n", " | ")
                lines.append(f"{outcome}\t{name}\t{reason}\n".encode("utf-8", "replace").decode())
            printed = len(_collector.outcomes)
            emit(events.OutputPrinted(seq=seq, line=None, stream="stdout", text="".join(lines)))
    emit(events.ProgramFinished(seq=seq, line=None, status="ok"))
    return "ok"
