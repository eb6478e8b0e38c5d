"""Fills the templates of pages that are one HTML file, which the page's build makes."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Iterable
from typing import Any

_PLACE = re.compile("BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)")


def put_in(template: str, *, title: str, nonce: str, about: dict[str, Any], traces: Iterable[bytes]) -> str:
    """Return a template with a title, facts as JSON, and traces in it.

    Text of the program or its author is in the page as base64, except the title, so that none of it is markup.
    """
    parts = {
        "TITLE": html.escape(f"{title} – Backscope"),
        "NONCE": nonce,
        "ABOUT": base64.b64encode(gzip.compress(json.dumps(about).encode(), mtime=0)).decode(),
        "RECORDING": "\n".join(base64.b64encode(trace).decode() for trace in traces),
    }
    return _PLACE.sub(lambda found: parts[found[1]], template)
