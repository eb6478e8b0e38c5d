"""The limits of one program."""

from __future__ import annotations

import msgspec

SLOTS = 500
"""Children that can be alive at once."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one run.

    Units: `wall_seconds` of real time; `cpu_seconds` of processor time, whole; `memory_bytes` of address space beyond
    what the engine itself takes; `output_bytes` of printed UTF-8 text; `events` and `log_bytes` for everything that the
    run records; `event_bytes` for a single event.
    """

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int
    output_bytes: int
    events: int
    log_bytes: int
    event_bytes: int
