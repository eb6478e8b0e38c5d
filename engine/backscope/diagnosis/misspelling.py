"""Suggests a name in place of one that is not defined."""

from __future__ import annotations

import builtins
from difflib import get_close_matches
from types import TracebackType
from typing import Any

from backscope.protocol.events import Diagnosis

_MOST_NAMES = 5_000
_LONGEST = 60
_ALIKE = 0.7
"""The share of letters that a suggested name must have in common with the undefined one."""


def misspelt(error: NameError, known: dict[str, Any], line: int | None) -> Diagnosis | None:
    """Return what to write in place of a name that is not defined, or None where no name resembles it.

    `known`: the program's own names.
    """
    wrong = error.name
    if type(error) is not NameError or type(wrong) is not str:
        return None
    names = [*_locals(error.__traceback__), *known, *vars(builtins)]
    meant = nearest(wrong, [name for name in names[:_MOST_NAMES] if type(name) is str and name.isidentifier()])
    if meant is None:
        return None
    return Diagnosis(
        cause=f"name {wrong!r} is not defined. Did you mean {meant}?",
        fix=f"Write {meant} in place of {wrong}.",
        lines=[] if line is None else [line],
        nodes=[],
        tensors=[],
    )


def _locals(trace: TracebackType | None) -> list[str]:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return [] if trace is None else list(trace.tb_frame.f_locals)


def nearest(wrong: str, names: list[str]) -> str | None:
    """Return a name that differs only in case, as `True` for `true`, else the most similar one; None if none is."""
    if len(wrong) > _LONGEST:
        return None
    plain = [name for name in names[:_MOST_NAMES] if len(name) <= _LONGEST and name != wrong]
    public = [name for name in plain if wrong[:1] == "_" or name[:1] != "_"]
    same = [name for name in public if name.lower() == wrong.lower()]
    return next(iter(same or get_close_matches(wrong, public, 1, _ALIKE)), None)
