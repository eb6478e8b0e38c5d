"""Parametrizes tests by `sample` with every row of samples, and by `sampled` with a row and one of its dtypes."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest


def _load() -> ModuleType:
    """samples.py, with the rows of all `samples_*.py` beside it, which import from it as `backscope_op_samples`."""
    base = _module("backscope_op_samples", Path(__file__).with_name("samples.py"))
    if not hasattr(base, "PAGES"):
        base.PAGES = sorted(Path(__file__).parent.glob("samples_*.py"))
        for path in base.PAGES:
            base.SAMPLES += _module(f"backscope_op_{path.stem}", path).SAMPLES
    return base


def _module(name: str, path: Path) -> ModuleType:
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def rows() -> ModuleType:
    """The module of samples."""
    return _load()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each sample, named by its op."""
    if "sample" not in metafunc.fixturenames:
        return
    samples = _load().SAMPLES
    if "kind" in metafunc.fixturenames:
        cases = [(s, k) for s in samples for k in s.kinds if s.differentiable]
        metafunc.parametrize(("sample", "kind"), cases, ids=_numbered([f"{s.op}-{k}" for s, k in cases]))
    else:
        wanted = [s for s in samples if s.differentiable or "differentiable" not in metafunc.function.__name__]
        metafunc.parametrize("sample", wanted, ids=_numbered([s.op for s in wanted]))


def _numbered(names: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return numbered
