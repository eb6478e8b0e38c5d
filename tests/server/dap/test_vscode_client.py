"""Protects that VS Code can use the adapter: its own test client debugs a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from backscope_server.command.cli import why_no_debugger

HERE = Path(__file__).parent
WEB = HERE.parents[2] / "web"
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
    import json

    from backscope_server.dap.requests import Launch

    folder = HERE.parents[2] / "server" / "editors" / "vscode"
    manifest = json.loads((folder / "package.json").read_text())
    [debugger] = manifest["contributes"]["debuggers"]
    described = debugger["configurationAttributes"]["launch"]["properties"]
    assert set(described) | {"noDebug"} == set(Launch.__struct_encode_fields__)
    subprocess.run([str(node), "--check", str(folder / manifest["main"])], check=True, timeout=60)


def test_the_document_names_what_is_launched_and_what_can_be_typed() -> None:
    from backscope_server.dap.breakpoint_requests import FILTERS
    from backscope_server.dap.console import COMMANDS
    from backscope_server.dap.requests import Launch

    text = (HERE.parents[2] / "server" / "editors" / "README.md").read_text()
    missing = [name for name in (*Launch.__struct_encode_fields__, *COMMANDS) if f"`{name}`" not in text]
    assert missing == ["noDebug"]  # It is what an editor sends for a run without the debugger.
    assert len(FILTERS) == 5
