"""The hostile programs: those beside this file, and those of a folder elsewhere where there is one."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = HERE / "programs"
OUTSIDE = Path(os.environ.get("BACKSCOPE_ATTACKS") or HERE.parents[3] / "shared" / "conformance" / "attacks")
"""Programs of other people: where the variable says, else beside the repository where somebody has put them."""

ENDINGS = {
    "ok",
    "error",
    "ProgramDied",
    "TimeLimitExceeded",
    "MemoryLimitExceeded",
    "OutputLimitExceeded",
    "EventLimitExceeded",
    "EventStreamBroken",
}


@cache
def programs() -> dict[str, str]:
    """The source of every program by its name; those that run into a time limit first, to wait at the same time."""
    found = {path.stem: path.read_text() for path in sorted(OURS.glob("*.py"))}
    found |= {f"outside_{path.stem}": path.read_text() for path in sorted(OUTSIDE.glob("*.py"))}
    return dict(sorted(found.items(), key=lambda item: "TimeLimitExceeded" not in endings(item[1])))


def endings(source: str) -> set[str]:
    """How a program may end, by its first line; any of the known ways where it does not say."""
    said = re.match(r"# Ends: (.*)", source)
    return set(said[1].split(", ")) if said else ENDINGS


def late(source: str) -> set[str]:
    """The same on a machine that is busy with other things, where time may be up before."""
    return endings(source) | {"TimeLimitExceeded"}
