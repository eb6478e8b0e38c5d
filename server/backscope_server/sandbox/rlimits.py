"""Layer: what the kernel counts for a child: processor time, address space, processes, files."""

from __future__ import annotations

import resource
from pathlib import Path

_STACK = 8 << 20


def mapped_bytes() -> int:
    """The address space of this process now: what a child starts with and is not charged for."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def apply(*, cpu_seconds: int, address_space: int) -> None:
    """Set the limits, hard ones: they cannot be raised again.

    At `cpu_seconds` the kernel sends SIGXCPU, one second later SIGKILL.  No process or thread can be started and no
    core dumped.  No descriptor can be had beside those that are open already, also not in the place of a closed one:
    no file is opened and no socket made.
    """
    limits = {
        resource.RLIMIT_AS: (address_space, address_space),
        resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 1),
        resource.RLIMIT_NPROC: (0, 0),
        resource.RLIMIT_NOFILE: (0, 0),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_STACK: (_STACK, _STACK),
    }
    for limit, (soft, hard) in limits.items():
        ceiling = resource.getrlimit(limit)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(limit, (soft, hard))
