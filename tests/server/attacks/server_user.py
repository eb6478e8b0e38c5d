"""The user that an attacked server runs under, and commands that are run as that user."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import backscope
import backscope_server

HERE = Path(__file__).resolve().parent
SOURCES = [str(Path(str(package.__file__)).resolve().parents[1]) for package in (backscope_server, backscope)]


def import_variables() -> dict[str, str]:
    """Return the environment variables with which another process imports the same server."""
    return {"PYTHONPATH": os.pathsep.join(SOURCES), "PYTHONDONTWRITEBYTECODE": "1"}


def as_user(user: int | None) -> list[str]:
    """Return the words to put before a command so that this user runs it."""
    if user is None or user == os.geteuid():
        return []
    folders = [sys.base_prefix, sys.prefix, str(HERE), *SOURCES]
    return [sys.executable, str(HERE / "as_user.py"), str(user), *folders, "--"]


def ordinary_user() -> int:
    """Return the id of a user that runs no other process and that can run the server.

    Raises: PermissionError where there can be none, which says why.
    """
    if os.geteuid() != 0:
        return os.geteuid()
    user = 61_200 + secrets.randbelow(1000)
    done = subprocess.run(
        [*as_user(user), sys.executable, "-c", "import backscope_server.api.app"],
        cwd="/",
        env={**os.environ, **import_variables()},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise PermissionError(f"an ordinary user cannot run the server here: {done.stderr.strip()[-300:]}")
    return user
