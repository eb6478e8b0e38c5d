"""Small behaviours of autograd, each with what PyTorch 2.13.0 printed, warned and raised: the census, and snippets."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent


def _beside(name: str) -> ModuleType:
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


python_words = _beside("python_words")
CENSUS: dict[str, dict[str, str]] = {c["id"]: c for c in json.loads((HERE / "census.json").read_text("utf-8"))}
SNIPPETS: dict[str, dict[str, str]] = json.loads((HERE / "snippets.json").read_text("utf-8"))
KNOWN_GAPS: dict[str, dict[str, str]] = tomllib.loads((HERE / "known_gaps.toml").read_text("utf-8"))

COMPLETE = set("ABCDEFGHIJKLMN")
"""Groups of the census in which nothing may be missing."""

LARGEST_GAP = 0.02


def _here(name: str, case: dict[str, str]) -> dict[str, str]:
    return {**case, "observed": python_words.of_case(name, case["observed"])}


def _cases(with_gaps: bool = True) -> list[Any]:
    gaps = KNOWN_GAPS["census"] | KNOWN_GAPS["snippets"] if with_gaps else {}
    return [
        pytest.param(
            _here(name, case), id=name, marks=[pytest.mark.xfail(strict=True, reason=gaps.get(name))] * (name in gaps)
        )
        for name, case in (CENSUS | SNIPPETS).items()
    ]


@pytest.mark.parametrize("case", _cases())
def test_behaves_as_pytorch(
    case: dict[str, str], observed: Callable[[str], str], difference: Callable[[str, str], str | None]
) -> None:
    """Output, warnings and exception are PyTorch's."""
    found = observed(case["code"])
    assert difference(case["observed"], found) is None, f"{case['code']}\n{found}"


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("case", _cases())
def test_behaves_the_same_while_recorded(
    case: dict[str, str], observed: Callable[[str], str], difference: Callable[[str, str], str | None]
) -> None:
    """Being watched changes nothing."""
    found = observed(case["code"])
    assert difference(case["observed"], found) is None, f"{case['code']}\n{found}"


@pytest.mark.torch
@pytest.mark.parametrize("case", _cases(with_gaps=False))
def test_the_recording_is_current(
    case: dict[str, str], observed_on_pytorch: Callable[[str], str], difference: Callable[[str, str], str | None]
) -> None:
    """The installed PyTorch still does what was recorded."""
    assert difference(case["observed"], observed_on_pytorch(case["code"])) is None


def test_every_snippet_was_recorded() -> None:
    """A new or changed snippet needs its recording: `python tests/conformance/record_snippets.py` with PyTorch."""
    assert dict(_beside("record_snippets").snippets()) == {name: case["code"] for name, case in SNIPPETS.items()}


def test_words_of_python_are_taken_per_version() -> None:
    """An OrderedDict prints pairs before Python 3.12 and a dict since; sentences change where the table says so."""
    recorded = (
        "OrderedDict([('a, b', tensor([1., 2.])), (\"it's\", OrderedDict([(('k', 1), {'version': 1})]))]) and [(1, 2)]"
    )
    since = "OrderedDict({'a, b': tensor([1., 2.]), \"it's\": OrderedDict({('k', 1): {'version': 1}})}) and [(1, 2)]"
    assert python_words.of_collections(recorded, (3, 11)) == recorded
    assert python_words.of_collections(recorded, (3, 12)) == since
    assert python_words.of_collections("OrderedDict([])", (3, 12)) == "OrderedDict({})"
    here = {"a, b": 1, "it's": [OrderedDict({(1, "x"): {}})]}
    pairs = "OrderedDict([('a, b', 1), (\"it's\", [OrderedDict([((1, 'x'), {})])])])"
    assert python_words.of_collections(pairs) == repr(OrderedDict(here))
    sentence = "'MulBackward0' object has no attribute 'foo'"
    assert python_words.of_case("nodes-17", sentence, (3, 12)) == sentence
    assert python_words.of_case("nodes-17", sentence, (3, 13)).endswith("and no __dict__ for setting new attributes")


def test_known_gaps_are_few_and_not_in_the_heart() -> None:
    """A gap is a case, has a reason, and is neither in the groups about backward() nor one of many."""
    for suite, cases in (("census", CENSUS), ("snippets", SNIPPETS)):
        gaps = KNOWN_GAPS[suite]
        assert set(gaps) <= set(cases)
        assert all(reason.strip() for reason in gaps.values())
        assert len(gaps) <= LARGEST_GAP * len(cases)
    assert not [g for g in KNOWN_GAPS["census"] if re.sub(r"\d+", "", g) in COMPLETE]
