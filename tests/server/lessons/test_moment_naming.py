"""Protects: every step of a run gets a name that leads to it, and the name says what happens there."""

from __future__ import annotations

from pathlib import Path

import pytest

from backscope.moments import moment_search
from backscope_server.lessons import moment_naming
from backscope_server.lessons.moment_naming import NotNamed

STREAMS = sorted(
    path.stem for path in (Path(__file__).parents[2] / "golden").glob("*.jsonl") if path.stem != "captions"
)
MOST_STEPS = 40


@pytest.mark.parametrize("stream", STREAMS)
def test_the_name_of_a_step_leads_to_it(golden, stream):
    run = golden(stream)
    steps = range(0, len(run.moments), max(1, len(run.moments) // MOST_STEPS))
    unnamed = []
    for step in steps:
        try:
            name = moment_naming.name_of(run, step)
        except NotNamed:
            unnamed.append(step)
        else:
            assert moment_search.find(run, name).step == step
    assert len(unnamed) <= 1


def test_a_name_says_what_happens(golden):
    run = golden("01_first_backward")
    names = [moment_naming.name_of(run, step) for step in range(len(run.moments))]
    assert names == [
        "after x is set",
        "after w is set",
        "after b is set",
        "after op mul",
        "after y is set",
        "after a print",
        "after a print #2",
        "before AddBackward0",
        "after AddBackward0",
        "after b accumulates",
        "after MulBackward0",
        "after w accumulates",
        "after a pass",
        "after a print #3",
    ]


def test_nodes_are_counted_within_their_pass(golden):
    run = golden("17_mlp")
    assert moment_naming.name_of(run, 306) == "after MmBackward0 #2 in pass 9"
    assert moment_naming.name_of(run, 272) == "after W1 accumulates #8"
