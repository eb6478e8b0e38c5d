"""Chooses the security headers of an answer by its route: content security policy, framing, caching."""

from __future__ import annotations

from typing import NamedTuple

from starlette.types import Scope

from backscope_server.access.embedding import EMBED, is_refused

_SAME_FOR_ALL = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "origin-agent-cluster": "?1",
    "permissions-policy": (
        "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(self), "
        "geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=(), "
        "screen-wake-lock=(), xr-spatial-tracking=(), clipboard-write=(self)"
    ),
}
_HSTS = "max-age=31536000"

# Neither scripts nor styles may be inline.  The code editor makes its style sheet at run time, with the page's nonce.
# Trusted types: text becomes markup only where the page's framework clones its own templates, and the one worker that
# is started is the page's own.
_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self' {nonce}; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html backscope-worker"
)
_SHARED = {"cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "*"}
_DATA = "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox"


class Policy(NamedTuple):
    """The rules of a route: its content security policy, which pages may frame it, and how long it may be cached.

    `frame` is None if any page may; `cache` is None if the route itself sets it; `shared` allows pages of other origins
    to load it.
    """

    content: str
    frame: str | None
    cache: str | None
    shared: bool = False

    def headers(self, nonce: str, *, strict_transport: bool) -> list[tuple[bytes, bytes]]:
        """Return the headers of an answer under this policy."""
        content = self.content.format(nonce=f"'nonce-{nonce}'")
        if self.frame is not None:
            content = f"{content}; frame-ancestors {self.frame}"
        found = {"content-security-policy": content, **_SAME_FOR_ALL}
        if self.shared:
            found.update(_SHARED)
        if self.frame == "'none'":
            found["x-frame-options"] = "DENY"
        if self.cache is not None:
            found["cache-control"] = self.cache
        if strict_transport:
            found["strict-transport-security"] = _HSTS
        return [(name.encode(), value.encode()) for name, value in found.items()]


ELEMENT = "/backscope-run.js"
"""The element that makes such a frame, for a page that wants one."""

REFUSED_FRAME = Policy("default-src 'none'; style-src {nonce}; base-uri 'none'; form-action 'none'", None, "no-store")
"""For the text in a frame that may not be shown: it has no scripts and nothing to click but a link to a new tab."""
_CHECKED = "private, no-cache"
"""A browser may keep the answer, and asks each time whether it is still the same."""

_ROUTES: tuple[tuple[str, Policy], ...] = (
    ("/api/examples", Policy(_DATA, "'none'", _CHECKED)),
    ("/api/lessons", Policy(_DATA, "'none'", _CHECKED)),
    ("/api/lectures/kept/", Policy(_DATA, "'none'", _CHECKED)),
    ("/api/ops", Policy(_DATA, "'none'", _CHECKED)),
    ("/api", Policy(_DATA, "'none'", "no-store")),
    ("/", Policy(_PAGE, "'none'", None)),
)


def is_under(path: str, route: str) -> bool:
    """Return whether a path is a route or below it."""
    return path == route or path.startswith(route.rstrip("/") + "/")


def policy_of(scope: Scope, embed_from: str = "") -> Policy:
    """Return the policy of the route of a request; `embed_from` names the pages that may frame the embedded view."""
    if not is_under(scope["path"], "/api") and is_refused(scope, embed_from):
        return REFUSED_FRAME
    if embed_from and scope["path"] == EMBED:
        return Policy(_PAGE, embed_from, None, shared=True)
    if embed_from and scope["path"] == ELEMENT:
        return Policy(_DATA, "'none'", None, shared=True)
    return next(policy for route, policy in _ROUTES if is_under(scope["path"], route) or route == "/")
