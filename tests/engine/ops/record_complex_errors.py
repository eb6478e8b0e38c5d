"""Writes complex_errors.json: what the real PyTorch says of each sample that it refuses on complex numbers."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


def load(name: str) -> ModuleType:
    """The module of a file beside this one."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Record all of them anew."""
    torch = importlib.import_module("torch")
    warnings.simplefilter("ignore")
    table = HERE / "complex_errors.json"
    if not table.exists():
        table.write_text("{}", "utf-8")
    conftest, checks = load("conftest"), load("test_complex")
    samples = conftest._load().SAMPLES
    named = zip(conftest._numbered([s.op for s in samples]), samples, strict=True)
    errors = {name: checks.error_of(torch, sample) for name, sample in named}
    found = {name: error for name, error in sorted(errors.items()) if error is not None}
    table.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(found)} of {len(errors)} samples are refused")


if __name__ == "__main__":
    main()
