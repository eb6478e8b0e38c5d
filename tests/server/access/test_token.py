"""Protects a server on a shared machine: the API needs the token, which the address gives once, then a cookie."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from backscope_server.access.token import Token


@pytest.fixture
def anonymous(server):
    """A client without the token."""
    with httpx.Client(base_url=server.url) as client:
        yield client


PROTECTED = [
    ("GET", "/api/examples"),
    ("GET", "/api/ops"),
    ("GET", "/api/limits"),
    ("GET", "/api/openapi.json"),
    ("POST", "/api/sessions"),
    ("GET", "/api/sessions/x"),
    ("DELETE", "/api/sessions/x"),
    ("POST", "/api/traces"),
    ("GET", "/api/nothing"),
    ("GET", "/api"),
]


@pytest.mark.parametrize(("method", "path"), PROTECTED)
def test_without_the_token_the_api_says_how_to_get_in(server, anonymous, method, path):
    answer = anonymous.request(method, path)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "Authorization: Bearer" in answer.json()["error"]["message"]
    assert server.http.request(method, path).status_code != 401


@pytest.mark.parametrize("path", ["/api/run", "/api/sessions/x/events"])
def test_a_websocket_without_the_token_gets_an_error_and_is_closed(server, path):
    with server.connect(path, additional_headers={}) as socket:
        assert "token" in json.loads(socket.recv(timeout=120))["error"]["message"]
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=120)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_the_page_and_the_health_need_none(anonymous):
    for path in ("/", "/assets/index-abc.js", "/api/health"):
        assert anonymous.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/api//examples", "//api/examples", "/api/../api/examples", "/API/examples"])
def test_other_spellings_of_a_path_need_the_token_too(anonymous, path):
    answer = anonymous.get(path)
    assert answer.status_code == 401 or b"<title>" in answer.content


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer wrong", "Basic x", "Bearer \u00e4", "token {}", "Bearer {}x", "{}"]
)
def test_a_wrong_token_is_refused(server, anonymous, header):
    given = header.format(server.token).encode("latin-1")
    assert anonymous.get("/api/limits", headers={"authorization": given}).status_code == 401


def test_the_header_suffices(server, anonymous):
    for kind in ("Bearer", "bearer"):
        headers = {"authorization": f"{kind} {server.token}"}
        assert anonymous.get("/api/limits", headers=headers).status_code == 200


def test_the_token_in_the_address_is_exchanged_for_a_cookie(server, anonymous):
    answer = anonymous.get(f"/some/moment?session=a%20b&token={server.token}&x=")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/some/moment?session=a+b&x="
    assert answer.headers["cache-control"] == "no-store"
    cookie = answer.headers["set-cookie"]
    assert server.token not in cookie
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert parts >= {"httponly", "samesite=strict", "path=/"}
    assert cookie.startswith(f"backscope-{server.port}=")
    assert anonymous.get("/api/limits").status_code == 200


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("token=", "refused=token"),
        ("token=wrong", "refused=token"),
        ("ticket=wrong&session=a", "session=a&refused=ticket"),
        ("token=a&ticket=b&refused=x", "refused=token"),
    ],
)
def test_a_wrong_token_in_the_address_is_removed_and_reported(anonymous, query, left):
    answer = anonymous.get(f"/?{query}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/?{left}")
    assert "set-cookie" not in answer.headers
    assert anonymous.get("/api/limits").status_code == 401


def test_a_ticket_opens_once(server, anonymous):
    ticket = server.app.state.token.ticket()
    assert "set-cookie" in anonymous.get(f"/?ticket={ticket}").headers
    assert "set-cookie" not in anonymous.get(f"/?ticket={ticket}").headers


@pytest.mark.parametrize("path", ["//example.org/", "/%2F/example.org", "/\\example.org"])
def test_the_redirect_stays_on_this_server(server, anonymous, path):
    answer = anonymous.get(f"{path}?token={server.token}")
    target = urlsplit(answer.headers["location"])
    assert (target.scheme, target.netloc) == ("", "")
    assert not answer.headers["location"].startswith(("//", "/\\"))


def test_behind_tls_the_cookie_is_secure():
    scope = {"query_string": b"token=abcdefgh", "path": "/", "headers": [(b"host", b"localhost:8000")]}
    assert "secure" in Token("abcdefgh").entry(scope, "https").headers["set-cookie"].lower()
    assert "secure" not in Token("abcdefgh").entry(scope, "http").headers["set-cookie"].lower()


def test_the_cookie_of_another_server_is_refused(server, anonymous):
    anonymous.cookies.set(f"backscope-{server.port}", Token("another secret").cookie)
    assert anonymous.get("/api/limits").status_code == 401


def test_no_token_is_required_when_it_is_off(door):
    with door(token="off") as server, httpx.Client(base_url=server.url) as client:
        assert server.token is None
        assert client.get("/api/limits").status_code == 200


def test_a_token_from_the_settings(door):
    with door(token="eight or more") as server:
        assert server.token == "eight or more"
