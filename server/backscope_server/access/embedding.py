"""Decides from a request's headers whether it is for a frame in a page that may not show it.

A browser decides by the policy's `frame-ancestors`, and shows nothing of ours where it refuses. What is found here only
chooses the answer: a text that says who may show the frame in place of the page that the browser would block.
"""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from backscope_server.access.origin import PORTS
from backscope_server.settings import ANCESTOR

EMBED = "/embed"
"""The one page that others may show in a frame: it runs nothing before a click."""
_SECURE = {"http": "https"}
"""The scheme that a page may have instead of the one that is named."""
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})


def is_refused(scope: Scope, embed_from: str) -> bool:
    """Return whether a request is for a frame in a page that may not show it, as far as the request says so.

    Browsers name the embedding page in Referer, unless that page forbids it; then they alone know.
    """
    headers = Headers(raw=scope.get("headers", []))
    if headers.get("sec-fetch-dest") not in _FRAMES:
        return False
    if scope["path"] != EMBED or not embed_from:
        return True
    page = embedder(headers)
    return page is not None and not any(_names(source, page) for source in embed_from.split())


def embedder(headers: Headers) -> SplitResult | None:
    """Return the address of the page that a request for a frame comes from; None where it is not known."""
    try:
        page = urlsplit(headers.get("referer", ""))
        known = page.scheme != "" and page.hostname is not None and (page.port is None or page.port > 0)
    except ValueError:
        return None
    return page if known else None


def _names(source: str, page: SplitResult) -> bool:
    """Return whether a source of `frame-ancestors` names the origin of a page.

    Source: Content Security Policy Level 3, "Does url match expression in origin".
    """
    if source == "*":
        return True
    found = ANCESTOR.fullmatch(source)
    if found is None or page.scheme not in (found["scheme"], _SECURE.get(found["scheme"])):
        return False
    host, port = found["host"], found["port"]
    if host is None:
        return True
    name = page.hostname or ""
    if not (name.endswith(host[1:].lower()) if host.startswith("*.") else name == host.lower()):
        return False
    default = PORTS.get(page.scheme)
    return port == "*" or (page.port or default) == (default if port is None else int(port))
