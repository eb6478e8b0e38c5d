"""Fixture with the samples of the engine's ops, for comparing them with PyTorch."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_SAMPLES = Path(__file__).parents[2] / "engine" / "ops" / "conftest.py"
_spec = importlib.util.spec_from_file_location("backscope_op_conftest", _SAMPLES)
assert _spec is not None and _spec.loader is not None
_module = sys.modules.setdefault(_spec.name, importlib.util.module_from_spec(_spec))
_spec.loader.exec_module(_module)

pytest_generate_tests = _module.pytest_generate_tests
