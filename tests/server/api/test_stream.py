"""Protects the stream of events: batched, resumable, nothing lost or doubled, however slowly a client reads."""

from __future__ import annotations

import json
import random
import secrets
import socket
import threading
import time

import pytest
from websockets.exceptions import ConnectionClosed

from backscope_server.access import connection
from backscope_server.api import stream

SOURCE = "for i in range(2000):\n    print('line', i)\n"


def run(server, source, until_end):
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": source}))
        session = json.loads(socket.recv(timeout=120))["session"]
        return session, *until_end(socket)


def drain(socket):
    while True:
        socket.recv(timeout=120)


def test_run_sends_its_session_and_every_event(server, until_end):
    session, events, end = run(server, SOURCE, until_end)
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert end == {"end": True, "last": len(events) - 1}
    assert (events[0]["kind"], events[-1]["kind"]) == ("program_started", "program_finished")
    assert server.follow(session) == (events, end)


@pytest.mark.parametrize("seed", range(4))
def test_a_reader_that_reconnects_at_random_sees_the_same_log(server, seed):
    chance = random.Random(seed)
    session = server.start(SOURCE)
    seen = []
    while True:
        after = seen[-1]["seq"] if seen else -1
        with server.connect(f"/api/sessions/{session}/events?after={after}") as socket:
            for _ in range(chance.randint(1, 3)):
                message = json.loads(socket.recv(timeout=120))
                if "end" in message:
                    break
                # As in life, the connection is lost somewhere within what was sent.
                seen += message["events"][: chance.randint(1, len(message["events"]))]
                if seen[-1]["seq"] != message["last"]:
                    break
        if "end" in message:
            break
    assert seen == server.follow(session)[0]


def test_small_frames_change_nothing(new_server):
    with new_server(frame_events=3, frame_seconds=0, frame_bytes=500) as server:
        events, _ = server.follow(server.start("for i in range(100): print(i)"))
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert len(events) > 100


def test_following_after_any_seq_sends_the_events_behind_it(server):
    session = server.start("print(1)")
    events, end = server.follow(session)
    for after in range(-1, len(events) + 2):
        assert server.follow(session, after) == (events[after + 1 :], end)


def test_many_readers_see_the_same(server):
    session = server.start(SOURCE)
    found = []
    readers = [threading.Thread(target=lambda: found.append(server.follow(session))) for _ in range(5)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(60)
    assert len(found) == 5
    assert all(log == found[0] for log in found)


def test_a_client_that_does_not_read_delays_neither_the_program_nor_others(new_server, until_end):
    source = "for i in range(30_000):\n    print('x' * 500)\n"
    roomy = {"events": 200_000, "output_bytes": 1 << 28, "log_bytes": 1 << 28, "frame_bytes": 100_000}
    with new_server(**roomy, frame_seconds=0) as server:
        session = server.start(source)
        # A client that takes in one message and then lets the connection fill up.
        with server.connect(f"/api/sessions/{session}/events", max_queue=1) as slow:
            first = json.loads(slow.recv(timeout=120))["events"]
            events, end = server.follow(session)
            assert events[-1]["kind"] == "program_finished"
            late, late_end = until_end(slow)
            assert first + late == events
            assert late_end == end


def test_stop_ends_a_program_that_loops(server, until_end):
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": "while True: pass"}))
        session = json.loads(socket.recv(timeout=120))["session"]
        socket.send(json.dumps({"command": "stop"}))
        events, _ = until_end(socket)
    assert events[-1]["status"] == "stopped"
    assert server.http.get(f"/api/sessions/{session}").json()["status"] == "stopped"


def test_a_follower_can_stop_too(server, until_end):
    session = server.start("while True: pass")
    with server.connect(f"/api/sessions/{session}/events") as socket:
        socket.send('{"command":"stop"}')
        assert until_end(socket)[0][-1]["status"] == "stopped"


def test_a_program_goes_on_when_its_reader_is_gone(server):
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": SOURCE}))
        session = json.loads(socket.recv(timeout=120))["session"]
    events, _ = server.follow(session)
    assert events[-1]["status"] == "ok"


def test_messages_are_not_compressed(server):
    with server.connect("/api/run") as socket:
        assert "sec-websocket-extensions" not in socket.response.headers


def test_a_server_that_stops_ends_its_sessions_and_connections(new_server):
    with new_server() as server:
        session = server.start("while True: pass")
        with server.connect(f"/api/sessions/{session}/events") as socket:
            socket.recv(timeout=120)
            server.server.should_exit = True
            with pytest.raises(ConnectionClosed) as error:
                drain(socket)
    assert error.value.rcvd is None or error.value.rcvd.code in (1000, 1012)


def test_a_flood_reaches_the_page_up_to_its_limit(server, until_end):
    _, events, _ = run(server, "while True: print('y' * 3000)", until_end)
    assert events[-2]["type"] == "OutputLimitExceeded"
    assert server.http.get("/api/health").status_code == 200


ENDLESS = "import time\nwhile True:\n    time.sleep(0.01)\n"


def status_of(server, session):
    return server.http.get(f"/api/sessions/{session}").json()["status"]


def until(condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "the condition was not met within 120 s"
        time.sleep(0.02)


def wait_until_over(server, session):
    """Wait for the end of a run without a request, since a request counts as a watcher."""
    log = server.app.state.sessions.find(session).log
    until(lambda: log.complete)


def test_a_run_without_watchers_is_stopped(new_server):
    with new_server(unwatched_seconds=0.5) as server:
        with server.connect("/api/run") as socket:
            socket.send(json.dumps({"command": "run", "source": ENDLESS}))
            session = json.loads(socket.recv(timeout=120))["session"]
            other = server.http.post("/api/sessions", json={"source": ENDLESS}).json()["session"]
            wait_until_over(server, other)
            assert status_of(server, session) == "running"  # Its page still watches.
        wait_until_over(server, session)
        assert status_of(server, session) == "limit"
        events, _ = server.follow(session)
        error = next(event for event in events if event["kind"] == "error_raised")
        assert error["message"] == "No page watched this program for 0.5 s, so it was stopped. Run it again."


def test_pages_get_notices_of_their_place_and_of_limits_that_are_near(new_server):
    def notices(socket):
        while "notices" not in (message := json.loads(socket.recv(timeout=120))):
            pass
        return message["notices"]

    with new_server(running=1, wall_seconds=2, notice_seconds=1) as server:
        with server.connect("/api/run") as held, server.connect("/api/run") as socket:
            # A paused one keeps its place: its time does not run.
            held.send(json.dumps({"command": "run", "source": ENDLESS, "pause": True}))
            first = json.loads(held.recv(timeout=120))["session"]
            socket.send(json.dumps({"command": "run", "source": ENDLESS}))
            session = json.loads(socket.recv(timeout=120))["session"]
            waiting = {"kind": "waiting", "place": 1, "waiting": 1}
            assert notices(socket) == [waiting]
            assert server.http.get(f"/api/sessions/{session}").json() == {
                "session": session, "status": "waiting", "events": 0, "place": 1,
            }  # fmt: skip
            # A client that connects later gets the notices that hold.
            with server.connect(f"/api/sessions/{session}/events") as again:
                assert notices(again) == [waiting]
            server.http.post(f"/api/sessions/{first}/stop")
            assert notices(socket) == []
            (near,) = notices(socket)
            assert (near["kind"], near["limit"]) == ("limit_approaching", "wall")
            socket.send('{"command":"stay"}')  # No command prolongs this one.
            with pytest.raises(ConnectionClosed):
                drain(socket)
        assert status_of(server, session) == "limit"


def test_a_page_that_comes_back_in_time_keeps_its_run(new_server):
    with new_server(unwatched_seconds=600) as server:
        with server.connect("/api/run") as socket:
            socket.send(json.dumps({"command": "run", "source": ENDLESS}))
            session = json.loads(socket.recv(timeout=120))["session"]
        run = server.app.state.sessions.find(session)
        until(lambda: run._timer is not None)  # Its time without a page has begun.
        with server.connect(f"/api/sessions/{session}/events?after=-1"):
            until(lambda: run._timer is None)
            assert status_of(server, session) == "running"
        until(lambda: run._timer is not None)


def paused(socket, answers=None):
    """Read messages until the program is paused; return the `paused` event, and put answers into `answers`."""
    while True:
        message = json.loads(socket.recv(timeout=120))
        if "answer" in message and answers is not None:
            answers.append(message)
        for event in message.get("events", ()):
            if event["kind"] == "paused":
                return event


def test_a_run_is_debugged_over_its_socket(server, until_end):
    with server.connect("/api/run") as socket:
        breakpoints = [{"on": "line", "id": 4, "line": 2}]
        order = {"command": "run", "source": "x = 1\ny = 2\n", "breakpoints": breakpoints, "pause": True}
        socket.send(json.dumps(order))
        answers: list[dict[str, object]] = []
        socket.recv(timeout=120)
        assert paused(socket, answers)["line"] == 1
        socket.send(json.dumps({"command": "resume", "id": 8}))
        assert paused(socket, answers)["breakpoints"] == [4]
        socket.send(json.dumps({"command": "step", "id": 9, "to": "end"}))
        while "end" not in (message := json.loads(socket.recv(timeout=120))):
            if "answer" in message:
                answers.append(message)
    assert answers == [
        {"answer": "breakpoints_set", "id": 0, "places": [{"id": 4, "line": 2}], "unusable": [], "pending": []},
        {"answer": "done", "id": 0},
        {"answer": "done", "id": 8},
        {"answer": "done", "id": 9},
    ]


def test_a_start_that_is_sent_again_leaves_all_places_for_answers(server, monkeypatch):
    monkeypatch.setattr(stream, "_ANSWERS", 1)
    order = {"command": "run", "source": "x = 1\ny = 2\n", "pause": True, "key": secrets.token_urlsafe(24)}
    with server.connect("/api/run") as first:
        first.send(json.dumps(order))
        paused(first)
        with server.connect("/api/run") as again:
            again.send(json.dumps(order))
            paused(again)
            for identity in (8, 9):
                again.send(json.dumps({"command": "evaluate", "id": identity, "expression": "1 + 1"}))
                while (answer := json.loads(again.recv(timeout=120))).get("id") != identity:
                    pass
                assert answer["answer"] != "refused"
            again.send(json.dumps({"command": "stop"}))


@pytest.mark.parametrize("silent", [False, True], ids=["cut off", "silent"])
def test_the_breakpoints_of_an_editor_go_with_its_connection(server, monkeypatch, silent):
    def sees(*lines):
        shown = None
        while shown != list(lines):
            for notice in json.loads(page.recv(timeout=120)).get("notices", ()):
                if notice["kind"] == "breakpoints":
                    shown = [one["line"] for one in notice["terminal"]]

    with server.connect("/api/run") as page:
        page.send(json.dumps({"command": "run", "source": "x = 1\ny = 2\n", "pause": True}))
        session = json.loads(page.recv(timeout=120))["session"]
        # Of the two connections only that of the editor, which comes later, is pinged meanwhile, or none of them is.
        monkeypatch.setattr(connection, "_PING_SECONDS", 0.1 if silent else 3600)
        # It reads nothing beyond the first message, so it answers no ping.
        with server.connect(f"/api/sessions/{session}/events?as=editor", max_queue=1, close_timeout=0) as editor:
            line = {"on": "line", "id": 5001, "line": 2}
            editor.send(json.dumps({"command": "set_breakpoints", "id": 1, "breakpoints": [line]}))
            sees(2)
            if not silent:
                editor.socket.shutdown(socket.SHUT_RDWR)
            sees()
        page.send(json.dumps({"command": "stop"}))


def test_every_watcher_sees_the_stops_and_may_go_on(server):
    with server.connect("/api/run") as first:
        first.send(json.dumps({"command": "run", "source": "x = 1\ny = 2\n", "pause": True}))
        session = json.loads(first.recv(timeout=120))["session"]
        with server.connect(f"/api/sessions/{session}/events") as second:
            assert paused(first) == paused(second)
            second.send(json.dumps({"command": "step", "id": 1, "to": "line"}))
            assert paused(first) == paused(second)
        first.send(json.dumps({"command": "resume", "id": 5}))
        while "end" not in json.loads(first.recv(timeout=120)):
            pass
    assert server.http.get(f"/api/sessions/{session}").json()["status"] == "ok"
