"""Layer: process attributes: a child dies with its zygote, and processes of the same user cannot look into it."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}, {value}): {os.strerror(number)}")


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` dies; call it again after a change of user, which clears it."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # It died before the request was in force.
        os._exit(0)


def lock() -> None:
    """No new privileges by executing a set-uid file; no ptrace, no core, no readable /proc/PID of this process."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)
