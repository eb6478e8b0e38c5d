"""Protects small behaviours of autograd: prints, warnings and errors are those of PyTorch 2.13.0, case by case."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest

HERE = Path(__file__).parent


def _beside(name: str) -> ModuleType:
    """Return a module of this folder, which is no package."""
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

Difference: TypeAlias = Callable[[str, str], str | None]
"""Compares what was recorded with what was found."""


def _groups() -> dict[str, dict[str, dict[str, str]]]:
    """Return the cases of each group of the census, by its letters, and of each file of snippets."""
    groups: dict[str, dict[str, dict[str, str]]] = {}
    for name, case in (CENSUS | SNIPPETS).items():
        here = {**case, "observed": python_words.of_case(name, case["observed"])}
        groups.setdefault(re.sub(r"-?\d+$", "", name), {})[name] = here
    return groups


GROUPS = _groups()
GAPS = KNOWN_GAPS["census"] | KNOWN_GAPS["snippets"]

# One test for each group: pytest would take as long for 11,500 tests as the cases in them do.
of_groups = pytest.mark.parametrize("group", GROUPS)


def _assert_as_pytorch(group: str, observed: Callable[[str], str], difference: Difference) -> None:
    """Assert that the cases of a group do what was recorded of PyTorch, and that known gaps do not."""
    wrong = {}
    for name, case in GROUPS[group].items():
        found = observed(case["code"])
        differing = difference(case["observed"], found)
        if name in GAPS:
            if differing is None:
                wrong[name] = "is no gap any more: take it out of known_gaps.toml"
        elif differing is not None:
            wrong[name] = f"{differing}\n{case['code']}\n{found}"
    assert not wrong, "\n\n".join(f"{name}: {text}" for name, text in wrong.items())


@of_groups
def test_behaves_as_pytorch(group: str, observed: Callable[[str], str], difference: Difference) -> None:
    """Output, warnings and exception are PyTorch's."""
    _assert_as_pytorch(group, observed, difference)


@of_groups
def test_behaves_the_same_while_recorded(
    group: str, observed_and_recorded: Callable[[str], str], difference: Difference
) -> None:
    """A recorder changes nothing."""
    _assert_as_pytorch(group, observed_and_recorded, difference)


@pytest.mark.torch
@of_groups
def test_the_recording_is_current(
    group: str, observed_on_pytorch: Callable[[str], str], difference: Difference
) -> None:
    """The installed PyTorch still does what was recorded."""
    differing = {
        name: found
        for name, case in GROUPS[group].items()
        if (found := difference(case["observed"], observed_on_pytorch(case["code"]))) is not None
    }
    assert differing == {}


def test_no_case_is_left_out() -> None:
    """The groups have every case of both files once."""
    assert sorted(name for cases in GROUPS.values() for name in cases) == sorted([*CENSUS, *SNIPPETS])
    assert len(GROUPS) > 100


def test_cases_that_differ_are_named(difference: Difference) -> None:
    """The failure lists each case of a group that differs, and each known gap that is closed."""
    with pytest.raises(AssertionError, match=r"(?s)^A01: after .*\n\s+A02: after ") as raised:
        _assert_as_pytorch("A", lambda code: "something else", difference)
    assert all(f"{name}: " in str(raised.value) for name in GROUPS["A"])
    recorded = {case["code"]: case["observed"] for case in GROUPS["hooks"].values()}
    with pytest.raises(AssertionError, match=r"^hooks-78: is no gap any more"):
        _assert_as_pytorch("hooks", recorded.__getitem__, difference)


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
