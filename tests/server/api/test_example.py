"""Protects the example programs: their headers are parsed and removed, and every one of them runs."""

from __future__ import annotations

import pytest

from backscope_server.api import example


def test_the_header_and_one_empty_line_are_left_out():
    found = example.parse("01_x", "# title: One\n# summary: Two: three.\n\n\nimport torch\n# title: not this\n")
    assert (found.name, found.title, found.summary) == ("01_x", "One", "Two: three.")
    assert found.source == "\nimport torch\n# title: not this\n"


def test_a_program_may_follow_without_an_empty_line():
    assert example.parse("x", "# title: a\n# summary: b\nx = 1").source == "x = 1"


@pytest.mark.parametrize("text", ["", "# title: a\n", "import torch\n", "# summary: b\n# title: a\n"])
def test_a_missing_header_is_an_error(text):
    with pytest.raises(ValueError, match="title"):
        example.parse("x", text)


def test_examples_come_in_the_order_of_their_names(tmp_path):
    for name in ("02_b.py", "01_a.py", "10_c.py"):
        (tmp_path / name).write_text(f"# title: {name}\n# summary: s\n\nx = 1\n")
    assert [found.name for found in example.load(tmp_path)] == ["01_a", "02_b", "10_c"]


@pytest.mark.parametrize("found", example.load(), ids=lambda found: found.name)
def test_every_example_runs(sandbox, log_of, found):
    session = sandbox.finish(found.source, events=1_000_000, log_bytes=1 << 30, cpu_seconds=60, wall_seconds=60)
    assert session.status == "ok" or "error" in found.summary.lower(), log_of(session)[-2]
