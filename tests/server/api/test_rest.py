"""Protects the REST API: its answers, and that bad input gets an error that says what to do."""

from __future__ import annotations

import gzip
import json

import pytest


def finished(server, source: str) -> str:
    session = server.start(source)
    server.follow(session)
    return session


def message(answer) -> str:
    body = answer.json()
    assert list(body) == ["error"]
    assert list(body["error"]) == ["message"]
    text: str = body["error"]["message"]
    assert text[0].isupper() or "/" in text.split()[0] or ":" in text.split()[0]
    assert text.endswith(".")
    return text


def test_health_limits_and_lists(server):
    assert server.http.get("/api/health").json()["status"] == "ok"
    limits = server.http.get("/api/limits").json()
    assert limits["wall_seconds"] == 120
    assert limits["source_bytes"] == 50_000
    assert isinstance(server.http.get("/api/examples").json(), list)
    assert {"name"} <= set(server.http.get("/api/ops").json()[0])


def test_a_session_runs_and_can_be_read_afterwards(server):
    session = finished(server, "print('hello')")
    answer = server.http.get(f"/api/sessions/{session}").json()
    assert answer == {"session": session, "status": "ok", "events": len(server.follow(session)[0])}


def test_filename_and_seed_are_passed_on(server):
    body = {"source": "def f(:\n", "filename": "mine.py", "seed": 7}
    events, _ = server.follow(server.http.post("/api/sessions", json=body).json()["session"])
    assert (events[0]["filename"], events[0]["seed"]) == ("mine.py", 7)


def test_stop_answers_when_it_is_over(server):
    session = server.start("while True: pass")
    assert server.http.post(f"/api/sessions/{session}/stop").json()["status"] == "stopped"
    assert server.http.post(f"/api/sessions/{session}/stop").json()["status"] == "stopped"


def test_delete_stops_and_removes(server):
    session = server.start("while True: pass")
    assert server.http.delete(f"/api/sessions/{session}").status_code == 204
    assert server.http.get(f"/api/sessions/{session}").status_code == 404
    assert server.http.delete(f"/api/sessions/{session}").status_code == 404


def test_more_programs_than_may_run_are_refused(new_server):
    with new_server(running=1, waiting=0) as server:
        session = server.start("while True: pass")
        answer = server.http.post("/api/sessions", json={"source": ""})
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        assert "a program is running" in message(answer)
        server.http.post(f"/api/sessions/{session}/stop")
        assert server.http.post("/api/sessions", json={"source": ""}).status_code == 201


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b"", 422, "not valid"),
        (b"{", 422, "not valid"),
        (b"[]", 422, "not valid"),
        (b"\xff\xfe", 422, "not valid"),
        (b"{}", 422, "source: Field required"),
        (b'{"source": 1}', 422, "source"),
        (b'{"source": "", "extra": 1}', 422, "extra"),
        (b'{"source": "", "seed": -1}', 422, "seed"),
        (b'{"source": "", "seed": 1e400}', 422, "seed"),
        (b'{"source": "", "seed": 99999999999999999999999}', 422, "seed"),
        (b'{"source": "", "filename": "../../etc/passwd"}', 422, "filename"),
        (b'{"source": "", "filename": "a\\nb"}', 422, "filename"),
        (b'{"source": "\\ud800"}', 422, "not valid"),
        (b"[" * 100_000, 422, "not valid"),
        (json.dumps({"source": "x" * 50_001}).encode(), 413, "50,001 bytes"),
        (b"x" * 1_000_000, 413, "larger than"),
    ],
)
def test_a_bad_program_is_refused_with_its_reason(server, body, status, text):
    answer = server.http.post("/api/sessions", content=body)
    assert answer.status_code == status
    assert text.lower() in message(answer).lower()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api", 404),
        ("GET", "/api/", 404),
        ("GET", "/api/nothing", 404),
        ("POST", "/api/nothing/at/all", 404),
        ("GET", "/api/sessions", 405),
        ("GET", "/api/sessions/unknown", 404),
        ("POST", "/api/sessions/unknown/stop", 404),
        ("DELETE", "/api/sessions/unknown", 404),
        ("GET", "/api/sessions/unknown/trace", 404),
        ("GET", "/api/sessions/" + "x" * 2000, 404),
        ("GET", "/api/sessions/%00%ff", 404),
        ("GET", "/api/sessions/x/events", 404),
        ("PUT", "/api/health", 405),
        ("OPTIONS", "/api/health", 405),
    ],
)
def test_an_unknown_path_is_an_error_in_json(server, method, path, status):
    answer = server.http.request(method, path)
    assert answer.status_code == status
    message(answer)


def test_a_trace_goes_out_and_comes_back_the_same(server):
    session = finished(server, "print('recorded')")
    answer = server.http.get(f"/api/sessions/{session}/trace")
    assert f"{session}.backscope" in answer.headers["content-disposition"]
    again = server.http.post("/api/traces", content=answer.content)
    assert again.status_code == 201
    copy = again.json()["session"]
    assert server.follow(copy) == server.follow(session)
    assert server.http.get(f"/api/sessions/{copy}").json()["status"] == "ok"
    again = server.http.get(f"/api/sessions/{copy}/trace")
    assert gzip.decompress(again.content) == gzip.decompress(answer.content)


def test_the_trace_of_a_running_program_has_to_wait(server):
    session = server.start("while True: pass")
    answer = server.http.get(f"/api/sessions/{session}/trace")
    assert answer.status_code == 409
    assert "still running" in message(answer)
    server.http.delete(f"/api/sessions/{session}")


HEADER = b'{"backscope_trace":1,"protocol":1}\n'


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"not a trace", 422),
        (gzip.compress(b""), 422),
        (gzip.compress(b"hello\n"), 422),
        (gzip.compress(HEADER), 422),
        (gzip.compress(HEADER + b"{}\n"), 422),
        (gzip.compress(HEADER + b'{"kind":"program_finished","seq":0,"line":null,"status":"ok"}\n'), 422),
        (gzip.compress(HEADER)[:-6], 422),
        (gzip.compress(HEADER + b"x" * 50_000_000), 422),
        (b"x" * 2_000_000, 413),
    ],
)
def test_a_bad_trace_is_refused_with_its_reason(server, content, status):
    answer = server.http.post("/api/traces", content=content)
    assert answer.status_code == status
    message(answer)
