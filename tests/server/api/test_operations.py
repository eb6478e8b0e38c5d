"""Protects what those who run a server see and decide: metrics, health, the switch, the pages about the server."""

from __future__ import annotations

import json
import re
import socket

import httpx
import pytest

from backscope_server.operations import metrics


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture(scope="module")
def operated(new_server, tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("operations"), free_port()
    given = {"closed_file": str(folder / "closed"), "deny_file": str(folder / "denied"), "pages_folder": str(folder)}
    with new_server(cache=True, metrics_port=port, output_bytes=10_000, **given) as server:
        yield server, folder, f"http://127.0.0.1:{port}"


def numbers(base):
    """Return the metrics by their names with labels, and check the format of each line."""
    found = {}
    for line in httpx.get(f"{base}/metrics").text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))", line)
            continue
        name, value = re.fullmatch(r'(\w+(?:\{\w+="[^"]*"\})?) (\S+)', line).groups()
        found[name] = float(value)
    return found


def test_metrics_count_starts_times_and_answers_from_earlier_runs(operated):
    server, _, base = operated
    before = numbers(base)
    source = "print('measured')"
    server.follow(server.start(source))
    server.follow(server.start(source))
    after = numbers(base)

    def more(name):
        return after.get(name, 0) - before.get(name, 0)

    assert more('backscope_starts_total{answered="run"}') == 1
    assert more('backscope_starts_total{answered="earlier"}') == 1
    assert more("backscope_run_seconds_count") == 1
    assert more("backscope_first_event_seconds_count") == 1
    assert {"backscope_waiting", "backscope_running", "backscope_paused", "backscope_ready"} <= after.keys()
    assert after["backscope_kept_bytes"] > 0
    queues = {name for name in after if name.startswith("backscope_queue_bytes")}
    assert queues == {f'backscope_queue_bytes{{queue="{name}"}}' for name in ("arriving", "unread")}
    names = {name.removeprefix("backscope_") for name in after if "{" not in name and "_seconds" not in name}
    assert names <= metrics.GAUGES.keys()


def test_metrics_count_connections_and_sockets(operated):
    server, _, base = operated
    before = numbers(base)
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": "print(1)", "pause": True}))
        socket.recv(timeout=60)
        during = numbers(base)
        socket.send(json.dumps({"command": "stop"}))
    assert during["backscope_sockets"] == before["backscope_sockets"] + 1
    assert during["backscope_connections"] >= before["backscope_connections"] + 1
    assert during["backscope_running"] == before["backscope_running"] + 1


def test_metrics_count_what_ends_programs_that_leave_their_bounds(operated):
    server, _, base = operated
    error, name = 'backscope_contained_total{error="OutputLimitExceeded"}', 'backscope_kills_total{layer="server"}'
    before = numbers(base)
    server.follow(server.start("print('x' * 20_000)"))
    after = numbers(base)
    assert [after[one] - before.get(one, 0) for one in (error, name)] == [1, 1]
    server.follow(server.start("raise ValueError"))
    assert numbers(base)[error] == after[error]


def test_health_is_on_the_port_too_and_nothing_else(operated):
    server, _, base = operated
    assert (httpx.get(f"{base}/ready").status_code, httpx.get(f"{base}/live").text) == (200, "alive\n")
    assert httpx.get(f"{base}/api/health").status_code == 404
    assert httpx.post(f"{base}/metrics").status_code == 405
    assert "backscope_" not in server.http.get("/metrics").text


def test_a_closed_server_plays_recordings_and_starts_nothing(operated):
    server, folder, base = operated
    session = server.start("print('before')")
    log, _ = server.follow(session)
    (folder / "closed").write_text("Closed for the night.")
    try:
        answer = server.http.post("/api/sessions", json={"source": "print('new')"})
        assert (answer.status_code, answer.json()["error"]["message"]) == (503, "Closed for the night.")
        assert 'backscope_refused_total{status="503"}' in numbers(base)
        assert server.follow(session)[0] == log
        trace = server.http.get(f"/api/sessions/{session}/trace").content
        opened = server.http.post("/api/traces", content=trace).json()["session"]
        assert server.follow(opened)[0] == log
    finally:
        (folder / "closed").unlink()
    assert server.http.post("/api/sessions", json={"source": "print('new')"}).status_code == 201


def test_denied_addresses_are_refused(operated):
    server, folder, base = operated
    (folder / "denied").write_text("127.0.0.0/8\n")
    try:
        assert server.http.get("/api/examples").status_code == 403
        assert httpx.get(f"{base}/live").status_code == 200
    finally:
        (folder / "denied").unlink()
    assert server.http.get("/api/examples").status_code == 200


def test_the_pages_about_a_server_can_be_replaced(operated):
    server, folder, _ = operated
    assert "network address" in server.http.get("/privacy").text
    assert "sandbox" in server.http.get("/terms").text
    (folder / "terms.html").write_text("<!doctype html><title>Ours</title>Be kind.")
    assert "Be kind." in server.http.get("/terms").text
    assert "network address" in server.http.get("/privacy").text
    (folder / "privacy.html").write_bytes(b"\xff\xfe no UTF-8")
    assert "network address" in server.http.get("/privacy").text
