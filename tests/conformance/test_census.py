"""Small behaviours of autograd, each with what PyTorch 2.13.0 printed, warned and raised: the census, and snippets."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CENSUS: dict[str, dict[str, str]] = {c["id"]: c for c in json.loads((HERE / "census.json").read_text("utf-8"))}
SNIPPETS: dict[str, dict[str, str]] = json.loads((HERE / "snippets.json").read_text("utf-8"))
KNOWN_GAPS: dict[str, dict[str, str]] = tomllib.loads((HERE / "known_gaps.toml").read_text("utf-8"))

COMPLETE = set("ABCDEFGHIJKLMN")
"""Groups of the census in which nothing may be missing."""

LARGEST_GAP = 0.02


def _cases(with_gaps: bool = True) -> list[Any]:
    gaps = KNOWN_GAPS["census"] | KNOWN_GAPS["snippets"] if with_gaps else {}
    return [
        pytest.param(case, id=name, marks=[pytest.mark.xfail(strict=True, reason=gaps.get(name))] * (name in gaps))
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
    spec = importlib.util.spec_from_file_location("record_snippets", HERE / "record_snippets.py")
    assert spec is not None and spec.loader is not None
    recording = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recording)
    assert dict(recording.snippets()) == {name: case["code"] for name, case in SNIPPETS.items()}


def test_known_gaps_are_few_and_not_in_the_heart() -> None:
    """A gap is a case, has a reason, and is neither in the groups about backward() nor one of many."""
    for suite, cases in (("census", CENSUS), ("snippets", SNIPPETS)):
        gaps = KNOWN_GAPS[suite]
        assert set(gaps) <= set(cases)
        assert all(reason.strip() for reason in gaps.values())
        assert len(gaps) <= LARGEST_GAP * len(cases)
    assert not [g for g in KNOWN_GAPS["census"] if re.sub(r"\d+", "", g) in COMPLETE]
