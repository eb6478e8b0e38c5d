"""SVG into pixels, by resvg with the page's fonts."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from backscope.pictures.drawing import INSTALL, Drawn, PictureError, folder

_OTHERS = "DejaVu Sans Mono, Menlo, Consolas, monospace"
"""Fonts of systems."""


def needed(package: str, what: str) -> ModuleType:
    """Import a package of the extra.

    Raises: PictureError, which names the command that installs it, where it is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise PictureError(f"{what} needs a package that is not installed: run `{INSTALL}`.") from error


def pixels(drawn: Drawn) -> bytes:
    """Return a picture as PNG.

    Raises: PictureError.
    """
    resvg = needed("resvg_py", "A picture in pixels")
    try:
        packed: bytes = resvg.svg_to_bytes(
            svg_string=_with_names_of_files(drawn.svg),
            font_files=_font_files(drawn.foreign),
            # They take long to be read, and letters are to be the page's.
            skip_system_fonts=not drawn.foreign,
        )
    except ValueError as error:
        raise PictureError(f"The picture of step {drawn.step} has no pixels: {error}.") from error
    return bytes(packed)


def _font_files(foreign: bool) -> list[str]:
    """Return the fonts of Latin letters, before others where they do not suffice: the first of a family is taken."""
    paths = sorted((folder() / "fonts").glob("*.ttf"))
    latin = [path for path in paths if "-" not in path.name]
    return [str(path) for path in (latin + [path for path in paths if path not in latin] if foreign else latin)]


def _with_names_of_files(svg: str) -> str:
    """Return a picture with its fonts as the files name them; what they lack is to be as wide as their letters."""
    named = svg.replace("Inter Variable&#34;", "Inter&#34;").replace(
        "JetBrains Mono Variable&#34;", "JetBrains Mono&#34;"
    )
    return named.replace('font-family="monospace"', f'font-family="{_OTHERS}"')
