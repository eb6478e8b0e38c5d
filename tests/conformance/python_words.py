"""Adapts texts that were recorded on Python 3.11 to messages that later versions of Python word differently."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

REPLACED: list[dict[str, str | list[str]]] = tomllib.loads(
    Path(__file__).with_name("python_words.toml").read_text("utf-8")
)["words"]


def of_case(name: str, text: str, version: tuple[int, int] = sys.version_info[:2]) -> str:
    """Return what was recorded of a case, as this version of Python prints it."""
    for entry in REPLACED:
        major, minor = str(entry["since"]).split(".")
        if name in entry["cases"] and version >= (int(major), int(minor)):
            assert str(entry["recorded"]) in text, f"python_words.toml does not fit {name}"
            text = text.replace(str(entry["recorded"]), str(entry["said"]))
    return text


def of_collections(text: str, version: tuple[int, int] = sys.version_info[:2]) -> str:
    """Return a text with each OrderedDict as this Python prints it: pairs in a list, since 3.12 a dict."""
    return _with_dicts(text) if version >= (3, 12) else text


def _with_dicts(text: str) -> str:
    before, found, rest = text.partition("OrderedDict([")
    if not found:
        return text
    pairs, rest = _until_closed(rest)
    inner = ", ".join(": ".join(_parts(pair.strip()[1:-1], most=2)) for pair in _parts(pairs))
    return f"{before}OrderedDict({{{_with_dicts(inner)}}}{_with_dicts(rest)}"


def _until_closed(text: str) -> tuple[str, str]:
    """Split a text at the bracket that closes an opened one."""
    for place, depth in _depths(text):
        if depth < 0:
            return text[:place], text[place + 1 :]
    return text, ""


def _parts(text: str, most: int | None = None) -> list[str]:
    """Split a text at commas outside of brackets and quotes, into all parts or at most `most`."""
    commas = [place for place, depth in _depths(text) if depth == 0 and text[place] == ","]
    ends = [*commas[: None if most is None else most - 1], len(text)]
    begins = [0, *(end + 1 for end in ends[:-1])]
    parts = [text[begin:end].strip() for begin, end in zip(begins, ends, strict=True)]
    return [part for part in parts if part]


def _depths(text: str) -> list[tuple[int, int]]:
    """Yield each place outside of quotes, with the number of brackets that are open after it."""
    found: list[tuple[int, int]] = []
    depth, quote, escaped = 0, "", False
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote and not escaped else quote
            escaped = sign == "\\" and not escaped
            continue
        if sign in "'\"":
            quote = sign
        depth += (sign in "([{") - (sign in ")]}")
        found.append((place, depth))
    return found
