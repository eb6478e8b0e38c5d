"""Fixtures of the conformance suites: running code, and comparing texts word by word, numbers as they were printed."""

from __future__ import annotations

import importlib
import importlib.util
import math
import os
import re
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from backscope.recorder.recorder import Recorder
from backscope.runtime.listening import hub
from backscope.torch._backend.import_hook import Alias

# PyTorch's compiler changes no result, and one of C++ would be needed.
os.environ["TORCHDYNAMO_DISABLE"] = "1"


def _beside(name: str) -> ModuleType:
    """Return a module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


observation = _beside("observation")
python_words = _beside("python_words")

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?j?")
WORD = re.compile(rf"{NUMBER.pattern}|\w+|\S")
RELATIVE = 1e-4
"""The largest relative difference of two printed numbers: libraries differ in the last digits of single precision."""

VARYING = (
    (re.compile(r"0x(?:[0-9a-fA-F]+|\.\.)"), "0x"),
    (re.compile(r'File "[^"]*"'), 'File ".."'),
    (re.compile(r"\(Triggered internally at .*?\)"), ""),
    (re.compile(r"(Traceback of forward call that caused the error:)(\n  .*)*"), r"\1"),
    (re.compile(r"\n?Exception raised from .*", re.DOTALL), ""),
)
"""Texts that differ from run to run on PyTorch itself: addresses, places in C++ sources, tracebacks."""


def _words(text: str) -> list[str]:
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return WORD.findall(text)


def _alike(a: str | None, b: str | None) -> bool:
    if a == b:
        return True
    if a is None or b is None or not (NUMBER.fullmatch(a) and NUMBER.fullmatch(b)):
        return False
    if a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit():
        return int(a) == int(b)
    mantissa, _, exponent = a.rstrip("j").lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    last_digit = 10.0 ** (int(exponent or 0) - digits) if digits >= 3 else 0.0
    margin = max(RELATIVE / 100, 1.01 * last_digit)
    return math.isclose(float(a.rstrip("j")), float(b.rstrip("j")), rel_tol=RELATIVE, abs_tol=margin)


def difference(expected: str, found: str) -> str | None:
    """Describe the first difference of two texts; None where they agree.

    What is expected was recorded on Python 3.11, and is taken as this Python prints it.
    """
    seen: list[str] = []
    for a, b in zip_longest(_words(python_words.of_collections(expected)), _words(found)):
        if not _alike(a, b):
            return f"after {' '.join(seen[-8:])!r}: expected {a!r}, found {b!r}"
        seen.append(str(a))
    return None


@pytest.fixture(autouse=True)
def lost(lost_moments: list[Exception]) -> list[Exception]:
    """Fail a test that loses a moment of a recording, unless it removes the error from this list."""
    return lost_moments


@pytest.fixture(name="difference")
def difference_of_texts() -> Callable[[str, str], str | None]:
    """Return the function that compares texts."""
    return difference


def _observed(code: str, torch: Any) -> str:
    observation.prepare(torch)
    try:
        return str(observation.observed(code, torch))
    finally:
        observation.restore(torch)


@pytest.fixture(scope="session")
def observed() -> Callable[[str], str]:
    """Return a function that runs code on Backscope's torch, also for its own imports, and describes what it did."""

    def observe(code: str) -> str:
        with Alias():
            return _observed(code, importlib.import_module("torch"))

    return observe


@pytest.fixture(scope="session")
def observed_and_recorded(observed: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that does the same as `observed` while a recorder records the code."""

    def observe(code: str) -> str:
        hub.listener = recorder = Recorder(lambda lines: None, {})
        try:
            return observed(code)
        finally:
            hub.listener = None
            recorder.drain()

    return observe


@pytest.fixture(scope="session")
def observed_on_pytorch() -> Callable[[str], str]:
    """Return a function that runs code on the real PyTorch and describes what it did."""
    return lambda code: _observed(code, importlib.import_module("torch"))
