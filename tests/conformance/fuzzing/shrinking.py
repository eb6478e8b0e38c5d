"""Finds the smallest program that still shows a difference."""

from __future__ import annotations

from collections.abc import Callable

from fuzzing.comparison import Difference
from fuzzing.statements import Program


def shrunk(
    program: Program, found: Difference, compare: Callable[[Program], Difference | None], limit: int = 600
) -> tuple[Program, Difference]:
    """Remove statements as long as a difference of the same kind remains; at most `limit` programs are tried."""
    program = Program(program.statements[: found.statement + 1])
    tried = 0
    smaller = True
    while smaller and tried < limit:
        smaller = False
        for less in program.smaller():
            tried += 1
            other = compare(less)
            if other is not None and other.kind == found.kind:
                program, found, smaller = less, other, True
                break
            if tried >= limit:
                break
    return program, found
