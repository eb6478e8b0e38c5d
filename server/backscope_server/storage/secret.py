"""The token of a server whose settings have none: kept beside the runs, so that open pages survive a restart."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from backscope_server.storage.draft import PRIVATE
from backscope_server.storage.folder import is_own

_FILE = "token"


def kept_secret(place: Path | None) -> str:
    """Return the token of this folder, made if there is none; if it cannot be stored, one for this start only."""
    made = secrets.token_urlsafe(24)
    if place is None:
        return made
    path = place / _FILE
    draft = place / f".{_FILE}.{secrets.token_hex(4)}"
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if (found := _read(path)) is not None:
            return found
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PRIVATE, 0o600), "w") as file:
            file.write(made)
        try:
            os.link(draft, path)  # Of two servers that start at once, the first one's counts.
        except FileExistsError:
            if (found := _read(path)) is not None:
                return found
            os.replace(draft, path)  # A file that holds no secret, or that others can read.
            return made
        finally:
            draft.unlink(missing_ok=True)
        return made
    except OSError:
        return made


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
