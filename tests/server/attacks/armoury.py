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


USERS = ("root", "ordinary user")
"""Who runs the servers that the programs meet."""

EVERYTHING_AS_ROOT = os.environ.get("BACKSCOPE_ATTACKS_AS_ROOT") == "all"

_KINDS_FOR_ROOT = "fnps"
"""Kinds, by the first letter of the name, of which root may do more than others: files, network, processes, secrets."""

_FOR_ROOT = re.compile(
    r"unshare|setns|chroot|mount|set(?:res|re)?[ug]id|cap(?:set|abilit)|nice|priority|mlock|memfd|userns|ptrace|bpf"
    r"|shmget|keyctl|every_|unknown_calls|personality|syscall",
    re.IGNORECASE,
)
"""What other programs have in their source or their name that touch identity, capabilities and namespaces."""


def for_root(name: str) -> bool:
    """Whether a program meets a server of root's too: one that tries what root may do and others may not."""
    kind = name.removeprefix("outside_")[0]
    text = f"{name}\n{programs()[name]}"
    return EVERYTHING_AS_ROOT or kind in _KINDS_FOR_ROOT or _FOR_ROOT.search(text) is not None


def programs_for(user: str) -> dict[str, str]:
    """The programs that meet a server of this user: all, but for root."""
    return {name: source for name, source in programs().items() if user != "root" or for_root(name)}


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
