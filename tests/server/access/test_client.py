"""Protects the address that limits are counted by: no client chooses its own; half an IPv6 address is one client."""

from __future__ import annotations

import pytest

from backscope_server.access.client import client_of, group


def found(hops: int, peer: str | None = "10.0.0.9", scheme: str = "http", **headers: str | list[str]):
    raw = [
        (name.replace("_", "-").encode(), value.encode())
        for name, values in headers.items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    scope = {"type": "http", "scheme": scheme, "client": (peer, 5) if peer else None, "headers": raw}
    return client_of(scope, hops)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:5000", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unknown", None),
        ("", None),
        ("999.1.1.1", None),
    ],
)
def test_addresses_are_grouped(address, expected):
    assert group(address) == expected


def test_without_proxies_their_headers_are_ignored():
    assert found(0, x_forwarded_for="1.2.3.4", x_forwarded_proto="https") == ("10.0.0.9", "http")


@pytest.mark.parametrize(
    ("hops", "chain", "expected"),
    [
        (1, "1.2.3.4", "1.2.3.4"),
        (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "6.6.6.6, 1.2.3.4, 10.0.0.8", "1.2.3.4"),
        (2, "1.2.3.4", "1.2.3.4"),
        (1, ["6.6.6.6", "1.2.3.4"], "1.2.3.4"),
        (1, "1.2.3.4, nonsense", "10.0.0.9"),
        (1, "", "10.0.0.9"),
    ],
)
def test_the_client_is_the_one_that_the_outermost_trusted_proxy_names(hops, chain, expected):
    assert found(hops, x_forwarded_for=chain).address == expected


def test_the_scheme_is_that_of_the_outermost_trusted_proxy():
    assert found(1, x_forwarded_proto="https").scheme == "https"
    assert found(1, x_forwarded_proto="http, HTTPS").scheme == "https"
    assert found(2, x_forwarded_proto="https, http").scheme == "https"
    assert found(1, x_forwarded_proto="gopher").scheme == "http"
    assert found(1, scheme="wss").scheme == "https"


def test_a_socket_without_addresses_is_one_client():
    assert found(0, peer=None).address == found(0, peer="").address == "local"
