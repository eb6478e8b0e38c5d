"""Layer: process attributes: a child dies with its zygote, gains nothing by executing, and cannot be inspected."""

from __future__ import annotations

import contextlib
import os
import signal

from backscope_server.sandbox.layers import kernel

_SET_PDEATHSIG = 1
_SET_DUMPABLE, _GET_DUMPABLE = 4, 3
_SET_NO_NEW_PRIVS, _GET_NO_NEW_PRIVS = 38, 39
_SET_SPECULATION_CTRL = 53
_INDIRECT_BRANCH = 1
_FORCE_DISABLE = 8
_SET_MDWE, _GET_MDWE = 65, 66
_REFUSE_EXEC_GAIN = 1


def kill_with_parent() -> None:
    """Have the kernel kill this process when its parent dies; a change of user clears that."""
    kernel.prctl(_SET_PDEATHSIG, signal.SIGKILL)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process with its parent; exit now if that has ended. Repeat after a change of user."""
    kill_with_parent()
    if os.getppid() != parent:
        os._exit(0)


def no_new_privileges() -> None:
    """Gain no privileges by executing a set-uid file; Landlock and seccomp require this."""
    kernel.prctl(_SET_NO_NEW_PRIVS, 1)


def make_undumpable() -> None:
    """Prevent ptrace, core dumps, and access to /proc/PID of this process by others of the same user."""
    kernel.prctl(_SET_DUMPABLE, 0)
    # Not to be had on every processor, nor where it is in force for all processes.
    with contextlib.suppress(OSError):
        kernel.prctl(_SET_SPECULATION_CTRL, _INDIRECT_BRANCH, _FORCE_DISABLE)


def has_mdwe() -> bool:
    """Return whether the kernel can refuse memory that is writable and executable: Linux 6.3."""
    try:
        kernel.prctl(_GET_MDWE)
    except OSError:
        return False
    return True


def refuse_executable_memory() -> None:
    """Refuse to make existing memory executable, and to map memory that is writable and executable.

    Raises: OSError before Linux 6.3.
    """
    kernel.prctl(_SET_MDWE, _REFUSE_EXEC_GAIN)


def is_protected() -> bool:
    """Return True for a process that cannot be inspected and cannot gain privileges."""
    return kernel.prctl(_GET_DUMPABLE) == 0 and kernel.prctl(_GET_NO_NEW_PRIVS) == 1
