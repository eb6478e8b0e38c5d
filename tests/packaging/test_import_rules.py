"""Protects the import rules: they hold, and each of them reports a module that breaks it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PLANTED = {
    "engine": ("engine/backscope/tensor/size.py", "import starlette"),
    "rooms": ("engine/backscope/runtime/version.py", "import backscope.tensor.size"),
    "namespace": ("engine/backscope/ops/shape/view_ops.py", "import backscope.nn.planted"),
    "events": ("engine/backscope/tensor/tensor.py", "from backscope.protocol import events"),
    "watchers": ("engine/backscope/summary/summary.py", "import backscope.optim.sgd"),
    "pytorch": ("engine/backscope/program/frame_reader.py", "import torch"),
    "sandbox": ("server/backscope_server/sandbox/limits.py", "import pydantic"),
    "redis": ("server/backscope_server/errors.py", "import redis"),
    "server": ("server/backscope_server/session/timing.py", "import backscope_server.access.rates"),
}
"""For each rule a line that breaks it."""


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "engine"), str(folder / "server")])}
    command = "from importlinter.cli import lint_imports_command as command; command()"
    return subprocess.run(
        [sys.executable, "-P", "-c", command, "--no-cache", "--no-logo"],
        cwd=folder,
        env={**variables, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def broken(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the output of the linter for a copy of the packages in which every rule is broken once."""
    copy = tmp_path_factory.mktemp("planted")
    shutil.copy(root / "pyproject.toml", copy)
    ignore = shutil.ignore_patterns("static", "__pycache__")
    shutil.copytree(root / "engine" / "backscope", copy / "engine" / "backscope", ignore=ignore)
    shutil.copytree(root / "server" / "backscope_server", copy / "server" / "backscope_server", ignore=ignore)
    nn = copy / "engine" / "backscope" / "nn"
    nn.mkdir(exist_ok=True)
    (nn / "__init__.py").touch()
    (nn / "planted.py").touch()
    for path, line in PLANTED.values():
        with (copy / path).open("a") as file:
            file.write(f"\n{line}\n")
    done = lint_imports(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_every_rule_has_a_violation_here(root: Path) -> None:
    rules = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert {rule["id"] for rule in rules} == PLANTED.keys()


@pytest.mark.parametrize("rule", PLANTED)
def test_a_planted_violation_is_caught(rule: str, broken: str, root: Path) -> None:
    rules = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (name,) = (each["name"] for each in rules if each["id"] == rule)
    said = re.sub(r"\s+", " ", broken)
    assert f"{name} BROKEN" in said
