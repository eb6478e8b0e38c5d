"""The time limits of a run."""

from __future__ import annotations

import msgspec


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """The time limits of a run in seconds; None for no limit.

    `unwatched_seconds` without a page, `pause_seconds` paused without a command, `place_seconds` in all, pauses
    included; the page gets a notice `notice_seconds` before a limit is reached.
    """

    unwatched_seconds: float | None = None
    pause_seconds: float | None = None
    place_seconds: float | None = None
    notice_seconds: float = 30
