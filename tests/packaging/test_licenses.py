"""Protects the licenses: the packages carry the project's, and those of the code of others in them."""

from __future__ import annotations

import email
import email.message
import json
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

CARRIED = {
    "@codemirror/view": "MIT",
    "@fontsource-variable/inter": "OFL-1.1",
    "@fontsource-variable/jetbrains-mono": "OFL-1.1",
    "@lezer/python": "MIT",
    "@lucide/svelte": "ISC",
    "katex": "MIT",
    "svelte": "MIT",
}
"""Of each family that the page has something of, one package."""

NOT_CARRIED = {"@biomejs/biome", "typescript", "vitest", "axe-core"}
"""Tools, of which nothing is in the page."""


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_the_wheel_says_its_license_and_has_its_text(
    wheel: Path, metadata: email.message.Message, root: Path, package_license: str
) -> None:
    assert metadata["License-Expression"] == package_license == "MIT"
    assert metadata["License-File"] == "LICENSE"
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
        text = archive.read(name).decode()
    assert text == (root / "LICENSE").read_text()
    assert re.search(r"Copyright \(c\) \d{4} The Backscope authors", text)


@pytest.fixture
def package_license(root: Path) -> str:
    """Return the license that the package.json of the page names."""
    said: str = json.loads((root / "web" / "package.json").read_text())["license"]
    return said


def test_the_source_distribution_has_the_license(sdist: Path, root: Path) -> None:
    with tarfile.open(sdist) as archive:
        (name,) = (name for name in archive.getnames() if name.count("/") == 1 and name.endswith("/LICENSE"))
        found = archive.extractfile(name)
        assert found is not None
        assert found.read() == (root / "LICENSE").read_bytes()


def test_the_wheel_has_the_licenses_of_all_that_the_page_carries(wheel: Path, root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        listed = json.loads(archive.read("backscope_server/static/licenses.json"))
    assert {one["name"]: one["license"] for one in listed}.items() >= CARRIED.items()
    assert not NOT_CARRIED & {one["name"] for one in listed}
    names = [f"{one['name']} {one['version']}" for one in listed]
    assert names == sorted(names)
    lock = json.loads((root / "web" / "package-lock.json").read_text())["packages"]
    for one in listed:
        assert one["version"] == lock[f"node_modules/{one['name']}"]["version"]
        # The text of the license itself, with its copyright, not a reference to one.
        assert "copyright" in one["text"].lower(), one["name"]
        assert re.search(r"permission (is hereby|to use)|hereby grants you", one["text"], re.IGNORECASE), one["name"]


def test_every_package_that_the_sources_of_the_page_import_is_listed(wheel: Path, root: Path) -> None:
    """Types alone are in no page."""
    imported: set[str] = set()
    for path in (root / "web" / "src").rglob("*"):
        if path.suffix in (".ts", ".svelte") and not path.name.endswith(".test.ts"):
            text = path.read_text(encoding="utf-8")
            for found in re.finditer(r"^import (?!type )[^;]*?'((?:@[\w-]+/)?[\w-]+)(?:/[^']*)?';", text, re.MULTILINE):
                imported.add(found[1])
    with zipfile.ZipFile(wheel) as archive:
        listed = {one["name"] for one in json.loads(archive.read("backscope_server/static/licenses.json"))}
    assert len(imported) > 5
    assert imported - NOT_CARRIED <= listed


def test_the_version_of_the_command_is_the_project_s(
    metadata: email.message.Message, capsys: pytest.CaptureFixture[str]
) -> None:
    from backscope_server.command import cli

    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"backscope {metadata['Version']}\n"
