"""Layer: Landlock, by which a process gives up its rights to files, TCP ports, and processes outside of its domain."""

from __future__ import annotations

import os
import struct

from backscope_server.sandbox.layers import kernel

_VERSION = 1
_LOG_SAME_EXEC_OFF = 1

_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_UNIX_SOCKET, _SIGNAL = 1, 2


def abi() -> int:
    """Return the version of the kernel's Landlock, 0 if it has none or has it switched off."""
    try:
        return kernel.call("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


def rights(version: int) -> tuple[int, int, int]:
    """Return all rights that this version can take away: on files, on the network, and towards other processes."""
    files = (1 << 13) - 1
    if version >= 2:
        files |= 1 << 13  # Rename and link between folders.
    if version >= 3:
        files |= 1 << 14  # Truncate.
    if version >= 5:
        files |= 1 << 15  # ioctl on devices.
    network = _BIND_TCP | _CONNECT_TCP if version >= 4 else 0
    scopes = _ABSTRACT_UNIX_SOCKET | _SIGNAL if version >= 6 else 0
    return files, network, scopes


def attributes(version: int) -> bytes:
    """Return struct landlock_ruleset_attr, as long as this version has it."""
    size = 8 if version < 4 else 16 if version < 6 else 24
    return struct.pack("=QQQ", *rights(version))[:size]


def restrict(version: int) -> None:
    """Enter a new domain without any right; requires no_new_privs, and a free descriptor.

    Raises: OSError.
    """
    wanted = attributes(version)
    ruleset = kernel.call("landlock_create_ruleset", wanted, len(wanted), 0)
    try:
        # A program that tries a million files is not to fill the system's audit log.
        kernel.call("landlock_restrict_self", ruleset, _LOG_SAME_EXEC_OFF if version >= 7 else 0)
    finally:
        os.close(ruleset)
