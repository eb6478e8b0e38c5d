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
