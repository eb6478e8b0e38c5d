"""What `python3 tests` runs: the suites, one after the other, and a summary at the end.  Standard library only."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chromium

import environment
from environment import PYTHON, ROOT, SetupError

LIMIT = 600
"""Seconds that one check may take before it is ended and counts as failed."""

PARTS = ("lint", "engine", "server", "packaging", "web", "browser")

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# pytest's last line, and vitest's count of tests.
_CLOSING = re.compile(r"^(=+ .* in [\d.]+s.*=+|\s*Tests\s+\d.*)$")


@dataclass
class Check:
    """One command and what came of it."""

    name: str
    command: Sequence[str | Path]
    folder: Path = ROOT
    variables: dict[str, str] = field(default_factory=dict)
    failed: bool = False
    seconds: float = 0.0
    closing: str = ""

    def run(self) -> None:
        """Run the command, show what it prints as it comes, and keep its closing line."""
        print(f"\n── {self.name}", flush=True)
        began = time.monotonic()
        process = subprocess.Popen(
            [str(part) for part in self.command],
            cwd=self.folder,
            env={**os.environ, **self.variables},
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
                sys.stdout.buffer.write(raw)
                sys.stdout.buffer.flush()
                line = _COLOUR.sub("", raw.decode(errors="replace")).rstrip()
                if _CLOSING.match(line):
                    self.closing = line.strip()
            self.failed = process.wait() != 0
        except BaseException:
            _end(process)
            raise
        finally:
            alarm.cancel()
            self.seconds = time.monotonic() - began
        if ended.is_set():
            self.failed = True
            self.closing = f"ended after {LIMIT} seconds"
            print(f"{self.name} took longer than {LIMIT} seconds and was ended.", flush=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and what it started."""
    with contextlib.suppress(ProcessLookupError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _pytest(name: str, *folders: str, **variables: str) -> Check:
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    return Check(name, [PYTHON, "-m", "pytest", *colour, *folders], variables=_with_node(variables))


def _with_node(variables: dict[str, str]) -> dict[str, str]:
    """Variables under which `node`, `backscope` and the tools of .venv are found by name."""
    node = environment.node().executable
    path = os.pathsep.join([str(PYTHON.parent), str(node.parent), os.environ.get("PATH", "")])
    # The Node that Playwright carries needs a library that small systems lack.
    return {"PATH": path, "PLAYWRIGHT_NODEJS_PATH": str(node), **variables}


def lint() -> Iterator[Check]:
    """Style, types and import rules of the Python side."""
    yield Check("ruff check", [PYTHON, "-m", "ruff", "check", "--output-format=concise", "."])
    yield Check("ruff format", [PYTHON, "-m", "ruff", "format", "--check", "--output-format=concise", "."])
    yield Check("mypy", [PYTHON, "-m", "mypy"])
    yield Check("import rules", [PYTHON.with_name("lint-imports" + PYTHON.suffix), "--no-logo"])


def engine() -> Iterator[Check]:
    """The engine: its own tests, the golden event streams, and PyTorch's behaviour."""
    yield _pytest("pytest engine", "tests/engine", "tests/golden")
    yield _pytest("pytest conformance", "tests/conformance")


def server() -> Iterator[Check]:
    """The server, its sandbox and the command line."""
    environment.ensure_page()
    yield _pytest("pytest server", "tests/server")


def packaging() -> Iterator[Check]:
    """What is shipped: wheel, types, import rules."""
    environment.ensure_page()
    yield _pytest("pytest packaging", "tests/packaging")


def web() -> Iterator[Check]:
    """The page's sources: style, types, generated types, unit tests."""
    node = environment.node()
    try:
        environment.page.install_packages(node)
    except environment.page.BuildError as error:
        raise SetupError(str(error)) from None
    folder = environment.page.WEB
    # Vitest takes CI for a terminal with colours.
    variables = {**_with_node({}), "CI": "true", **({} if sys.stdout.isatty() else {"NO_COLOR": "1"})}

    def npm(name: str, script: str) -> Check:
        return Check(name, [node.executable, node.npm, "run", "--silent", script], folder, variables)

    yield npm("Biome", "lint")
    yield npm("Svelte and TypeScript", "check")
    yield Check("generated types", [node.executable, "scripts/generate-protocol.mjs", "--check"], folder, variables)
    yield npm("vitest", "test")


def browser() -> Iterator[Check]:
    """The built page and the server in a real Chromium."""
    environment.ensure_page()
    variables = _with_node({})
    found = chromium.find(PYTHON, variables)
    print(f"\nBrowser: {found}", flush=True)
    yield _pytest("pytest browser", "tests/browser", BACKSCOPE_CHROMIUM=str(found))


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
    checks: list[Check] = []
    for part in PARTS:
        if named and part not in named:
            continue
        try:
            for check in globals()[part]():
                checks.append(check)
                check.run()
        except SetupError as error:
            print(f"\n{error}", flush=True)
            checks.append(Check(f"{part}: setting up", [], failed=True))
    return _summary(checks, time.monotonic() - began)
