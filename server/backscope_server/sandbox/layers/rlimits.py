"""Layer: limits that the kernel counts for a child: processor time, address space, processes, files."""

from __future__ import annotations

import os
import resource

_STACK = 8 << 20


def open_sizes() -> int | None:
    """Open the kernel's table of this process's sizes; None outside Linux, where it is not limited."""
    try:
        return os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return None


def take_mapped_bytes(sizes: int | None) -> int:
    """Return the address space of this process now, bytes, which a child is not charged for; close `sizes`.

    `sizes` comes from open_sizes(), which a process that can no longer open files has called before.
    """
    if sizes is None:
        return 0
    try:
        return int(os.pread(sizes, 64, 0).split()[0]) * resource.getpagesize()
    finally:
        os.close(sizes)


def mapped_bytes() -> int:
    """Return the address space of this process now, bytes; 0 where the system does not say."""
    return take_mapped_bytes(open_sizes())


def apply(*, cpu_seconds: int, address_space: int) -> None:
    """Set the limits, hard ones: they cannot be raised again.

    At `cpu_seconds` the kernel sends SIGXCPU, one second later SIGKILL.  No process or thread can be started and no
    core dumped.  No descriptor can be had beside those that are open already, also not in the place of a closed one:
    no file is opened and no socket made.

    Raises: OSError, ValueError where the system keeps a limit for itself; all others are set nevertheless.
    """
    limits = {
        "AS": (address_space, address_space),
        "CPU": (cpu_seconds, cpu_seconds + 1),
        "NPROC": (0, 0),
        "NOFILE": (0, 0),
        "FSIZE": (0, 0),
        "CORE": (0, 0),
        "MEMLOCK": (0, 0),
        "MSGQUEUE": (0, 0),
        "SIGPENDING": (64, 64),
        "RTPRIO": (0, 0),
        "STACK": (_STACK, _STACK),
    }
    refused: OSError | ValueError | None = None
    for name, (soft, hard) in limits.items():
        limit = getattr(resource, f"RLIMIT_{name}", None)
        if limit is None:  # Some systems count less.
            continue
        ceiling = resource.getrlimit(limit)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        try:
            resource.setrlimit(limit, (soft, hard))
        except (OSError, ValueError) as error:
            refused = error
    if refused is not None:
        raise refused
