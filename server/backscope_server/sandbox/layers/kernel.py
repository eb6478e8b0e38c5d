"""System calls and prctl through ctypes, with errors as OSError."""

from __future__ import annotations

import ctypes
import os

from backscope_server.sandbox.layers import syscalls

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

_WORD = ctypes.c_ulong


def _failed(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


def call(name: str, *arguments: int | bytes | None) -> int:
    """Make the system call `name`; bytes and None are passed as pointers.

    Raises: OSError.
    """
    architecture = syscalls.here()
    if architecture is None:
        raise OSError(38, f"{name}: the system call numbers of this processor are not known")
    words = [_WORD(value) if isinstance(value, int) else value for value in arguments]
    result: int = libc.syscall(_WORD(architecture.calls[name]), *words)
    if result < 0:
        raise _failed(name)
    return result


def prctl(option: int, *arguments: int) -> int:
    """Call prctl with the arguments given, the others 0.

    Raises: OSError.
    """
    words = [_WORD(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    result: int = libc.prctl(option, *words)
    if result < 0:
        raise _failed(f"prctl({option})")
    return result
