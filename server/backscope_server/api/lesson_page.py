"""Writes a lesson, and the recordings of its programs, as one HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from backscope.ops.names.all import catalogue
from backscope.player import page_template
from backscope.protocol import trace
from backscope_server.lessons.lesson import ChangeBlock, ProgramBlock
from backscope_server.lessons.solving import Solved

MOST_BYTES = 8_000_000
"""The largest size of a page: about 200 times what the recordings of Backscope's own lessons add to it."""


class TooLarge(ValueError):
    """The error for a lesson whose page would be too large; the text says which program has the largest recording."""


class _Recording(NamedTuple):
    """A program of a lesson that was run: its text and seed, the line at which it begins, and its trace."""

    source: str
    seed: int
    line: int
    trace: bytes


def fill(template: str, solved: Solved) -> str:
    """Return the page of a lesson that holds; the same lesson gives the same page.

    Raises: TooLarge.
    """
    recordings = list(_recordings(solved))
    about, traces = _about(solved, recordings), [one.trace for one in recordings]
    # A random nonce would make each page another one. No text that is put into the page can contain this one, since
    # it is computed from all of them.
    content = hashlib.sha256(b"".join([json.dumps(about).encode(), *traces]))
    nonce = base64.urlsafe_b64encode(content.digest()[:16]).decode().rstrip("=")
    text = page_template.put_in(template, title=solved.lesson.title, nonce=nonce, about=about, traces=traces)
    size = len(text.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        largest = max(recordings, key=lambda one: len(one.trace))
        raise TooLarge(
            f"The page would have {size:,} bytes; {MOST_BYTES:,} are the most. The recording of the program at line "
            f"{largest.line} has {len(largest.trace):,}: let it make fewer or smaller tensors, or fewer rounds."
        )
    return text


# Any: facts that JSON can hold.
def parts(solved: Solved) -> tuple[dict[str, Any], list[bytes]]:
    """Return the data for the page of a lesson without faults, and the traces of its programs and solutions."""
    recordings = list(_recordings(solved))
    return _about(solved, recordings), [one.trace for one in recordings]


def _about(solved: Solved, recordings: list[_Recording]) -> dict[str, Any]:
    return {
        "lesson": solved.lesson.model_dump(mode="json"),
        "programs": [{"source": one.source, "seed": one.seed} for one in recordings],
        "ops": catalogue(),
    }


def _recordings(solved: Solved) -> Iterator[_Recording]:
    """Yield the programs of a lesson and the solutions of its changes, each with its trace."""
    for block in solved.lesson.blocks:
        if isinstance(block, ProgramBlock):
            lines = solved.runs[block.name].lines
            yield _Recording(block.source, block.seed, block.source_line, trace.pack(lines))
        elif isinstance(block, ChangeBlock):
            seed = solved.lesson.program(block.program).seed
            lines = solved.solutions[block.line].lines
            yield _Recording(block.solution, seed, block.solution_line, trace.pack(lines))
