"""What `backscope export` writes: the page, or the picture that a flag or the ending of the file's name asks for."""

from __future__ import annotations

import mimetypes
from pathlib import Path

PICTURES = ("svg", "png", "gif", "webm")
_ENDINGS = ".html, .svg, .png, .gif or .webm"
_SHOWN = ("text/html", "image/", "video/", "application/pdf")
"""Types of files that programs show by the ending of their names; other names, as /dev/stdout, say nothing."""


class Contradiction(Exception):
    """The error for a flag and a name of which each asks for another format; its text says what to do."""


def picture_of(flag: str | None, target: Path | None) -> str | None:
    """Return the format of the picture that is asked for, None for the page.

    Raises: Contradiction.
    """
    if target is None:
        return flag
    ending = target.suffix.lower().removeprefix(".")
    kind = mimetypes.guess_type(target.name)[0] or ""
    if ending in (flag, *([] if flag else PICTURES)):
        return ending
    if (kind == "text/html" and flag is None) or not kind.startswith(_SHOWN):
        return flag
    if flag is None:
        raise Contradiction(f"no format .{ending} for {target}: name a file with -o that ends in {_ENDINGS}.")
    without = f"give --{ending} in its place" if ending in PICTURES else f"leave out --{flag}"
    instead = f", or {without}" if ending in PICTURES or kind == "text/html" else ""
    raise Contradiction(f"--{flag} does not go with {target}: name a .{flag} file with -o{instead}.")
