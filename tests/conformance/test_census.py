"""The census: small behaviours of autograd, each with what PyTorch 2.13.0 printed, warned and raised."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backscope.alias import Alias
from backscope.listening import hub
from backscope.recorder import Recorder

HERE = Path(__file__).parent
CASES: list[dict[str, str]] = json.loads((HERE / "census.json").read_text("utf-8"))
KNOWN_GAPS: dict[str, str] = tomllib.loads((HERE / "known_gaps.toml").read_text("utf-8"))["census"]
COMPLETE = set("ABCDEFGHIJKLMN")
"""Groups in which nothing may be missing."""

LARGEST_GAP = 0.02

BY_ID = [pytest.param(c, id=c["id"], marks=[pytest.mark.xfail(strict=True)] * (c["id"] in KNOWN_GAPS)) for c in CASES]


def showing_the_last_value(code: str) -> Any:
    """The compiled case; the value of an expression at its end is printed, as a prompt does."""
    tree = ast.parse(code)
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not ast.unparse(tree.body[-1]).startswith("print("):
        value = tree.body[-1].value
        shown = ast.Call(ast.Name("show", ast.Load()), [value], [])
        tree.body[-1] = ast.copy_location(ast.Expr(shown), value)
        ast.fix_missing_locations(tree)
    return compile(tree, "case", "exec")


def observed(code: str, torch: Any) -> str:
    """What a case prints, then its warnings, then its exception."""
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "__name__": "case"}
    space["show"] = lambda value: print(repr(value))
    printed = io.StringIO()
    error = ""
    with warnings.catch_warnings(record=True) as given, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            exec(showing_the_last_value(code), space)
        except BaseException as raised:  # noqa: BLE001 - whatever it is, PyTorch's is compared with it
            error = f"{type(raised).__name__}: {raised}"
    told = [f"{w.category.__name__}: {w.message}" for w in given if "torch.jit" not in str(w.message)]
    return "\n".join(part for part in (printed.getvalue().strip(), *told, error) if part)


def _restore(torch: Any) -> None:
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.autograd.set_detect_anomaly(False)
    torch.set_warn_always(False)


@pytest.fixture
def ours() -> Iterator[Any]:
    """Backscope's torch, also for the `import torch` of a case; warnings come every time."""
    with Alias():
        torch = importlib.import_module("torch")
        torch.set_warn_always(True)
        yield torch
        _restore(torch)


@pytest.fixture
def recorded() -> Iterator[None]:
    """A recorder listens."""
    hub.listener = recorder = Recorder(lambda lines: None, {})
    yield
    hub.listener = None
    recorder.drain()


@pytest.mark.parametrize("case", BY_ID)
def test_behaves_as_pytorch(case: dict[str, str], ours: Any, difference: Callable[[str, str], str | None]) -> None:
    """Output, warnings and exception are PyTorch's."""
    found = observed(case["code"], ours)
    assert difference(case["observed"], found) is None, f"{case['claim']}\n{case['code']}\n{found}"


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("case", BY_ID)
def test_behaves_the_same_while_recorded(
    case: dict[str, str], ours: Any, difference: Callable[[str, str], str | None]
) -> None:
    """Being watched changes nothing."""
    found = observed(case["code"], ours)
    assert difference(case["observed"], found) is None, f"{case['claim']}\n{case['code']}\n{found}"


@pytest.mark.torch
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_the_census_is_current(case: dict[str, str], difference: Callable[[str, str], str | None]) -> None:
    """The installed PyTorch still does what was recorded."""
    torch = importlib.import_module("torch")
    torch.set_warn_always(True)
    try:
        assert difference(case["observed"], observed(case["code"], torch)) is None
    finally:
        _restore(torch)


def test_known_gaps_are_few_and_not_in_the_heart() -> None:
    """A gap is a case of the census, has a reason, and is neither in the groups about backward() nor one of many."""
    assert set(KNOWN_GAPS) <= {c["id"] for c in CASES}
    assert all(reason.strip() for reason in KNOWN_GAPS.values())
    assert not [g for g in KNOWN_GAPS if re.sub(r"\d+", "", g) in COMPLETE]
    assert len(KNOWN_GAPS) <= LARGEST_GAP * len(CASES)
