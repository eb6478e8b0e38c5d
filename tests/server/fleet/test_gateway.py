"""Protects the memory of a gateway: its copies of logs are bounded, and can be read again from Redis."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from fleet_processes import until
from websockets.exceptions import ConnectionClosed


def test_copies_beyond_the_bound_are_dropped_and_read_again(redis, fleet_on):
    source = "for i in range(200):\n    print(str(i) * 100)\n"
    with fleet_on(redis.url, kept=3, kept_bytes=400_000) as server:
        runs = [server.start(source) for _ in range(6)]
        logs = [server.follow(run)[0] for run in runs]
        mirrors = server.app.state.sessions._mirrors
        until(lambda: len(mirrors) <= 3)
        assert mirrors.nbytes == sum(mirror.log.nbytes for mirror in mirrors) <= 400_000
        assert [server.follow(run)[0] for run in runs] == logs


def started(server, closing, source):
    """Start a program, and return its id and the WebSocket that reads it."""
    socket = closing.enter_context(server.connect("/api/run"))
    socket.send(json.dumps({"command": "run", "source": source}))
    return json.loads(socket.recv(timeout=60))["session"], socket


def test_more_runs_than_are_kept_are_read_while_they_go_on(redis, fleet_on):
    source = "import time\nfor i in range(20):\n    print(i)\n    time.sleep(0.05)\n"
    with fleet_on(redis.url, kept=1) as server, ExitStack() as closing:
        sockets = [started(server, closing, source)[1] for _ in range(4)]
        logs = []
        for socket in sockets:
            events = []
            while "end" not in (message := json.loads(socket.recv(timeout=60))):
                events += message.get("events", ())
            logs.append(events)
        assert [events[-1]["status"] for events in logs] == ["ok"] * 4
        assert logs == logs[:1] * 4


def test_a_run_whose_copy_is_freed_goes_on_after_another_connection(redis, fleet_on):
    source = "print('x' * 40_000)\n" * 4 + "while True: pass\n"
    with fleet_on(redis.url, kept_bytes=60_000) as server, ExitStack() as closing:
        session, socket = started(server, closing, source)
        started(server, closing, source.replace("x", "y"))
        messages = []
        with pytest.raises(ConnectionClosed) as closed:
            messages.extend(iter(lambda: json.loads(socket.recv(timeout=60)), None))
        assert not any("end" in message for message in messages)
        assert closed.value.rcvd.code == 4503
        after = max((message["last"] for message in messages if "events" in message), default=-1)
        server.http.post(f"/api/sessions/{session}/stop")
        events, end = server.follow(session, after)
        assert events[-1]["status"] == "stopped"
        assert end["last"] == events[-1]["seq"]


def test_a_run_that_is_removed_is_removed_everywhere(redis, fleet_on):
    with fleet_on(redis.url) as server:
        session = server.start("while True: pass")
        assert server.http.delete(f"/api/sessions/{session}").status_code == 204
        assert server.http.get(f"/api/sessions/{session}").status_code == 404
