"""The program of a session: its source, file name and seed."""

from __future__ import annotations

import msgspec

FILENAME = "program.py"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What to run: `source` as Python text, the `filename` that tracebacks show, the `seed` of every generator."""

    source: str
    filename: str = FILENAME
    seed: int = 0
