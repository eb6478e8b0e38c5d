"""Protects a server on loopback from web pages: by Host against renamed addresses, by Origin against other sites."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers
from websockets.exceptions import InvalidStatus

from backscope_server.access import refusal

GOOD_HOSTS = [
    "localhost",
    "localhost:8000",
    "127.0.0.1:8000",
    "127.0.0.2",
    "[::1]:8000",
    "[::1]",
    "LOCALHOST:1",
    "localhost.",
]
BAD_HOSTS = [
    "", "example.org", "localhost.example.org", "127.0.0.1.example.org", "0.0.0.0", "10.0.0.1", "x@localhost",
    "localhost@example.org", "[::2]:80", "[", "localhost:port:1", "example.org#localhost", "example.org/localhost",
]  # fmt: skip
GOOD_ORIGINS = ["http://localhost:8000", "http://127.0.0.1:5173", "https://localhost", "http://[::1]:8000"]
BAD_ORIGINS = [
    "null", "", "http://example.org", "https://localhost.example.org", "file://", "http://127.0.0.1.example.org",
    "http://localhost@example.org", "ftp://localhost", "//localhost", "http://[",
]  # fmt: skip


def refused(host: str, origin: str | None = None) -> bool:
    return refusal(Headers({"host": host} | ({} if origin is None else {"origin": origin}))) is not None


def test_hosts():
    assert [host for host in GOOD_HOSTS if refused(host)] == []
    assert [host for host in BAD_HOSTS if not refused(host)] == []


def test_origins():
    assert [origin for origin in GOOD_ORIGINS if refused("localhost", origin)] == []
    assert [origin for origin in BAD_ORIGINS if not refused("localhost", origin)] == []


@pytest.mark.parametrize("headers", [{"host": "example.org"}, {"origin": "https://example.org"}, {"origin": "null"}])
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/api/health"), ("POST", "/api/sessions")])
def test_requests_from_elsewhere_are_refused(server, method, path, headers):
    answer = server.http.request(method, path, headers=headers, json={"source": ""} if method == "POST" else None)
    assert answer.status_code == 403
    assert answer.json()["error"]["message"].endswith(".")


@pytest.mark.parametrize("path", ["/api/run", "/api/sessions/x/events"])
@pytest.mark.parametrize("origin", ["https://example.org", "null"])
def test_websockets_from_elsewhere_are_refused(server, path, origin):
    with pytest.raises(InvalidStatus) as error, server.connect(path, origin=origin):
        pass
    assert error.value.response.status_code == 403


def test_websockets_of_the_page_itself_are_served(server):
    with server.connect("/api/run", origin=server.url):
        pass


@pytest.mark.parametrize("path", ["/", "/assets/index-abc.js", "/api/health", "/api/nothing"])
def test_every_answer_has_the_security_headers(server, path):
    headers = server.http.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert "server" not in headers
