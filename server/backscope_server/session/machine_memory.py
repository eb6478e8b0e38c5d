"""The memory that there is for a server and its programs."""

from __future__ import annotations

from pathlib import Path

import psutil

_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def machine_memory() -> int:
    """Return the memory of this machine, or of the container that the server runs in, bytes."""
    found = [int(psutil.virtual_memory().total)]
    for path in _CGROUP_LIMITS:
        try:
            found.append(int(Path(path).read_text()))
        except (OSError, ValueError):  # No such control group, or "max".
            continue
    return min(found)
