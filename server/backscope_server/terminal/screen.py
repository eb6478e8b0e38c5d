"""Formats the output of the debugger: 80 columns, colours only on a terminal that has them and without NO_COLOR."""

from __future__ import annotations

import codecs
import os
import re
import shutil
import sys
import textwrap
from typing import TextIO

_STYLES = {
    "now": "\x1b[1;34m", "gradient": "\x1b[33m", "saved": "\x1b[32m", "second": "\x1b[35m", "error": "\x1b[31m",
    "quiet": "\x1b[2m", "strong": "\x1b[1m",
}  # fmt: skip
"""The page's five meanings, and two weights."""
_ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
_POWER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PLAIN = str.maketrans({
    "−": "-", "×": "*", "÷": "/", "·": "*", "“": '"', "”": '"', "…": "...", "\u2068": "", "\u2069": "",
})  # fmt: skip
WIDEST = 100


class Unwritable(Exception):
    """The error for an output that cannot be written any more; the text says why."""


class Screen:
    """Writes to stdout; `broken` says whether the program's output ends within a line."""

    def __init__(self) -> None:
        self.broken = False
        self._is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "") != "dumb"
        self.has_colour = self._is_terminal and not os.environ.get("NO_COLOR")

    @property
    def width(self) -> int:
        """The number of columns of a line."""
        return max(40, min(WIDEST, shutil.get_terminal_size((80, 24)).columns))

    def style(self, text: str, style: str) -> str:
        """Return a text in the colour of a meaning."""
        return f"{_STYLES[style]}{text}\x1b[0m" if self.has_colour and text else text

    def say(self, text: str = "", *, style: str | None = None, indent: str = "") -> None:
        """Print a paragraph of the debugger, wrapped, without control characters."""
        for line in self._writable(text).split("\n"):
            room = self.width - 1
            lead = indent + line[: len(line) - len(line.lstrip(" "))]
            for part in textwrap.wrap(
                clean(line).strip(), room, initial_indent=lead, subsequent_indent=lead, break_on_hyphens=False
            ) or [""]:
                self.line(self.style(part, style) if style else part)

    def line(self, text: str = "") -> None:
        """Print a line unchanged, after ending an unfinished line of the program."""
        self.fresh()
        _write(sys.stdout, self._writable(text) + "\n")

    def _writable(self, text: str) -> str:
        """Return a text with only the signs that stdout's encoding has."""
        encoding = sys.stdout.encoding or "utf-8"
        if codecs.lookup(encoding).name == "utf-8":
            return text
        return plain(text).encode(encoding, "backslashreplace").decode(encoding)

    def fresh(self) -> None:
        """End an unfinished line of the program."""
        if self.broken:
            _write(sys.stdout, "\n")
            self.broken = False

    def progress(self, text: str) -> None:
        """Show progress, on a terminal alone: the next text replaces it, an empty one removes it."""
        if self._is_terminal:
            _write(sys.stdout, f"\r{self.cut(text)}\x1b[K")

    def program(self, stream: str, text: str) -> None:
        """Write the program's output unchanged."""
        _write(sys.stderr if stream == "stderr" else sys.stdout, text)
        if text:
            self.broken = not text.endswith("\n")

    def cut(self, text: str, taken: int = 0) -> str:
        """Return a text cut to one line of the screen's width, less `taken` columns."""
        room = max(10, self.width - 1 - taken)
        text = self._writable(clean(" ".join(text.split("\n"))))
        return text if len(text) <= room else text[: room - 3] + "..."


def _write(to: TextIO, text: str) -> None:
    """Write at once.

    Raises: BrokenPipeError where the reader has gone, Unwritable for any other reason.
    """
    try:
        to.write(text)
        to.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Unwritable(error.strerror or str(error)) from None


def discard_output() -> None:
    """Send unwritten output nowhere, so that Python's own flush at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def plain(text: str) -> str:
    """Return a text with the signs of captions in ASCII: `x^2` for x², `-` for a true minus."""
    return _POWER.sub(lambda found: f"^{found[0].translate(_DIGITS)}", text).translate(_PLAIN)


def clean(text: str) -> str:
    """Return a text without the characters that a terminal would take for commands."""
    return _ESCAPES.sub("?", text).replace("\t", "    ")
