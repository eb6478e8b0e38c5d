"""What all suites share: tests marked `torch` are skipped, visibly, where the real PyTorch is not installed."""

from __future__ import annotations

import importlib.util
import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs PyTorch where there is none; where it was promised, let it fail instead."""
    if importlib.util.find_spec("torch") is not None or os.environ.get("BACKSCOPE_NEEDS_TORCH"):
        return
    for item in items:
        if item.get_closest_marker("torch") is not None:
            item.add_marker(pytest.mark.skip(reason="PyTorch is not installed: pip install torch==2.13.0"))
