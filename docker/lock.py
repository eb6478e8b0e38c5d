"""Renews the lock files that the image is built from: `python3 docker/lock.py`, which needs uv.

`requirements.lock` lists the dependencies of the server, with the client of a fleet's Redis, `build.lock` the packages
that build its wheel: for the Python of the Dockerfile and every kind of processor, with the hash of each file.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

DOCKER = Path(__file__).resolve().parent
ROOT = DOCKER.parent
_OPTIONS = ("--universal", "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--quiet")
_NOTE = "# Made by docker/lock.py; do not edit.\n"


def python_version() -> str:
    """Return the version of Python in the image."""
    found = re.search(r"^ARG PYTHON_IMAGE=python:(\d+\.\d+)", (DOCKER / "Dockerfile").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("docker/Dockerfile names no version of Python in ARG PYTHON_IMAGE.")
    return found[1]


def build_requirements() -> list[str]:
    """Return the requirements for building the wheel."""
    node = re.search(r'^NODE = "(.+)"$', (ROOT / "web" / "build_hook.py").read_text(), re.MULTILINE)
    system = re.search(r'^requires = \["(.+)"\]$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    if node is None or system is None:
        raise SystemExit("docker/lock.py finds no NODE in web/build_hook.py, or no `requires` in pyproject.toml.")
    return [system[1], node[1]]


def lock(target: Path, source: str, text: str | None = None, extras: Sequence[str] = ()) -> None:
    """Write a lock file for the requirements in a file, with these extras, or in `text` where the source is "-"."""
    options = [*(f"--extra={extra}" for extra in extras), *_OPTIONS, "--python-version", python_version()]
    command = ["uv", "pip", "compile", source, *options, "-o", str(target)]
    try:
        subprocess.run(command, input=text, text=True, check=True)
    except FileNotFoundError:
        raise SystemExit("uv is not installed: pip install uv.") from None
    target.write_text(_NOTE + target.read_text())


def main() -> int:
    """Renew both lock files."""
    # uv keeps the versions of an existing lock file.
    for name in ("requirements.lock", "build.lock"):
        (DOCKER / name).unlink(missing_ok=True)
    lock(DOCKER / "requirements.lock", str(ROOT / "pyproject.toml"), extras=["server", "fleet"])
    lock(DOCKER / "build.lock", "-", "\n".join(build_requirements()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
