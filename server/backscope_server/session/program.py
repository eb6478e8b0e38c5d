"""The program of a session: its source, file name and seed."""

from __future__ import annotations

import msgspec

FILENAME = "program.py"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A program to run: `source` is Python text, tracebacks show `filename`, and `seed` is that of every generator."""

    source: str
    filename: str = FILENAME
    seed: int = 0
