"""Protects that VS Code can use the adapter: its own test client debugs a program."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from backscope_server.command.cli import why_no_debugger
from backscope_server.dap.console import COMMANDS
from backscope_server.dap.requests import Attach, Launch

HERE = Path(__file__).parent
EXTENSION = HERE.parents[2] / "server" / "editors" / "vscode"
PROGRAM = """import torch

w = torch.tensor([2.0], requires_grad=True)
for i in range(2):
    loss = (w * w).sum()
    loss.backward()
    w.grad = None
    print(i)
"""


def test_its_test_client_debugs_a_program(tmp_path: Path, node: Path) -> None:
    if (reason := why_no_debugger()) is not None:
        pytest.skip(reason)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    script = [str(node), str(HERE / "vscode_client.mjs"), sys.executable, str(program)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "whole\n"


def test_the_extension_starts_the_adapter_and_describes_what_is_launched(node: Path) -> None:
    """The manifest names what requests.Launch has, and the script is one that Node can read."""
    manifest = json.loads((EXTENSION / "package.json").read_text())
    [debugger] = manifest["contributes"]["debuggers"]
    described = debugger["configurationAttributes"]["launch"]["properties"]
    assert set(described) | {"noDebug"} == set(Launch.__struct_encode_fields__)
    attached = debugger["configurationAttributes"]["attach"]["properties"]
    assert set(attached) == set(Attach.__struct_encode_fields__)
    subprocess.run([str(node), "--check", str(EXTENSION / manifest["main"])], check=True, timeout=60)


def test_the_document_names_what_is_launched_and_what_can_be_typed() -> None:
    text = (EXTENSION.parent / "README.md").read_text()
    missing = [name for name in (*Launch.__struct_encode_fields__, *COMMANDS) if f"`{name}`" not in text]
    assert missing == ["noDebug"]  # It is what an editor sends for a run without the debugger.


def test_the_extension_is_packed(tmp_path: Path) -> None:
    """The zip has what VS Code reads from it: the manifest, the script, and the types of its files."""
    packed = tmp_path / "backscope.vsix"
    subprocess.run([sys.executable, str(EXTENSION / "pack.py"), str(packed)], check=True, timeout=60)
    with zipfile.ZipFile(packed) as opened:
        assert set(opened.namelist()) == {
            "[Content_Types].xml",
            "extension.vsixmanifest",
            *(f"extension/{name}" for name in ("package.json", "extension.js", "README.md")),
        }
        manifest = ET.fromstring(opened.read("extension.vsixmanifest"))
        types = opened.read("[Content_Types].xml").decode()
        for asset in manifest.iter("{http://schemas.microsoft.com/developer/vsx-schema/2011}Asset"):
            opened.getinfo(asset.attrib["Path"])
    assert all(f'".{name}"' in types for name in ("json", "js", "md", "vsixmanifest"))
