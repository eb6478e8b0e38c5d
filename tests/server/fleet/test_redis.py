"""Protects what happens when Redis is stopped, full or loses its data, and how a fleet logs in to it."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading

import httpx
import pytest
from fleet_processes import until
from redis_server import RedisServer, free_port

from backscope_server.command import cli
from backscope_server.fleet.keys import Keys

SOURCE = """\
import torch
w = torch.ones(4, requires_grad=True)
for step in range(120):
    (w * step).sum().backward()
    w.grad.zero_()
    sum(range(50_000))
"""


def following(server, session):
    """Follow a session in a thread; return the thread, and where its events and its end come."""
    found = {"events": [], "end": None}

    def follow():
        with server.connect(f"/api/sessions/{session}/events") as socket:
            while "end" not in (message := json.loads(socket.recv(timeout=120))):
                found["events"] += message.get("events", ())
        found["end"] = message

    thread = threading.Thread(target=follow)
    thread.start()
    return thread, found


@pytest.mark.parametrize("kill", [False, True])
def test_a_redis_that_comes_back_with_its_data_costs_nothing(durable_redis, fleet_on, new_server, kill):
    with fleet_on(durable_redis.url) as server:
        session = server.start(SOURCE)
        thread, found = following(server, session)
        until(lambda: len(found["events"]) > 100)
        durable_redis.stop(kill=kill)
        durable_redis.start()
        thread.join(120)
        again, _ = server.follow(session)
    with new_server() as embedded:
        expected, _ = embedded.follow(embedded.start(SOURCE))
    assert found["events"] == expected
    assert again == expected


def test_a_redis_that_comes_back_empty_ends_runs_with_a_clear_error(redis, fleet_on):
    with fleet_on(redis.url) as server:
        session = server.start(SOURCE.replace("120", "3000"))
        thread, found = following(server, session)
        until(lambda: len(found["events"]) > 100)
        redis.stop()
        redis.start()
        thread.join(120)
        error, last = found["events"][-2:]
        assert [event["seq"] for event in found["events"]] == list(range(len(found["events"])))
        assert (last["kind"], last["status"], error["type"]) == ("program_finished", "limit", "ServerStopped")
        assert "restarted without its data" in error["message"]
        # The next program runs as ever.
        until(lambda: server.http.post("/api/sessions", json={"source": "print(1)"}).status_code == 201)
        session = server.start("print(1)")
        assert server.follow(session)[0][-1]["status"] == "ok"


def test_without_redis_starts_are_refused_and_what_is_here_is_read(redis, fleet_on):
    port = free_port()

    def ready():
        return httpx.get(f"http://127.0.0.1:{port}/ready").status_code

    with fleet_on(redis.url, metrics_port=port) as server:
        assert ready() == 200
        session = server.start("print(1)")
        events, _ = server.follow(session)
        redis.stop()
        assert server.http.post("/api/sessions", json={"source": "print(1)"}).status_code == 503
        assert server.follow(session)[0] == events
        assert server.http.get("/api/health").status_code == 200
        until(lambda: ready() == 503)
        redis.start()
        until(lambda: ready() == 200)


def test_a_full_redis_refuses_new_runs_first(tmp_path, fleet_on):
    source = "for i in range(1000):\n    print(str(i % 10) * 20_000)\nwhile True: pass\n"
    room = {"output_bytes": 64 << 20, "log_bytes": 64 << 20, "unwatched_seconds": 600}
    with RedisServer(tmp_path, "--maxmemory", "24mb") as redis, fleet_on(redis.url, **room) as server:

        def start():
            return server.http.post("/api/sessions", json={"source": "print(1)"})

        def state():
            return server.http.get(f"/api/sessions/{running}").json()

        running = server.start(source)
        until(lambda: state()["events"] > 1990)
        until(lambda: start().status_code == 503)
        assert "store is full" in start().json()["error"]["message"]
        assert state()["status"] == "running"
        server.http.post(f"/api/sessions/{running}/stop")
        until(lambda: start().status_code == 201)  # The oldest finished runs made room.


def test_runs_expire_and_leave_nothing(redis, fleet_on):
    with fleet_on(redis.url, fleet_kept_seconds=1) as server:
        session = server.start("print(1)")
        until(lambda: server.http.get(f"/api/sessions/{session}").status_code == 404)

    def names() -> str:
        command = ["redis-cli", "-p", str(redis.port), "--scan"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    until(lambda: session not in names())  # That somebody has read it is known for some seconds more.


def certificates(folder):
    """Make an authority and a certificate for this machine."""
    for command in (
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca",
        "req -newkey rsa:2048 -nodes -keyout redis.key -out redis.csr -subj /CN=127.0.0.1",
        "x509 -req -in redis.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out redis.crt -days 2 -extfile names",
    ):
        (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make certificates")
def test_tls_and_a_password(tmp_path, fleet_on):
    certificates(tmp_path)
    port = free_port()
    tls = ["--tls-port", str(port), "--tls-cert-file", "redis.crt", "--tls-key-file", "redis.key"]
    redis = RedisServer(tmp_path, *tls, "--tls-ca-cert-file", "ca.crt", "--requirepass", "a long secret")
    given = {
        "fleet_password": "a long secret",
        "fleet_ca": str(tmp_path / "ca.crt"),
        "fleet_certificate": str(tmp_path / "redis.crt"),
        "fleet_key": str(tmp_path / "redis.key"),
    }
    with redis, fleet_on(f"rediss://127.0.0.1:{port}/0", **given) as server:
        assert server.follow(server.start("print(1)"))[0][-1]["status"] == "ok"


def test_a_wrong_password_is_said_without_it(tmp_path, fleet_on):
    with RedisServer(tmp_path, "--requirepass", "right") as redis:
        wrong = fleet_on(redis.url, fleet_password="secret")
        with pytest.raises(RuntimeError, match="refuses this server") as said, wrong:
            pass
    assert "secret" not in str(said.value)


def test_a_redis_that_is_not_there_is_said(fleet_on, capsys, monkeypatch):
    nowhere = fleet_on(f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(RuntimeError, match=r"The fleet's Redis cannot be reached: .+\."), nowhere:
        pass
    monkeypatch.delenv("BACKSCOPE_FLEET", raising=False)
    assert cli.main(["worker", "--port", "0"]) == 2
    assert "backscope worker redis://HOST:PORT" in capsys.readouterr().err
    assert cli.main(["worker", "http://127.0.0.1"]) == 2
    assert "begins with redis://" in capsys.readouterr().err


def test_programs_of_public_gateways_are_run_by_public_workers(redis, fleet_on):
    with fleet_on(redis.url, public=True) as server:
        events, _ = server.follow(server.start("print(1)"))
        assert events[-1]["status"] == "ok"
    private, public = Keys("a:"), Keys("a:", public=True)
    assert set(private.line).isdisjoint(public.line)
    assert private.workers != public.workers


def test_members_with_other_prefixes_do_not_meet(redis, fleet_on):
    with fleet_on(redis.url) as one, fleet_on(redis.url) as other:
        session = one.start("print(1)")
        one.follow(session)
        assert isinstance(other.http, httpx.Client)
        assert other.http.get(f"/api/sessions/{session}").status_code == 404
