"""Protects what pip installs: the engine alone, and with extras the rest.

On the Python of the tests; with BACKSCOPE_NEEDS_PACKAGES set, on every one that is here, which takes minutes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backscope.runtime.extras import EXTRAS

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

PROGRAM = """\
import torch
w = torch.tensor([1.0, 2.5], requires_grad=True)
(w * 3).sum().backward()
print(w.grad)
"""

RECORDED = """\
import backscope
from backscope import torch
with backscope.record() as trace:
    w = torch.tensor([1.0, 2.5], requires_grad=True)
    (w * 3).sum().backward()
print(trace.why("w"))
print(trace.save("block.backscope"))
try:
    trace.show()
except RuntimeError as error:
    print(error)
"""

WITHOUT = {
    "backscope serve": "server",
    "backscope open run.backscope": "server",
    "backscope export run.backscope": "server",
    "backscope sandbox": "server",
    "backscope lesson check": "server",
    "backscope worker redis://127.0.0.1:9": "fleet",
    "backscope debug --page program.py": "server",
    "backscope trace program.py": "pytorch",
}
"""Commands that need an extra, which they name where it is missing."""


def find_python(version: str) -> str | None:
    """Return the path of a Python of this version, on PATH or of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [shutil.which(f"python{version}"), *sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")))]
    for path in filter(None, found):
        said = subprocess.run(
            [path, "-c", "import venv, sys; print(*sys.version_info[:2], sep='.')"], capture_output=True
        )
        if said.returncode == 0 and said.stdout.decode().strip() == version:
            return path
    return None


def install(python: str, folder: Path, requirement: str) -> Path:
    """Install a requirement into a fresh virtual environment; return its folder of commands.

    Without a package index the test is skipped, unless BACKSCOPE_NEEDS_PACKAGES is set.
    """
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    commands = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(commands / "python"), "install", "--quiet", "--no-input"]
    done = subprocess.run([*pip, requirement], capture_output=True, text=True)
    if done.returncode != 0 and not os.environ.get("BACKSCOPE_NEEDS_PACKAGES"):
        pytest.skip(f"packages cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return commands


def run(commands: Path, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of an installation in a folder."""
    name, *arguments = command.split()
    return subprocess.run(
        [str(commands / name), *arguments],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def environment() -> dict[str, str]:
    """Return the variables of a user who has only installed the package."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "BACKSCOPE_"))}


@pytest.fixture(params=PYTHONS)
def python(request: pytest.FixtureRequest) -> str:
    """Return the path of each Python."""
    if request.param != f"3.{sys.version_info.minor}" and not os.environ.get("BACKSCOPE_NEEDS_PACKAGES"):
        pytest.skip("other Pythons with BACKSCOPE_NEEDS_PACKAGES")
    found = find_python(request.param)
    if found is None:
        pytest.skip(f"there is no Python {request.param} here")
    return found


def test_the_engine_alone_needs_three_packages(python: str, wheel: Path, tmp_path: Path) -> None:
    commands = install(python, tmp_path / "venv", str(wheel))
    listed = "from importlib.metadata import distributions as d; import json; print(json.dumps([x.name for x in d()]))"
    said = subprocess.run([commands / "python", "-c", listed], env=environment(), capture_output=True, check=True)
    names = {canonicalize_name(name) for name in json.loads(said.stdout)}
    assert names - {"setuptools"} == {"backscope", "numpy", "ml-dtypes", "msgspec"}  # Python 3.11 brings setuptools.

    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "block.py").write_text(RECORDED)
    (tmp_path / "commands").write_text("continue\n")
    ran = run(commands, "backscope run --trace run.backscope program.py", tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "tensor([3., 3.])\n")
    debugged = run(commands, "backscope debug --commands commands program.py", tmp_path)
    assert debugged.returncode == 0 and "tensor([3., 3.])" in debugged.stdout, debugged
    said_of_block = run(commands, "python block.py", tmp_path)
    assert said_of_block.stderr == ""
    assert "w.grad" in said_of_block.stdout and "\nblock.backscope\n" in said_of_block.stdout
    assert "\nshow() needs the extra `server`: pip install 'backscope[server]'. save(PATH)" in said_of_block.stdout
    for command, extra in WITHOUT.items():
        refused = run(commands, command, tmp_path)
        assert refused.returncode == 2, refused
        assert f"pip install 'backscope[{extra}]'" in refused.stderr and refused.stderr.count("\n") == 1, refused


def test_the_server_serves_with_its_extra(python: str, wheel: Path, tmp_path: Path) -> None:
    commands = install(python, tmp_path / "venv", f"{wheel}[server]")
    served = subprocess.Popen(
        [commands / "backscope", "serve", "--no-browser", "--port", "0"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert served.stdout is not None
    try:
        said = next(line for line in served.stdout if "Backscope is at" in line)
        address = re.findall(r"http://[^/ ]+/", said)[0]
        with urllib.request.urlopen(f"{address}api/health", timeout=60) as answer:
            assert answer.status == 200
    finally:
        served.terminate()
        served.communicate()
    (tmp_path / "program.py").write_text(PROGRAM)
    run(commands, "backscope run --trace run.backscope program.py", tmp_path)
    exported = run(commands, "backscope export run.backscope", tmp_path)
    assert exported.returncode == 0 and (tmp_path / "run.html").stat().st_size > 100_000, exported


def test_the_source_distribution_can_be_installed(sdist: Path, tmp_path: Path) -> None:
    """The page is in it, so that this needs no Node."""
    commands = install(sys.executable, tmp_path / "venv", str(sdist))
    assert run(commands, "backscope --version", tmp_path).stdout.startswith("backscope ")


def test_what_an_extra_brings_is_what_the_engine_looks_for(root: Path) -> None:
    """So that a command that needs one names it, instead of failing at an import."""
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for name, modules in EXTRAS.items():
        brought = {canonicalize_name(Requirement(text).name) for text in extras[name]}
        if "backscope" in brought:
            brought |= {canonicalize_name(Requirement(text).name) for text in extras["server"]}
        # For isal there is a substitute.
        assert brought - {"backscope", "isal"} == {canonicalize_name(module) for module in modules}, name
