"""The check of Host and Origin: any web page can send requests to 127.0.0.1, and can give its own name that address.

The Host header shows the second, the Origin header the first; browsers let every origin open a WebSocket.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from starlette.datastructures import Headers

from backscope_server.settings import is_loopback

_AUTHORITY = re.compile(
    r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63}){0,127}\.?)(?::([0-9]{1,5}))?", re.ASCII
)
_ORIGIN = re.compile(r"(https?)://(.{1,300})", re.ASCII)
PORTS = {"http": 80, "https": 443}
"""The ports of origins that name none."""


class Authority(NamedTuple):
    """A host in lower case, without brackets and final dot, and a port."""

    host: str
    port: int | None


def authority(text: str) -> Authority | None:
    """Parse the host and port of a Host header or an origin; return None for any other text."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        return None
    host, port = found[1].lower().removesuffix("."), int(found[2]) if found[2] else None
    if port is not None and port > 65535:
        return None
    if not host.startswith("["):
        return Authority(host, port)
    try:
        return Authority(str(ipaddress.IPv6Address(host[1:-1])), port)
    except ValueError:
        return None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class Origins:
    """The rule of a server: `names` that it answers to, and whether it is `public`.

    A request by IP address cannot come from a page with a forged name, so a public server accepts those.
    """

    def __init__(self, names: frozenset[str], *, public: bool) -> None:
        self.names = names
        self.public = public

    def _serves(self, host: str) -> bool:
        return host in self.names or is_loopback(host) or (self.public and _is_address(host))

    def refusal(self, headers: Headers, scheme: str, *, api: bool, shared: bool = False) -> str | None:
        """Return why a request with these headers is not served, None where it is.

        A browser sends the origin of every request that could change something and of every WebSocket; a request
        without one is from a program of the user's, or opens a page.  Every page may load paths that are `shared`.
        """
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        here = authority(hosts[0]) if len(hosts) == 1 else None
        if here is None or not self._serves(here.host):
            shown = ", ".join(hosts)[:100]
            return f"This server does not answer to the name {shown!r}. {self._instead()}"
        if origins and not shared and (len(origins) > 1 or not _is_same(origins[0], scheme, here)):
            return f"Requests from pages of {', '.join(origins)[:100]!r} are not served. Open Backscope's own page."
        if api and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "Requests from pages of other sites are not served. Open Backscope's own page."
        return None

    def _instead(self) -> str:
        if self.names:
            return f"Open it as {sorted(self.names)[0]}."
        if self.public:
            return "Open it by its address, or have its name set as BACKSCOPE_PUBLIC_HOST."
        return "Open it as http://127.0.0.1 with its port."


def _is_same(origin: str, scheme: str, here: Authority) -> bool:
    """Return whether an origin is that of this server's own page."""
    found = _ORIGIN.fullmatch(origin)
    there = authority(found[2]) if found else None
    if found is None or there is None or found[1] != scheme or there.host != here.host:
        return False
    default = PORTS[scheme]
    return (there.port or default) == (here.port or default)
