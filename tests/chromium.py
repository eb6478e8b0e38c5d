"""Finds a Chromium that starts, or installs one.  Standard library only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from environment import SetupError

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)

PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

NONE = (
    "The browser suite needs Chromium, and none could be had: BACKSCOPE_CHROMIUM names none, `playwright install "
    "chromium` did not bring one that starts, and there is none on PATH. Install Chromium or Chrome, or set "
    "BACKSCOPE_CHROMIUM to the path of one."
)

_WHERE = (
    "from playwright.sync_api import sync_playwright as start\n"
    "with start() as playwright: print(playwright.chromium.executable_path)"
)


def starts(executable: str | Path) -> bool:
    """Return whether this browser shows an empty page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            str(executable),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={profile}",
            "--dump-dom",
            "about:blank",
        ]
        done = _run(command, timeout=60)
        return done is not None and done.returncode == 0 and "<html" in done.stdout


def find(python: Path, variables: Mapping[str, str]) -> Path:
    """Return a Chromium that starts: $BACKSCOPE_CHROMIUM, Playwright's, the system's, or as root one installed by apt.

    `python` has Playwright; `variables` are what it runs under.

    Raises: SetupError where none can be had.
    """
    given = os.environ.get("BACKSCOPE_CHROMIUM")
    if given:
        if starts(given):
            return Path(given)
        raise SetupError(f"BACKSCOPE_CHROMIUM is {given}, which does not start. Correct it, or unset it.")
    found = _playwrights(python, variables) or _systems()
    if found is None and install_with_apt("chromium"):
        found = _systems()
    if found is None:
        raise SetupError(NONE)
    return found


def install_with_apt(package: str) -> bool:
    """Try to install a package where apt-get is there and may do so; return whether it was tried."""
    if not _can_apt():
        return False
    print(f"Installing {package} with apt-get", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-q"], timeout=300, variables=quiet)
    _run(["apt-get", "install", "-qy", "--no-install-recommends", package], timeout=500, variables=quiet)
    return True


def _playwrights(python: Path, variables: Mapping[str, str]) -> Path | None:
    whole = {**os.environ, **variables}
    found = _run([str(python), "-c", _WHERE], timeout=60, variables=whole)
    if found is None or found.returncode != 0:
        return None
    executable = Path(found.stdout.strip())
    if not executable.exists():
        print("\nPlaywright has no Chromium: trying to install one", flush=True)
        _run([str(python), "-m", "playwright", "install", "chromium"], timeout=300, variables=whole)
    return executable if executable.exists() and starts(executable) else None


def _systems() -> Path | None:
    for candidate in (*(shutil.which(name) for name in NAMES), *PLACES):
        if candidate and Path(candidate).exists() and starts(candidate):
            return Path(candidate)
    return None


def _can_apt() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def _run(
    command: list[str], *, timeout: float, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    """Return the output of a command; None if it could not be started or took too long."""
    try:
        return subprocess.run(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
