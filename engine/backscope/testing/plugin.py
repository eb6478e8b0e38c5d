"""The options, fixtures and hooks of the plugin."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from backscope.program.recorded_block import RecordedBlock

_RECORDING = pytest.StashKey["RecordedBlock"]()
_PROPERTY = "backscope"
"""The property of a report that names the file of the test's recording; JUnit's XML has it too."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the options."""
    # pytest rewrites the assertions of all modules of a package that has a plugin, which would make the engine's
    # import several times as slow; its own assertions are for its own tests.
    rewritten = getattr(getattr(pluginmanager, "rewrite_hook", None), "_must_rewrite", None)
    if isinstance(rewritten, set):
        rewritten -= {"backscope", "backscope_server"}
    group = parser.getgroup("backscope", "recordings of what backward() does")
    group.addoption(
        "--backscope",
        nargs="?",
        const="failed",
        choices=("failed", "all"),
        help="record tests that use PyTorch or Backscope's engine, and keep the recordings of those that failed "
        "(the default), or of all; write --backscope=failed before a path",
    )
    group.addoption(
        "--backscope-dir",
        metavar="DIR",
        default="backscope-traces",
        help="the folder of the recordings (default: backscope-traces)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Remove the recordings of the run before this one, before workers of pytest-xdist begin."""
    config = session.config
    if config.getoption("backscope") is None or config.option.collectonly or hasattr(config, "workerinput"):
        return
    from backscope.testing import trace_folder

    trace_folder.empty(_folder(config))


@pytest.fixture
def recording(request: pytest.FixtureRequest) -> RecordedBlock:
    """Return the recording of this test, which begins with its body: recording.why("w"), .events, .save(path)."""
    from backscope.testing import recorded_test

    function = getattr(request, "function", None)
    made = recorded_test.begin(function) or recorded_test.begin_on_engine()
    request.node.stash[_RECORDING] = made
    return made


@pytest.fixture
def assert_gradients() -> Callable[..., None]:
    """Return a function that checks gradients: assert_gradients(function, *arguments); see its docstring."""
    from backscope.testing.gradients import assert_gradients as check

    return check


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Record the body of a test where that is asked for."""
    made = pyfuncitem.stash.get(_RECORDING, None)
    if made is None and pyfuncitem.config.getoption("backscope") is None:
        return (yield)
    from backscope.testing import recorded_test

    function = pyfuncitem.obj
    if made is None:
        made = recorded_test.begin(function)
        if made is None:
            return (yield)
        pyfuncitem.stash[_RECORDING] = made
    pyfuncitem.obj = recorded_test.recorded(function, made)
    try:
        return (yield)
    finally:
        pyfuncitem.obj = function


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the recording of a test, and have the report of one that failed say why, of the user's lines."""
    if call.excinfo is not None:
        _hide_engine(item.config, call.excinfo)
    report = yield
    made = item.stash.get(_RECORDING, None)
    if made is None or call.when != "call" or made.status is None:
        return report
    from backscope.testing import recorded_test

    kept = item.config.getoption("backscope")
    text = recorded_test.diagnosis(made, call.excinfo.value, item.path) if report.failed and call.excinfo else ""
    if kept == "all" or (kept == "failed" and report.failed):
        path = recorded_test.save(made, _folder(item.config), item.nodeid)
        report.user_properties.append((_PROPERTY, str(path)))
        text += f"\n\nrecorded in {_shown(path)}; `backscope open` shows it"
    if report.failed:
        report.sections.append(("Backscope", text.strip()))
    return report


def _hide_engine(config: pytest.Config, found: pytest.ExceptionInfo[BaseException]) -> None:
    """Leave the frames of Backscope out of a user's error, unless --full-trace or -vv asks for all."""
    asked = config.getoption("fulltrace", False) or config.get_verbosity() > 1
    if asked or "backscope.tensor" not in sys.modules:
        return
    from backscope.runtime.engine_frames import is_users_error, without_engine

    if is_users_error(found.value, found.tb) and (kept := without_engine(found.tb)) is not None:
        found.traceback = type(found.traceback)(kept)


# Any: the reporter of pytest, which is not in its public types.
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say where the recordings are, and write what GitHub's step summary shows."""
    if config.getoption("backscope") is None:
        return
    found = [
        (report, dict(report.user_properties)[_PROPERTY])
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call" and _PROPERTY in dict(report.user_properties)
    ]
    if not found:
        return
    folder = _folder(config)
    from backscope.testing import summary

    summary.write(folder, [(report.nodeid, Path(str(path)), _told(report)) for report, path in found])
    many = "1 recording is" if len(found) == 1 else f"{len(found):,} recordings are"
    terminalreporter.section("Backscope")
    terminalreporter.write_line(f"{many} in {_shown(folder)}; `backscope open FILE` shows one")


def _folder(config: pytest.Config) -> Path:
    folder: str = config.getoption("backscope_dir")
    return config.invocation_params.dir / folder


def _told(report: pytest.TestReport) -> str | None:
    """Return what the report of a failed test says, None of one that passed."""
    return dict(report.sections).get("Backscope", "") if report.failed else None


def _shown(path: Path) -> str:
    """Return a path as it is shown: from the current folder where it is in it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
