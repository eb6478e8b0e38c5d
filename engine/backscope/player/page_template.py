"""Fills the templates of pages that are one HTML file, which the page's build makes."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from backscope.runtime.page_folder import page_folder

_PLACE = re.compile("BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)")


def put_in(template: str, *, title: str, nonce: str, about: dict[str, Any], traces: Iterable[bytes]) -> str:
    """Return a template with a title, facts as JSON, and traces in it."""
    parts = places(title=f"{title} – Backscope", nonce=nonce, about=about, traces=traces)
    return _PLACE.sub(lambda found: parts[found[1]], template)


# Any: facts that JSON can hold.
def places(*, title: str, nonce: str, about: dict[str, Any], traces: Iterable[bytes]) -> dict[str, str]:
    """Return what is put into a template, by the names of its places.

    Text of the program or its author is base64, except the title, so that none of it is markup.
    """
    return {
        "TITLE": html.escape(title),
        "NONCE": nonce,
        "ABOUT": packed(about),
        "RECORDING": "\n".join(base64.b64encode(trace).decode() for trace in traces),
    }


# Any: facts that JSON can hold.
def packed(about: dict[str, Any]) -> str:
    """Return facts as the page reads them."""
    return base64.b64encode(gzip.compress(json.dumps(about).encode(), mtime=0)).decode()


def single() -> str | None:
    """Return the template of the page that plays one recording; None where the page is not built."""
    return _built("single.txt")


def lesson() -> str | None:
    """Return the template of the page that plays a lesson; None where the page is not built."""
    return _built("lesson.txt")


def _built(name: str) -> str | None:
    folder = page_folder()
    if folder is None:
        return None
    try:
        return (folder / name).read_text(encoding="utf-8")
    except OSError:
        return None


def script(name: str) -> str:
    """Return a script of this room, without the comment in its first line."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return text.split("\n", 1)[1]


# Any: what JSON can hold.
def literal(value: Any) -> str:
    """Return a value as JavaScript source that is safe inside a <script> element."""
    return json.dumps(value).replace("<", "\\u003c")
