"""The token of a server whose settings have none: kept beside the runs, so that open pages survive a restart."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from backscope.protocol.whole_file import PRIVATE, draft
from backscope_server.storage.folder import is_own

_FILE = "token"


def kept_secret(place: Path | None) -> str:
    """Return the token of this folder, made if there is none; if it cannot be stored, one for this start only."""
    made = secrets.token_urlsafe(24)
    if place is None:
        return made
    path = place / _FILE
    begun = place / f".{_FILE}.{secrets.token_hex(4)}"
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if (found := _read(path)) is not None:
            return found
        with draft(begun, lambda: _publish(begun, path)) as file:
            file.write(made.encode())
        return _read(path) or made
    except OSError:
        return made


def _publish(begun: Path, path: Path) -> None:
    """Give a token its name, unless another server that starts at the same time has kept one."""
    try:
        os.link(begun, path)
    except FileExistsError:
        if _read(path) is None:  # It holds no token, or others can read it.
            os.replace(begun, path)


def _read(path: Path) -> str | None:
    """Return the token in a file that only this user can have written or read, else None."""
    try:
        file = os.open(path, os.O_RDONLY | PRIVATE)
    except OSError:
        return None
    with os.fdopen(file) as opened:
        about = os.fstat(opened.fileno())
        if not is_own(about) or (os.name == "posix" and about.st_mode & 0o077):
            return None
        text = opened.read(100)
    return text if re.fullmatch(r"[A-Za-z0-9_-]{32}", text) else None
