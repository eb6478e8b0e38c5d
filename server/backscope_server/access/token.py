"""The token that the API of a server on one's own machine requires, since other users of the machine reach its port.

The address that the server prints carries the token; the page's first request trades it for a cookie, and the token is
gone from the address bar.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from backscope_server.access.origin import authority

_TICKET_SECONDS = 120

WANTED = (
    "This server requires its token. Open the address that it printed when it started, which carries the token, "
    "or send the header `Authorization: Bearer TOKEN`."
)


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


class Token:
    """A secret, and the cookie in which a browser keeps it."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        # The cookie goes to every server on the same host name, whatever its port, so it does not hold the secret.
        self.cookie = hmac.new(secret.encode(), b"cookie", hashlib.sha256).hexdigest()
        self._tickets: dict[str, float] = {}

    def ticket(self) -> str:
        """Return a secret that opens the page once, for a browser's command line, which other users can read."""
        made = secrets.token_urlsafe(16)
        self._tickets[made] = time.monotonic() + _TICKET_SECONDS
        return made

    def admits(self, headers: Headers) -> bool:
        """Return whether a request carries the secret or the cookie."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and _is_same(given.strip(), self.secret):
            return True
        sent = (cookie_parser(value).get(cookie_name(headers), "") for value in headers.getlist("cookie"))
        return any(_is_same(value, self.cookie) for value in sent)

    def entry(self, scope: Scope, scheme: str) -> Response | None:
        """Return the redirect for a page opened with a token or ticket in its address: to the address without it.

        For an invalid one the address gets `refused=token` or `refused=ticket`, which the page reports.
        """
        fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [(name, value) for name, value in fields if name in ("token", "ticket")]
        if not given:
            return None
        opens = any(self._opens(value) for _, value in given)
        kept = [(name, value) for name, value in fields if name not in ("token", "ticket", "refused")]
        rest = urlencode(kept if opens else [*kept, ("refused", given[0][0])])
        # One slash: two would begin the name of another server.
        path = "/" + scope["path"].lstrip("/")
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        answer.headers["cache-control"] = "no-store"
        if opens:
            answer.set_cookie(
                cookie_name(Headers(scope=scope)),
                self.cookie,
                httponly=True,
                samesite="strict",
                secure=scheme == "https",
            )
        return answer

    def _opens(self, given: str) -> bool:
        if _is_same(given, self.secret):
            return True
        until = self._tickets.pop(given, None)
        return until is not None and time.monotonic() < until


def cookie_name(headers: Headers) -> str:
    """Return the cookie's name, with the port, since a browser sends cookies to every port of a host."""
    here = authority(headers.get("host", ""))
    return f"backscope-{here.port}" if here and here.port else "backscope"
