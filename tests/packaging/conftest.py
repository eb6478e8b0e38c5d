"""Fixtures of the packaging tests: the scripts that no package holds, and a wheel that is built once."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the repository."""
    return ROOT


@pytest.fixture
def load() -> Callable[[str], ModuleType]:
    """Return a function that loads a script as a fresh module, so that a test may change its variables."""

    def load(path: str) -> ModuleType:
        file = ROOT / path
        spec = importlib.util.spec_from_file_location(f"packaging_{file.stem}", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def hatch(folder: Path, target: str, into: Path, **variables: str) -> Path:
    """Run `hatchling build` in a source tree and return the file that it makes."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = into.iterdir()
    return made


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the source distribution; the page is built first if it is not current."""
    return hatch(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel made from the source distribution, without Node."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    # The first releases of Python 3.11 have no filters.
    safely: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, **safely)
    (source,) = unpacked.iterdir()
    return hatch(source, "wheel", tmp_path_factory.mktemp("wheel"), PATH=os.devnull)
