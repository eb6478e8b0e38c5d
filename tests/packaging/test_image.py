"""Protects the image's lock files: they agree with the project's dependencies, and the image with them."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

LOCKS = ("requirements.lock", "build.lock")


def locked(path: Path) -> dict[str, tuple[Version, list[str]]]:
    """Return the packages of a lock file, with their versions and the hashes of their files."""
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    found = {}
    for line in filter(None, text.splitlines()):
        requirement, *hashes = re.split(r"\s+--hash=", line.strip())
        name, version = requirement.split(";")[0].strip().split("==")
        found[canonicalize_name(name)] = Version(version), hashes
    return found


def required(root: Path, lock: str) -> list[Requirement]:
    """Return the dependencies of the project that a lock file has to contain."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    if lock == "requirements.lock":
        extras = project["project"]["optional-dependencies"]
        texts = [*project["project"]["dependencies"], *extras["server"], *extras["fleet"]]
        return [needed for text in texts if (needed := Requirement(text)).name != "backscope"]
    hook = (root / "web" / "build_hook.py").read_text()
    node = re.findall(r'^NODE = "(.+)"$', hook, re.MULTILINE)
    return [Requirement(text) for text in [*project["build-system"]["requires"], *node]]


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_has_what_the_project_asks_for(lock: str, root: Path) -> None:
    versions = locked(root / "docker" / lock)
    wanting = [
        str(requirement)
        for requirement in required(root, lock)
        if canonicalize_name(requirement.name) not in versions
        or versions[canonicalize_name(requirement.name)][0] not in requirement.specifier
    ]
    assert wanting == [], "renew the locks: python3 docker/lock.py"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_file_has_its_hash(lock: str, root: Path) -> None:
    packages = locked(root / "docker" / lock)
    assert packages
    for name, (_, hashes) in packages.items():
        assert hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), name


def test_the_image_is_made_from_the_locks_and_one_image_that_can_be_named(root: Path) -> None:
    text = (root / "docker" / "Dockerfile").read_text()
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["${PYTHON_IMAGE}", "${PYTHON_IMAGE}"]
    installs = re.findall(r"pip install (.*)", text)
    assert len(installs) == 3
    for line in installs:
        assert "--require-hashes" in line or ("--no-deps" in line and "/wheels/" in line), line
    assert {name for name in LOCKS if name in text} == set(LOCKS)
    assert "!docker/*.lock" in (root / ".dockerignore").read_text().splitlines()
    readme = (root / "docker" / "README.md").read_text()
    assert "PYTHON_IMAGE" in readme
    assert "docker/lock.py" in readme


def test_the_script_that_renews_the_locks_finds_what_it_locks(root: Path) -> None:
    spec = importlib.util.spec_from_file_location("docker_lock", root / "docker" / "lock.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert re.fullmatch(r"3\.\d+", module.python_version())
    assert [Requirement(text) for text in module.build_requirements()] == required(root, "build.lock")
