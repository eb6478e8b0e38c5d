"""Layer: gives the server priority over programs, for the processor and when memory runs out."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_NICE = 10
_LAST = 19
_OOM_SCORE = "900"


def prefer_as_victim() -> None:
    """Have the kernel kill this process before the server when memory runs out; children inherit it."""
    with contextlib.suppress(OSError):  # Some containers mount /proc read-only.
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)


def yield_to_server() -> None:
    """Lower the priority of this process below that of the server."""
    os.nice(_NICE)


def lower_priority(pid: int) -> None:
    """Lower the priority of a program below those that have just begun.

    Does nothing if that is not permitted, as for root without CAP_SYS_NICE, or not possible, as on Windows.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, pid, _LAST)
