"""Protects the steps and sentences of every golden stream: they equal those that the page's tests recorded.

The page writes them: `npx vitest run src/caption/golden.test.ts -u` in the folder web.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from backscope.caption import Run, place_text, sentence
from backscope.protocol import events as ev

HERE = Path(__file__).parent


def steps_of(stream: bytes) -> list[str]:
    """Return the number of each step, its first event, its sentence and its place."""
    run = Run()
    for line in stream.splitlines():
        run.take(ev.decode(line))
    steps = [
        (str(number), str(moment.first), sentence(run, moment), place_text(run, moment))
        for number, moment in enumerate(run.moments, 1)
    ]
    return ["\t".join(step).rstrip().replace("\n", "\\n") for step in steps]


@pytest.mark.parametrize("path", sorted(HERE.glob("*.jsonl")), ids=lambda path: path.stem)
def test_steps_and_sentences_are_those_of_the_page(path: Path) -> None:
    recorded = (HERE / "sentences" / f"{path.stem}.txt").read_text("utf-8")
    assert steps_of(path.read_bytes()) == recorded.removesuffix("\n").split("\n")
