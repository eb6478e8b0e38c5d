"""`backscope export --svg`, `--png`, `--gif` and `--webm`: writes a step, or a film of some steps, as a picture."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from backscope import pictures
from backscope.protocol.whole_file import whole_file

FILMS = ("gif", "webm")


def export(given: Namespace) -> int:
    """Write the picture that the command line asks for; return the exit status."""
    kind: str = given.picture
    source: Path = given.trace
    target: Path = given.output or source.with_suffix(f".{kind}")
    if (reason := _why_not(given, target)) is not None:
        return _fail(reason)
    try:
        content = _content(given)
    except pictures.PictureError as error:
        return _fail(f"{source}: {error}")
    except OSError as error:
        return _fail(f"cannot read {source}: {error.strerror or error}")
    try:
        with whole_file(target) as file:
            file.write(content)
    except OSError as error:
        return _fail(f"cannot write {target}: {error.strerror or error}")
    print(f"backscope: wrote {target}, {target.stat().st_size:,} bytes", file=sys.stderr)
    return 0


def _why_not(given: Namespace, target: Path) -> str | None:
    if target == given.trace:
        return f"{target} is the trace itself. Name another file with -o."
    if given.picture in FILMS and given.range is None:
        return f"--{given.picture} is a film of some steps: name them with --range, as --range 3-9."
    if given.picture in FILMS and given.step is not None:
        return f"--{given.picture} is a film of some steps: use --range in place of --step."
    if given.picture not in FILMS and given.range is not None:
        return f"--{given.picture} is a picture of one step: use --step in place of --range."
    return None


def _content(given: Namespace) -> bytes:
    if given.picture in FILMS:
        film = pictures.gif if given.picture == "gif" else pictures.webm
        return film(given.trace, *given.range, theme=given.theme, width=given.width, speed=given.speed)
    still = {"step": given.step, "theme": given.theme, "width": given.width, "caption": not given.no_caption}
    if given.picture == "png":
        return pictures.png(given.trace, **still)
    return pictures.svg(given.trace, **still).encode()


def _fail(reason: str) -> int:
    print(f"backscope: {reason}", file=sys.stderr)
    return 1
