"""The client of each test, in a folder of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backscope_server.command.cli import why_no_debugger

sys.path.insert(0, str(Path(__file__).resolve().parent))

from dap_client import Client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    if (reason := why_no_debugger()) is not None:
        pytest.skip(reason)
    made = Client(tmp_path)
    yield made
    made.end()


@pytest.fixture(scope="session")
def node() -> Path:
    """Return the Node that builds the page; the packages of the page are installed beside it."""
    web = Path(__file__).resolve().parents[3] / "web"
    sys.path.insert(0, str(web))
    try:
        from build import find_node
    finally:
        sys.path.remove(str(web))
    found = find_node(Path(pytest.__file__).resolve().parents[1])
    if found is None or not (web / "node_modules" / "@vscode").is_dir():
        pytest.skip("there is no Node with the packages of the page: python3 tests server installs them")
    return found.executable
