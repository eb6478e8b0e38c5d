"""What `python3 tests` runs: the suites, several side by side, and a summary at the end.  Standard library only."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chromium

import environment
from environment import PYTHON, ROOT, SetupError

LIMIT = 1800
"""Seconds that one check may take before it is ended and counts as failed."""

LANES = (os.cpu_count() or 1) + 2
"""Checks that run side by side: two more than the processors, because tests of servers and pages often wait."""

PARTS = ("lint", "engine", "server", "packaging", "web", "browser")

QUEUE = ("browser", "server", "engine", "web", "packaging", "lint")
"""Parts in the order in which their checks begin, those that take longest first."""

_choosing = threading.Lock()
_setting_up = threading.Lock()
_printing = threading.Lock()

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# pytest's last line, and vitest's count of tests.
_CLOSING = re.compile(r"^(=+ .* in [\d.]+s.*=+|\s*Tests\s+\d.*)$")

_FAILURES = re.compile(r"\d+ (failed|error)")


@dataclass
class Check:
    """One command and what came of it; `needs` make what it needs, and do nothing where that is there already.

    `alone` is the command that runs again what has failed, once the machine has nothing else to do.
    """

    name: str
    command: Sequence[str | Path]
    folder: Path = ROOT
    variables: dict[str, str] = field(default_factory=dict)
    needs: Sequence[Callable[[], object]] = ()
    alone: Sequence[str | Path] = ()
    failed: bool = False
    seconds: float = 0.0
    closing: str = ""
    process: subprocess.Popen[bytes] | None = None

    def run(self, *, live: bool) -> None:
        """Run the command, show what it prints, `live` or else when it is over, and keep its closing line."""
        printed = [f"\n── {self.name}\n".encode()]
        if live:
            self._show(printed)
        began = time.monotonic()
        process = self.process = subprocess.Popen(
            [str(part) for part in self.command],
            cwd=self.folder,
            env={**_variables(), **self.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        ended = threading.Event()
        alarm = threading.Timer(LIMIT, lambda: (ended.set(), _end(process)))
        alarm.start()
        try:
            assert process.stdout is not None
            for raw in process.stdout:
                printed.append(raw)
                if live:
                    self._show(printed)
                line = _COLOUR.sub("", raw.decode(errors="replace")).rstrip()
                if _CLOSING.match(line):
                    self.closing = line.strip()
            self.failed = process.wait() != 0
        finally:
            alarm.cancel()
            self.seconds = time.monotonic() - began
            self.process = None
        if ended.is_set():
            self.failed = True
            self.closing = f"ended after {LIMIT} seconds"
            printed.append(f"{self.name} took longer than {LIMIT} seconds and was ended.\n".encode())
        self._show(printed)

    def run_alone(self) -> None:
        """Run again what has failed, and nothing else; the closing line says what came of both."""
        first, seconds = self.closing, self.seconds
        self.name, self.command, self.closing = f"{self.name}, again", self.alone, ""
        self.run(live=True)
        self.closing = f"{first.strip('= ')}; alone: {self.closing.strip('= ')}"
        self.seconds += seconds

    def _show(self, printed: list[bytes]) -> None:
        with _printing:
            sys.stdout.buffer.write(b"".join(printed))
            sys.stdout.buffer.flush()
        printed.clear()


def _variables() -> dict[str, str]:
    """This process's variables; modules are compiled once, not in each of the many processes that tests start."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and what it started."""
    with contextlib.suppress(ProcessLookupError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _pytest(name: str, *paths: str | Path, needs: Sequence[Callable[[], object]] = (), twice: bool = False) -> Check:
    """A check by pytest; `twice` where tests wait for other processes, which checks side by side can starve."""
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    command = [PYTHON, "-m", "pytest", *colour, *paths]
    if not twice:
        return Check(name, command, needs=needs)
    command += ["-o", f"cache_dir=.pytest_cache/{name.replace(' ', '_')}"]
    alone = [*command, "--last-failed", "--last-failed-no-failures=none", "--exitfirst"]
    return Check(name, command, needs=needs, alone=alone)


def lint() -> list[Check]:
    """Style, types and import rules of the Python side."""
    return [
        Check("mypy", [PYTHON, "-m", "mypy"]),
        Check("ruff check", [PYTHON, "-m", "ruff", "check", "--output-format=concise", "."]),
        Check("ruff format", [PYTHON, "-m", "ruff", "format", "--check", "--output-format=concise", "."]),
        Check("import rules", [PYTHON.with_name("lint-imports" + PYTHON.suffix), "--no-logo"]),
    ]


def engine() -> list[Check]:
    """The engine: its own tests, the golden event streams, and PyTorch's behaviour."""
    return [
        _pytest("pytest conformance", "tests/conformance"),
        _pytest("pytest engine", "tests/engine", "tests/golden"),
    ]


def server() -> list[Check]:
    """The server, its sandbox and the command line; and the engine as it works inside that sandbox."""
    page = [environment.ensure_page]
    folder = ROOT / "tests" / "server"
    hostile = (folder / "attacks", folder / "fuzzing")
    terminal = folder / "terminal"
    whole = (folder / "api", folder / "command")
    parts = sorted({path.parent for path in folder.glob("*/test_*.py")} - {*hostile, *whole, terminal})
    return [
        _pytest("pytest server parts", *parts, needs=page, twice=True),
        _pytest("pytest server whole", *whole, *sorted(folder.glob("test_*.py")), needs=page, twice=True),
        # Its programs have a clock of their own, in the process of the tests: timers of a server there would never end.
        _pytest("pytest terminal", terminal, twice=True),
        _pytest("pytest hostile", *hostile, needs=page),
        _pytest("pytest inside", "tests/inside", needs=page),
    ]


def packaging() -> list[Check]:
    """What is shipped: wheel, types, import rules."""
    return [_pytest("pytest packaging", "tests/packaging", needs=[environment.ensure_page])]


def web() -> list[Check]:
    """The page's sources: style, types, generated types, unit tests."""
    node = environment.node()
    folder = environment.page.WEB
    # Vitest takes CI for a terminal with colours.
    variables = {"CI": "true", **({} if sys.stdout.isatty() else {"NO_COLOR": "1"})}

    def in_web(name: str, *command: str | Path) -> Check:
        return Check(name, [node.executable, *command], folder, variables, needs=[_page_packages])

    return [
        in_web("vitest", node.npm, "run", "--silent", "test"),
        in_web("Svelte and TypeScript", node.npm, "run", "--silent", "check"),
        in_web("generated types", "scripts/generate-protocol.mjs", "--check"),
        in_web("Biome", node.npm, "run", "--silent", "lint"),
    ]


def _page_packages() -> None:
    try:
        environment.page.install_packages(environment.node())
    except environment.page.BuildError as error:
        raise SetupError(str(error)) from None


def browser() -> list[Check]:
    """The built page and the server in a real Chromium, twice half of the tests."""
    files = sorted((ROOT / "tests" / "browser").glob("test_*.py"))
    needs = [environment.ensure_page, _chromium]
    return [_pytest(f"pytest browser {half + 1}", *files[half::2], needs=needs, twice=True) for half in (0, 1)]


@functools.cache
def _chromium() -> None:
    found = chromium.find(PYTHON, _variables())
    print(f"\nBrowser: {found}", flush=True)
    os.environ["BACKSCOPE_CHROMIUM"] = str(found)


def _find_node() -> None:
    """Have `node`, `backscope` and the tools of .venv found by name."""
    node = environment.node().executable
    os.environ["PATH"] = os.pathsep.join([str(PYTHON.parent), str(node.parent), os.environ.get("PATH", "")])
    # The Node that Playwright carries needs a library that small systems lack.
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(node)


def _summary(checks: list[Check], seconds: float) -> int:
    width = max(len(check.name) for check in checks)
    print("\n── Summary")
    for check in checks:
        mark = "FAILED" if check.failed else "ok"
        print(f"{mark:6}  {check.name:{width}}  {check.seconds:6.1f} s  {check.closing}".rstrip())
    if environment.run(
        [PYTHON, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('torch'))"], quiet=True
    ):
        print("PyTorch is not installed in .venv: what compares with it directly was skipped.")
    failed = [check.name for check in checks if check.failed]
    print(f"{len(checks) - len(failed)} of {len(checks)} checks passed in {seconds:.0f} s.", end=" ")
    print(f"Failed: {', '.join(failed)}." if failed else "All is well.", flush=True)
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    """Run the parts that are named, all without a name; the exit status is 1 when any check failed."""
    parser = argparse.ArgumentParser(prog="python3 tests", description="Check everything, or only some parts.")
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"{', '.join(PARTS)}; setup only sets up")
    named = parser.parse_args(arguments).parts
    if unknown := [part for part in named if part not in (*PARTS, "setup")]:
        parser.error(f"no part is named {', '.join(unknown)}; there are {', '.join(PARTS)} and setup")
    began = time.monotonic()
    try:
        with environment.page_packages():
            environment.ensure("test")
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    if named == ["setup"]:
        return 0
    try:
        _find_node()
        suites = {part: globals()[part]() for part in QUEUE if not named or part in named}
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    waiting = [check for checks in suites.values() for check in checks]
    live = len(waiting) == 1
    threads = [threading.Thread(target=_run_lane, args=(waiting, live), daemon=True) for _ in range(LANES)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for check in (check for checks in suites.values() for check in checks):
            if check.failed and check.alone and not live and _FAILURES.search(check.closing):
                check.run_alone()
    except BaseException:
        waiting.clear()
        for checks in suites.values():
            for check in checks:
                if check.process is not None:
                    _end(check.process)
        raise
    return _summary([check for part in PARTS for check in suites.get(part, ())], time.monotonic() - began)


def _run_lane(waiting: list[Check], live: bool) -> None:
    while (check := _next(waiting)) is not None:
        try:
            with _setting_up if check.needs else contextlib.nullcontext():  # Lanes build in the same folders.
                for need in check.needs:
                    need()
            check.run(live=live)
        except Exception as error:
            print(f"\n{error}" if isinstance(error, SetupError) else traceback.format_exc(), flush=True)
            check.failed = True
            check.closing = check.closing or "could not be set up"


def _next(waiting: list[Check]) -> Check | None:
    """Take a check from the queue: while something is set up, the first one that needs nothing, if there is one."""
    with _choosing:
        busy = _setting_up.locked()
        found = next((check for check in waiting if not (busy and check.needs)), None)
        found = found or next(iter(waiting), None)
        if found is not None:
            waiting.remove(found)
        return found
