"""Protects against DNS rebinding and pages of other sites: only exact names and the page's own origin are accepted."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from backscope_server.access.origin import Authority, Origins, authority

LOCAL = Origins(frozenset(), public=False)
PUBLIC = Origins(frozenset({"backscope.example.org"}), public=True)

GOOD_HOSTS = [
    "localhost", "localhost:8000", "127.0.0.1:8000", "127.0.0.2", "[::1]:8000", "[::1]", "LOCALHOST:1", "localhost.",
    "LocalHost.:8000", "[0:0:0:0:0:0:0:1]:80",
]  # fmt: skip
BAD_HOSTS = [
    "", "example.org", "localhost.example.org", "127.0.0.1.example.org", "0.0.0.0", "10.0.0.1", "x@localhost",
    "localhost@example.org", "[::2]:80", "[", "localhost:port:1", "example.org#localhost", "example.org/localhost",
    "localhost..", ".localhost", "localhost:", "localhost:99999", "localhost:-1", "localhost :80", "127.1",
    "2130706433", "[::1", "::1", "[::1]x", "local\u0131ost", "localhost,example.org", "[::ffff:10.0.0.1]",
]  # fmt: skip


def headers(host: str, *origins: str, **more: str) -> Headers:
    raw = [("host", host), *(("origin", origin) for origin in origins)]
    raw += [(name.replace("_", "-"), value) for name, value in more.items()]
    return Headers(raw=[(name.encode(), value.encode("utf-8")) for name, value in raw])


def refused(host: str, *origins: str, rule: Origins = LOCAL, scheme: str = "http", **more: str) -> bool:
    return rule.refusal(headers(host, *origins, **more), scheme, api=True) is not None


def test_hosts():
    assert [host for host in GOOD_HOSTS if refused(host)] == []
    assert [host for host in BAD_HOSTS if not refused(host)] == []


def test_a_host_is_given_once():
    twice = Headers(raw=[(b"host", b"localhost"), (b"host", b"localhost")])
    assert LOCAL.refusal(twice, "http", api=True) is not None
    assert LOCAL.refusal(Headers(raw=[]), "http", api=True) is not None


def test_names_are_read_as_browsers_write_them():
    assert authority("EXAMPLE.org.:8443") == Authority("example.org", 8443)
    assert authority("[FE80:0::1]") == Authority("fe80::1", None)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:8000", "http://localhost:8000"),
        ("LOCALHOST:8000", "http://localhost:8000"),
        ("localhost.:8000", "http://localhost.:8000"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("127.0.0.1:80", "http://127.0.0.1"),
        ("[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_the_pages_own_origin_is_served(host, origin):
    assert not refused(host, origin)


@pytest.mark.parametrize(
    "origin",
    [
        "null", "", "http://example.org", "https://localhost.example.org", "file://", "http://127.0.0.1.example.org",
        "http://localhost@example.org", "ftp://localhost:8000", "//localhost:8000", "http://[",
        # Another server on the same machine is another origin.
        "http://localhost:9000", "http://localhost", "http://127.0.0.1:8000", "https://localhost:8000",
        "http://localhost:8000/", "http://localhost:8000.example.org", "chrome-extension://abc",
    ],
)  # fmt: skip
def test_other_origins_are_refused(origin):
    assert refused("localhost:8000", origin)


def test_two_origins_are_refused():
    assert refused("localhost", "http://localhost", "http://localhost")


def test_requests_without_an_origin_are_served_as_from_a_program():
    assert not refused("localhost")


@pytest.mark.parametrize(("site", "served"), [("same-origin", 1), ("none", 1), ("same-site", 0), ("cross-site", 0)])
def test_requests_of_browsers_without_an_origin_are_judged_by_their_site(site, served):
    assert refused("localhost", sec_fetch_site=site) is not bool(served)
    # The page itself may be opened from anywhere.
    assert LOCAL.refusal(headers("localhost", sec_fetch_site=site), "http", api=False) is None


def test_a_public_server_answers_to_its_name_and_to_addresses():
    served = ["backscope.example.org", "Backscope.Example.ORG.", "192.0.2.7:8000", "[2001:db8::1]", "localhost"]
    assert [host for host in served if refused(host, rule=PUBLIC)] == []
    others = ["example.org", "www.backscope.example.org", "backscope.example.org.evil.example"]
    assert [host for host in others if not refused(host, rule=PUBLIC)] == []


def test_behind_tls_the_origin_is_https():
    host = "backscope.example.org"
    assert not refused(host, f"https://{host}", rule=PUBLIC, scheme="https")
    assert not refused(f"{host}:443", f"https://{host}", rule=PUBLIC, scheme="https")
    assert refused(host, f"http://{host}", rule=PUBLIC, scheme="https")
    assert refused(host, f"https://{host}", rule=PUBLIC, scheme="http")


def test_a_refusal_says_how_to_open_it_instead():
    def said(rule: Origins) -> str:
        return rule.refusal(headers("example.com"), "http", api=False) or ""

    assert "http://127.0.0.1" in said(LOCAL)
    assert "backscope.example.org" in said(PUBLIC)
    assert "BACKSCOPE_PUBLIC_HOST" in said(Origins(frozenset(), public=True))
