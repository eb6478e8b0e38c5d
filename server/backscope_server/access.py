"""Who may talk to the server: requests to a loopback name, from pages of a loopback name or from no page at all.

A web page anywhere can send requests to 127.0.0.1, and can give its own name that address.  The Host header shows the
second, the Origin header the first; a WebSocket accepts every origin unless somebody checks.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from backscope_server.errors import error_response
from backscope_server.settings import is_loopback

_HEADERS = {
    # Styles may be inline: the code editor makes its style sheet at run time.  Scripts may not.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]


def _is_loopback(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # Raises for what is not a port.
    except ValueError:
        return False
    return parts.hostname is not None and "@" not in parts.netloc and is_loopback(parts.hostname)


def _origin_is_loopback(origin: str) -> bool:
    return origin.startswith(("http://", "https://")) and _is_loopback(origin)


def refusal(headers: Headers) -> str | None:
    """Why a request with these headers is not served, None where it is."""
    host = headers.get("host", "")
    if not _is_loopback(f"//{host}"):
        return (
            f"This server answers to localhost only, not to {host[:100]!r}. Open it as http://127.0.0.1 with its port."
        )
    origin = headers.get("origin")
    if origin is not None and not _origin_is_loopback(origin):
        return f"Requests from pages of {origin[:100]!r} are not served. Open Backscope's own page."
    return None


class Access:
    """Refuses what is not from this machine, and puts the security headers on every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 403."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        reason = refusal(Headers(scope=scope))
        if scope["type"] == "websocket":
            if reason is None:
                await self.app(scope, receive, send)
            else:  # Before it is accepted: the client sees HTTP 403.
                await WebSocketClose(code=1008, reason="Host or Origin refused")(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_RAW_HEADERS]
            await send(message)

        if reason is None:
            await self.app(scope, receive, send_with_headers)
        else:
            await error_response(403, reason)(scope, receive, send_with_headers)
