"""Protects the access control as a whole: which requests are refused, and the headers that every answer has."""

from __future__ import annotations

import contextlib
import json
import socket
import time

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus


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


def test_clients_that_are_no_browser_are_served_without_an_origin(server):
    with server.connect("/api/run", origin=None):
        pass


def test_pages_of_other_servers_on_this_machine_are_refused(server):
    with (
        pytest.raises(InvalidStatus),
        server.connect("/api/run", origin=f"http://127.0.0.1:{server.port + 1}"),
    ):
        pass


def policy(answer) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in answer.headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in parts}


@pytest.mark.parametrize("path", ["/", "/assets/index-abc.js", "/api/health", "/api/nothing", "/assets/missing.js"])
def test_every_answer_has_the_security_headers(server, path):
    answer = server.http.get(path)
    headers = answer.headers
    assert policy(answer)["default-src"] == "'none'"
    assert policy(answer)["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "server" not in headers
    assert "strict-transport-security" not in headers


def test_refusals_have_the_security_headers_too(server):
    answer = server.http.get("/", headers={"host": "example.org"})
    assert answer.status_code == 403
    assert policy(answer)["default-src"] == "'none'"


def test_a_person_who_opens_a_wrong_name_gets_a_page(server):
    headers = {"host": "<script>alert(1)</script>.example", "accept": "text/html,*/*"}
    answer = server.http.get("/some/moment", headers=headers)
    assert answer.status_code == 403
    assert answer.headers["content-type"].startswith("text/html")
    assert "http://127.0.0.1" in answer.text
    assert "<script" not in answer.text
    assert f"'nonce-{answer.text.split('nonce=')[1].split(chr(34))[1]}'" in policy(answer)["style-src"]


def test_the_page_runs_its_own_scripts_and_nothing_else_anywhere_does(server):
    assert policy(server.http.get("/"))["script-src"] == "'self'"
    assert "script-src" not in policy(server.http.get("/api/examples"))


def test_answers_of_the_api_are_not_kept(server):
    assert server.http.get("/api/limits").headers["cache-control"] == "no-store"
    assert server.http.get("/api/nothing").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/api/examples", "/api/ops", "/api/lessons", "/api/lessons/01_graph"])
def test_what_is_the_same_for_everyone_is_fetched_again_only_when_it_changed(server, path):
    first = server.http.get(path)
    assert first.headers["cache-control"] == "private, no-cache"
    tag = first.headers["etag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        again = server.http.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = server.http.get(path, headers={"if-none-match": '"other"'})
    assert (other.status_code, other.json()) == (200, first.json())


def test_transport_security_is_promised_by_a_public_server_behind_tls(door):
    with door(public=True, proxy_hops=1) as server:
        plain, tls = (
            server.http.get("/", headers={"x-forwarded-proto": scheme}).headers for scheme in ("http", "https")
        )
    assert "strict-transport-security" not in plain
    assert int(tls["strict-transport-security"].removeprefix("max-age=")) > 86400 * 30


def test_a_page_behind_a_tls_proxy_is_served(new_server):
    name = "backscope.example.org"
    proxied = {"host": name, "origin": f"https://{name}", "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.1"}
    with new_server(public=True, proxy_hops=1, public_host=name) as server:
        assert server.http.post("/api/sessions", json={"source": ""}, headers=proxied).status_code == 201
        elsewhere = {**proxied, "origin": "https://example.org"}
        assert server.http.post("/api/sessions", json={"source": ""}, headers=elsewhere).status_code == 403
        renamed = {**proxied, "host": "example.org", "origin": "https://example.org"}
        assert server.http.post("/api/sessions", json={"source": ""}, headers=renamed).status_code == 403


def refused(answer) -> int:
    """Assert that an answer is a valid 429; return the seconds to wait."""
    assert answer.status_code == 429
    text = answer.json()["error"]["message"]
    assert text.endswith(".")
    assert policy(answer)["default-src"] == "'none'"
    return int(answer.headers["retry-after"])


def test_requests_are_counted_by_address(door):
    with door(address_requests=3, proxy_hops=1) as server:
        codes = [server.http.get("/api/health", headers={"x-forwarded-for": "192.0.2.1"}).status_code for _ in "1234"]
        assert codes == [200, 200, 200, 429]
        # Whatever it says of itself, and from wherever in its network: it is the same client.
        spoofed = {"x-forwarded-for": "198.51.100.1, 192.0.2.1"}
        assert 0 < refused(server.http.get("/api/health", headers=spoofed)) <= 20
        for last in range(3):
            server.http.get("/api/health", headers={"x-forwarded-for": f"2001:db8::{last}"})
        refused(server.http.get("/", headers={"x-forwarded-for": "2001:db8::ffff"}))
        assert server.http.get("/", headers={"x-forwarded-for": "2001:db8:0:1::1"}).status_code == 200


def test_starts_are_counted_by_address(new_server):
    with new_server(address_starts=2, proxy_hops=1) as server:

        def start(address: str) -> httpx.Response:
            return server.http.post("/api/sessions", json={"source": ""}, headers={"x-forwarded-for": address})

        assert [start("192.0.2.1").status_code for _ in "12"] == [201, 201]
        answer = start("192.0.2.1")
        assert 0 < refused(answer) <= 30
        assert "starts 2 programs a minute for one network address" in answer.json()["error"]["message"]
        assert start("192.0.2.2").status_code == 201
        headers = {**server.headers, "x-forwarded-for": "192.0.2.1"}
        with server.connect("/api/run", additional_headers=headers) as page:
            page.send('{"command":"run","source":""}')
            assert "starts 2 programs a minute" in closed(page, 4429)


def test_programs_at_once_are_counted_by_address_and_the_next_ones_wait(new_server):
    with new_server(address_programs=1, address_waiting=1, proxy_hops=1) as server:

        def start(address: str) -> httpx.Response:
            source = {"source": "while True: pass"}
            return server.http.post("/api/sessions", json=source, headers={"x-forwarded-for": address})

        def place(answer: httpx.Response) -> int | None:
            found: int | None = server.http.get(f"/api/sessions/{answer.json()['session']}").json().get("place")
            return found

        first, second = start("192.0.2.1"), start("192.0.2.1")
        assert [place(answer) for answer in (first, second, start("192.0.2.2"))] == [None, 1, None]
        assert refused(start("192.0.2.1")) == 10
        with server.connect("/api/run", additional_headers={**server.headers, "x-forwarded-for": "192.0.2.1"}) as page:
            page.send('{"command":"run","source":""}')
            assert json.loads(page.recv(timeout=120))["error"]["retry_after"] == 10
        server.http.post(f"/api/sessions/{first.json()['session']}/stop")
        assert place(second) is None
        assert start("192.0.2.1").status_code == 201


def closed(socket, code: int) -> str:
    """Assert that a WebSocket gets an error and is closed with this code; return the error."""
    while "error" not in (message := json.loads(socket.recv(timeout=120))):
        continue
    with pytest.raises(ConnectionClosed) as error:
        socket.recv(timeout=120)
    assert error.value.rcvd is not None
    assert error.value.rcvd.code == code
    text: str = message["error"]["message"]
    return text


def test_websockets_are_counted_by_address(door):
    with door(address_sockets=2) as server, contextlib.ExitStack() as sockets:
        first, _ = (sockets.enter_context(server.connect("/api/run")) for _ in "12")
        assert "2 connections from your address" in closed(sockets.enter_context(server.connect("/api/run")), 4429)
        first.close()
        until = time.monotonic() + 120
        while time.monotonic() < until:  # The server sees the end a moment later.
            with server.connect("/api/run") as again:
                again.send("no program")
                if "not valid" in json.loads(again.recv(timeout=120))["error"]["message"]:
                    return
        raise AssertionError("a closed connection still counts")


STAY = '{"command":"stay"}'
FLOODS = {
    "messages": lambda page: [page.send(STAY) for _ in range(400)],
    "pings": lambda page: [page.ping() for _ in range(400)],
    "fragments": lambda page: page.send(iter([STAY, *[" "] * 400])),
    "bytes": lambda page: [page.send(STAY + " " * 60_000) for _ in range(40)],
}


def test_a_flood_on_a_websocket_ends_it(new_server):
    with new_server(socket_messages=50, socket_bytes=1, source_bytes=10_000) as server:
        session = server.start("while True: pass")
        for flood in FLOODS.values():
            with server.connect(f"/api/sessions/{session}/events") as page:
                with contextlib.suppress(ConnectionClosed):
                    flood(page)
                assert "were sent" in closed(page, 4429)
        assert server.http.get(f"/api/sessions/{session}").json()["status"] == "running"


def test_a_socket_that_sends_no_program_is_closed(door):
    with door(request_seconds=0.3) as server, server.connect("/api/run") as page:
        assert "No program came" in closed(page, 4408)


def raw(server, data: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=120)
    connection.sendall(data)
    return connection


HEAD = "POST /api/sessions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n"


def test_headers_have_to_arrive_in_time(door):
    with door(request_seconds=0.5) as server:
        for begun in (b"", b"GET / HT", HEAD.format(server.token).encode()):
            with raw(server, begun) as connection:
                for _ in range(5):  # A byte now and then wins no time.
                    time.sleep(0.2)
                    with contextlib.suppress(OSError):
                        connection.send(b"x")
                with contextlib.suppress(ConnectionResetError):
                    assert connection.recv(100) == b""


def test_a_second_request_on_a_connection_has_the_same_time(door):
    with door(request_seconds=0.5) as server:
        get = b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n"
        with raw(server, get) as connection:
            answered = b""
            while not answered.endswith(b"}"):
                answered += connection.recv(10_000)
            assert answered.startswith(b"HTTP/1.1 200")
            connection.sendall(get[:20])
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(100) == b""


def test_a_body_has_to_arrive_in_time(door):
    with door(request_seconds=0.5) as server:
        head = HEAD.format(server.token) + "content-length: 100\r\n\r\n{"
        with raw(server, head.encode()) as connection:
            answer = connection.recv(10_000)
            assert answer.startswith(b"HTTP/1.1 408")
            assert b"connection: close" in answer.lower()


def test_the_unread_part_of_a_body_has_to_arrive_in_time_too(door):
    with door(request_seconds=0.5) as server:
        head = "GET /api/health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n"
        with raw(server, head.encode()) as connection:
            assert connection.recv(10_000).startswith(b"HTTP/1.1 200")
            with pytest.raises(ConnectionError):
                drip(connection, 500)


def drip(connection, count: int) -> None:
    """Send the body byte by byte, without end."""
    for _ in range(count):
        connection.sendall(b"x")
        time.sleep(0.01)


def test_a_body_that_is_too_large_is_refused_before_it_comes(server):
    head = HEAD.format(server.token) + "content-length: 99999999999\r\n\r\n"
    with raw(server, head.encode()) as connection:
        assert connection.recv(10_000).startswith(b"HTTP/1.1 413")


def test_connections_are_counted_by_address(door):
    with door(address_connections=3) as server, contextlib.ExitStack() as opened:
        for _ in range(6):
            opened.enter_context(raw(server, b""))
        with pytest.raises(httpx.TransportError):
            server.http.get("/api/health")
        opened.close()
        until = time.monotonic() + 120
        while time.monotonic() < until:
            with contextlib.suppress(httpx.TransportError):
                assert server.http.get("/api/health").status_code == 200
                return
        raise AssertionError("closed connections still count")
