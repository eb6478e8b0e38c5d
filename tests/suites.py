"""The suites that `python3 tests` runs, several side by side, with a summary at the end.  Standard library only."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import chromium
from check import Check, end, variables

import environment
from environment import PYTHON, ROOT, SetupError

TESTS = ROOT / "tests"

LANES = (os.cpu_count() or 1) + 2
"""Checks that run side by side: two more than the processors, because tests of servers and pages often wait."""

PARTS = ("lint", "engine", "server", "packaging", "web", "browser")

QUEUE = ("browser", "server", "engine", "web", "packaging", "lint")
"""Parts in the order in which their checks begin, those that take longest first."""

_choosing = threading.Lock()
_setting_up = threading.Lock()


def _pytest(name: str, *tests: Path, needs: Sequence[Callable[[], object]] = (), retried: bool = False) -> Check:
    """Return a check by pytest; `retried` if its tests wait for other processes, which may lack processor time."""
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    command = [PYTHON, "-m", "pytest", *colour]
    if not retried:
        return Check(name, command, ROOT, needs=needs, tests=tests)
    command += ["-o", f"cache_dir=.pytest_cache/{name.replace(' ', '_')}"]
    retry = ["--last-failed", "--last-failed-no-failures=none", "--exitfirst"]
    return Check(name, command, ROOT, needs=needs, tests=tests, retry=retry)


def lint() -> list[Check]:
    """Return the checks of the Python side: style, types and import rules."""
    return [
        Check("mypy", [PYTHON, "-m", "mypy"], ROOT),
        Check("ruff check", [PYTHON, "-m", "ruff", "check", "--output-format=concise", "."], ROOT),
        Check("ruff format", [PYTHON, "-m", "ruff", "format", "--check", "--output-format=concise", "."], ROOT),
        Check("import rules", [PYTHON.with_name("lint-imports" + PYTHON.suffix), "--no-logo"], ROOT),
    ]


def engine() -> list[Check]:
    """Return the checks of the engine: its own tests, the golden event streams, and PyTorch's behaviour."""
    return [
        _pytest("pytest conformance", TESTS / "conformance"),
        _pytest("pytest engine", TESTS / "engine", TESTS / "golden"),
    ]


def server() -> list[Check]:
    """Return the checks of the server, its sandbox and the command line, and of the engine inside the sandbox."""
    page = [environment.ensure_page]
    folder = TESTS / "server"
    hostile = (folder / "attacks", folder / "fuzzing")
    terminal = folder / "terminal"
    whole = (folder / "api", folder / "command")
    fleet = folder / "fleet"
    parts = sorted({path.parent for path in folder.glob("*/test_*.py")} - {*hostile, *whole, terminal, fleet})
    return [
        # VS Code's test client of the debugger is among the packages of the page.
        _pytest("pytest server parts", *parts, needs=[*page, _page_packages], retried=True),
        # The tests of the API run on a fleet too.
        _pytest("pytest server whole", *whole, *sorted(folder.glob("test_*.py")), needs=[*page, _redis], retried=True),
        # Its programs have a clock of their own, in the process of the tests: timers of a server there would never end.
        _pytest("pytest terminal", terminal, retried=True),
        _pytest("pytest fleet", fleet, needs=[*page, _redis], retried=True),
        _pytest("pytest hostile", *hostile, needs=page),
        _pytest("pytest inside", TESTS / "inside", needs=page),
    ]


def packaging() -> list[Check]:
    """Return the checks of the packages: wheel, types, import rules."""
    return [_pytest("pytest packaging", TESTS / "packaging", needs=[environment.ensure_page, _redis])]


def web() -> list[Check]:
    """Return the checks of the page's sources: style, types, generated types, unit tests."""
    node = environment.node()
    folder = environment.page.WEB
    # Vitest takes CI for a terminal with colours.
    plain = {"CI": "true", **({} if sys.stdout.isatty() else {"NO_COLOR": "1"})}

    def in_web(name: str, *command: str | Path) -> Check:
        return Check(name, [node.executable, *command], folder, plain, needs=[_page_packages])

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
    """Return the checks of the built page and the server: thirds in Chromium, and a few paths in every browser."""
    needs = [environment.ensure_page, _chromium]
    smoke = TESTS / "browser" / "smoke"
    chromium_alone = [file for file in (TESTS / "browser").rglob("test_*.py") if not file.is_relative_to(smoke)]
    shares = enumerate(_shares(chromium_alone, 3), 1)
    checks = [_pytest(f"pytest browser {number}", *share, needs=needs, retried=True) for number, share in shares]
    return [*checks, _pytest("pytest browsers", smoke, needs=[*needs, _other_browsers], retried=True)]


def _shares(files: list[Path], count: int) -> list[list[Path]]:
    """Return shares of the tests that take equally long, by the seconds that `--write-seconds` has written."""
    seconds: dict[str, float] = json.loads((TESTS / "browser" / "seconds.json").read_text("utf-8"))
    usual = sum(seconds.values()) / len(seconds)
    took = {file: seconds.get(file.relative_to(TESTS / "browser").as_posix(), usual) for file in sorted(files)}
    shares: list[list[Path]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for file in sorted(took, key=took.__getitem__, reverse=True):
        lighter = sums.index(min(sums))
        shares[lighter].append(file)
        sums[lighter] += took[file]
    return [sorted(share) for share in shares]


@functools.cache
def _chromium() -> None:
    found = chromium.find(PYTHON, variables())
    print(f"\nBrowser: {found}", flush=True)
    os.environ["BACKSCOPE_CHROMIUM"] = str(found)


@functools.cache
def _other_browsers() -> None:
    """Install Firefox, and WebKit with a display, where apt can; the tests report what is still missing."""
    for program, package in (("firefox", "firefox-esr"), ("WebKitWebDriver", "webkit2gtk-driver"), ("Xvfb", "xvfb")):
        if shutil.which(program) is None and not (program == "firefox" and os.environ.get("BACKSCOPE_FIREFOX")):
            chromium.install_with_apt(package)


@functools.cache
def _redis() -> None:
    """Install Redis where apt can; the tests report if it is still missing."""
    there = os.environ.get("BACKSCOPE_REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
    if there is None:
        chromium.install_with_apt("redis-server")


def _find_node() -> None:
    """Put `node`, `backscope` and the tools of .venv on the path."""
    node = environment.node().executable
    os.environ["PATH"] = os.pathsep.join([str(PYTHON.parent), str(node.parent), os.environ.get("PATH", "")])
    # The Node that Playwright carries needs a library that small systems lack.
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(node)


def _summary(checks: list[Check], seconds: float, *, strict: bool) -> int:
    width = max(len(check.name) for check in checks)
    print("\n── Summary: processor time, time that passed")
    for check in checks:
        mark = "FAILED" if check.failed else "RACED" if check.raced else "ok"
        times = f"{check.processor_seconds:6.1f} s  {check.seconds:6.1f} s"
        print(f"{mark:6}  {check.name:{width}}  {times}  {check.closing}".rstrip())
        for test in check.raced:
            print(f"        failed beside other checks, passed alone: {test}")
    if environment.run(
        [PYTHON, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('torch'))"], quiet=True
    ):
        print("PyTorch is not installed in .venv: what compares with it directly was skipped.")
    failed = [check.name for check in checks if check.failed]
    raced = [check.name for check in checks if check.raced]
    computed = sum(check.processor_seconds for check in checks)
    print(f"{len(checks) - len(failed)} of {len(checks)} checks passed in {seconds:.0f} s", end=" ")
    print(f"({computed:.0f} s of processor time).", end=" ")
    if raced:
        print(f"Raced: {', '.join(raced)}.", end=" ")
    print(f"Failed: {', '.join(failed)}." if failed else "" if raced else "All is well.", flush=True)
    return 1 if failed or (strict and raced) else 0


def main(arguments: list[str]) -> int:
    """Run the named parts, or all; return the exit status, 1 if any check failed."""
    parser = argparse.ArgumentParser(prog="python3 tests", description="Check everything, or only some parts.")
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"{', '.join(PARTS)}; setup only sets up")
    parser.add_argument(
        "--strict", action="store_true", help="fail also where a test failed beside other checks and passed alone"
    )
    parser.add_argument(
        "--changed", metavar="REV", nargs="?", const="", help="run only what changes since this commit can affect"
    )
    options = parser.parse_args(arguments)
    named = options.parts
    if unknown := [part for part in named if part not in (*PARTS, "setup")]:
        parser.error(f"no part is named {', '.join(unknown)}; there are {', '.join(PARTS)} and setup")
    began = time.monotonic()
    try:
        with environment.page_packages():
            environment.ensure("server", "test")
        if named == ["setup"]:
            return 0
        _find_node()
        suites = {part: globals()[part]() for part in QUEUE if not named or part in named}
        if options.changed is not None:
            suites = _affected(suites, options.changed)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    if not any(suites.values()):
        print("Nothing to run.")
        return 0
    _run(list(suites.values()))
    checks = [check for part in PARTS for check in suites.get(part, ())]
    return _summary(checks, time.monotonic() - began, strict=options.strict)


def _affected(suites: dict[str, list[Check]], revision: str) -> dict[str, list[Check]]:
    """Return the checks that a change can affect; print them with the reasons.

    Raises: SetupError.
    """
    command = [str(PYTHON), str(TESTS / "affected.py"), *filter(None, [revision])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError(f"What the change affects could not be found:\n{done.stderr}")
    found = json.loads(done.stdout)
    print(f"\n{found['changed']} files changed since {found['since'][:10]}.")
    if found["everything"]:
        print(f"Everything is run: {found['everything']}.", flush=True)
        return suites
    tests = {ROOT / file for file in found["tests"]}
    chosen: dict[str, list[Check]] = {}
    for part, checks in suites.items():
        chosen[part] = []
        for check in checks:
            files = {file for path in check.tests for file in (path.rglob("test_*.py") if path.is_dir() else [path])}
            if check.name == "vitest" and found["vitest"] == "changed":
                check.command = [*check.command, "--", "--changed", found["since"], "--passWithNoTests"]
            elif files and not files <= tests:
                check.tests = sorted(files & tests)
            if check.tests or check.name in found["checks"] or (check.name == "vitest" and found["vitest"]):
                chosen[part].append(check)
    for line in found["reasons"]:
        print(f"- {line}")
    names = [f"{c.name} ({len(c.tests)})" if c.tests else c.name for checks in chosen.values() for c in checks]
    print(f"Run: {', '.join(names) or 'nothing'}.", flush=True)
    return chosen


def _run(suites: list[list[Check]]) -> None:
    """Run the checks side by side, in their order, then again those that failed and may be retried."""
    checks = [check for suite in suites for check in suite]
    waiting = list(checks)
    live = len(checks) == 1
    threads = [threading.Thread(target=_run_lane, args=(waiting, live), daemon=True) for _ in range(LANES)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for check in checks:
            if check.failed and check.retry and check.failures and not live:
                check.run_again()
    except BaseException:
        waiting.clear()
        for check in checks:
            if check.process is not None:
                end(check.process)
        raise


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
    """Take a check from the queue: during a set-up, the first one that needs nothing, if there is one."""
    with _choosing:
        busy = _setting_up.locked()
        found = next((check for check in waiting if not (busy and check.needs)), None)
        found = found or next(iter(waiting), None)
        if found is not None:
            waiting.remove(found)
        return found
