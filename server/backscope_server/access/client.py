"""Finds the client of a request behind proxies: the address that limits are counted by, and the scheme it used."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import Scope

NO_ADDRESS = "local"
"""The address of a client on a socket without addresses."""

_PLAIN = {"ws": "http", "wss": "https"}


class Client(NamedTuple):
    """The client that requests are counted for: `address` is an IPv4 address or the first half of an IPv6 address."""

    address: str
    scheme: str


def group(address: str) -> str | None:
    """Return the address that limits are counted by; None if the text is not an address.

    The owner of one IPv6 address usually has all 2**64 with the same first half.
    """
    text = address.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False))


def _said(headers: Headers, name: str) -> list[str]:
    return [part.strip() for value in headers.getlist(name) for part in value.split(",")]


def client_of(scope: Scope, hops: int) -> Client:
    """Return the client of a request that came through `hops` proxies of the server's owner.

    Each proxy appends the address that it was called from, so the last `hops` entries are true; the client may have
    written those before.
    """
    peer = scope.get("client")
    address = (group(peer[0]) if peer else None) or NO_ADDRESS
    scheme = _PLAIN.get(scope["scheme"]) or str(scope["scheme"])
    if hops == 0:
        return Client(address, scheme)
    headers = Headers(scope=scope)
    if seen := _said(headers, "x-forwarded-for"):
        address = group(seen[-min(hops, len(seen))]) or address
    if schemes := _said(headers, "x-forwarded-proto"):
        outer = schemes[-min(hops, len(schemes))].lower()
        scheme = outer if outer in ("http", "https") else scheme
    return Client(address, scheme)
