"""Decides from a request's headers whether it is for a frame in a page that may not show it.

A browser decides by the policy's `frame-ancestors`, and shows nothing of ours where it refuses. What is found here only
chooses the answer: a text that says who may show the frame in place of the page that the browser would block.
"""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

EMBED = "/embed"
"""The one page that others may show in a frame: it runs nothing before a click."""
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
_SECURE = {"http": "https", "ws": "wss"}
"""The schemes that an origin may have instead of the one that is named."""
_PORTS = {"http": 80, "https": 443}


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
    scheme, _, rest = source.partition(":")
    if page.scheme not in (scheme, _SECURE.get(scheme)):
        return False
    if not rest:
        return True
    host, _, port = rest.removeprefix("//").partition(":")
    name = (page.hostname or "").lower()
    named = name.endswith(host[1:].lower()) if host.startswith("*.") else name == host.lower()
    if port == "*":
        return named
    there = page.port or _PORTS.get(page.scheme)
    expected = {int(port)} if port else {_PORTS.get(scheme), _PORTS.get(page.scheme)}
    return named and there in expected
