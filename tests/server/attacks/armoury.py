"""The hostile programs: those beside this file, and those of the folder in BACKSCOPE_ATTACKS."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = HERE / "programs"
OUTSIDE = Path(os.environ.get("BACKSCOPE_ATTACKS") or HERE.parents[3] / "shared" / "conformance" / "attacks")
"""The folder of further programs: that of BACKSCOPE_ATTACKS, else one beside the repository if it exists."""

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
"""The users of the servers that the programs run on."""

EVERYTHING_AS_ROOT = os.environ.get("BACKSCOPE_ATTACKS_AS_ROOT") == "all"

_KINDS_FOR_ROOT = "fnps"
"""Kinds, by the first letter of the name, of which root may do more than others: files, network, processes, secrets."""

_FOR_ROOT = re.compile(
    r"unshare|setns|chroot|mount|set(?:res|re)?[ug]id|cap(?:set|abilit)|nice|priority|mlock|memfd|userns|ptrace|bpf"
    r"|shmget|keyctl|every_|unknown_calls|personality|syscall",
    re.IGNORECASE,
)
"""Words in the name or the source of other programs, those that touch identity, capabilities and namespaces."""


def for_root(name: str) -> bool:
    """Return whether a program runs on root's server too: one that tries things that only root may do."""
    kind = name.removeprefix("outside_")[0]
    text = f"{name}\n{programs()[name]}"
    return EVERYTHING_AS_ROOT or kind in _KINDS_FOR_ROOT or _FOR_ROOT.search(text) is not None


def programs_for(user: str) -> dict[str, str]:
    """Return the programs for a server of this user: those of `for_root` for root, else all."""
    return {name: source for name, source in programs().items() if user != "root" or for_root(name)}


@cache
def programs() -> dict[str, str]:
    """Return the source of every program by its name; those that run into a time limit first, to wait in parallel."""
    found = {path.stem: path.read_text() for path in sorted(OURS.glob("*.py"))}
    found |= {f"outside_{path.stem}": path.read_text() for path in sorted(OUTSIDE.glob("*.py"))}
    return dict(sorted(found.items(), key=lambda item: "TimeLimitExceeded" not in endings(item[1])))


def endings(source: str) -> set[str]:
    """Return the endings that the first line of a program allows; all known ones where it has no such line."""
    said = re.match(r"# Ends: (.*)", source)
    return set(said[1].split(", ")) if said else ENDINGS


def late(source: str) -> set[str]:
    """Return the endings that are allowed on a busy machine, where the time limit may be reached first."""
    return endings(source) | {"TimeLimitExceeded"}
