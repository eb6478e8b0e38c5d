"""Layer: if the server runs as root, gives each child a user id of its own.

RLIMIT_NPROC does not bind root, and one child could signal another one of the same user; a fresh user id per child
settles both, and drops every capability on the way.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from backscope_server.sandbox.layers import capabilities
from backscope_server.sandbox.limits import SLOTS

_HIGH = 2_000_000
"""Far above the ids of people and system users.  There are a thousand ranges, so two servers hardly ever share one."""
_LOW = 60_600
"""Unused by the conventions of systemd and Debian, and available in containers that map 65,536 ids only."""


def _mapped(table: str, first: int) -> bool:
    for row in table.splitlines():
        inside, _outside, count = (int(field) for field in row.split())
        if inside <= first and first + SLOTS <= inside + count:
            return True
    return False


def base() -> int | None:
    """Return the first of SLOTS user and group ids for children, None if the server is an ordinary user.

    Raises: PermissionError as root where no such ids are available, or none may be taken.
    """
    if os.geteuid() != 0:
        return None
    needed = 1 << capabilities.SETUID | 1 << capabilities.SETGID
    if capabilities.permitted() & needed != needed:
        raise PermissionError(
            "Backscope runs as root without the capabilities SETUID and SETGID, so it cannot give programs users of "
            "their own. Start it as an ordinary user."
        )
    tables = [Path(f"/proc/self/{name}").read_text() for name in ("uid_map", "gid_map")]
    for first in (_HIGH + SLOTS * secrets.randbelow(1000), _LOW):
        if all(_mapped(table, first) for table in tables):
            return first
    raise PermissionError(
        "Backscope runs as root but this container maps no spare user ids to run programs under. "
        "Start it as an ordinary user."
    )


def become(identity: int) -> None:
    """Give up the current user, its groups and its capabilities for good.

    Raises: PermissionError for a root without CAP_SETUID and CAP_SETGID.
    """
    os.setgroups([])
    os.setresgid(identity, identity, identity)
    os.setresuid(identity, identity, identity)
