"""Protects the stream of events: batched, resumable, nothing lost or doubled, whatever the readers do."""

from __future__ import annotations

import json
import random
import threading
import time

import pytest
from websockets.exceptions import ConnectionClosed

SOURCE = "for i in range(2000):\n    print('line', i)\n"


def run(server, source, until_end):
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": source}))
        session = json.loads(socket.recv(timeout=30))["session"]
        return session, *until_end(socket)


def drain(socket):
    while True:
        socket.recv(timeout=30)


def closed(socket):
    """The error message and the close code of a connection that is refused."""
    text = json.loads(socket.recv(timeout=30))["error"]["message"]
    with pytest.raises(ConnectionClosed) as error:
        drain(socket)
    assert error.value.rcvd is not None
    assert text.startswith(error.value.rcvd.reason)
    return text, error.value.rcvd.code


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
                message = json.loads(socket.recv(timeout=30))
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


def test_after_every_seq_comes_the_rest(server):
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


def test_a_reader_that_does_not_read_holds_nobody_up(new_server, until_end):
    source = "for i in range(30_000):\n    print('x' * 500)\n"
    roomy = {"events": 200_000, "output_bytes": 1 << 28, "log_bytes": 1 << 28, "frame_bytes": 100_000}
    with new_server(**roomy, frame_seconds=0) as server:
        session = server.start(source)
        # A client that takes in one message and then lets the connection fill up.
        with server.connect(f"/api/sessions/{session}/events", max_queue=1) as slow:
            first = json.loads(slow.recv(timeout=30))["events"]
            events, end = server.follow(session)
            assert events[-1]["kind"] == "program_finished"
            late, late_end = until_end(slow)
            assert first + late == events
            assert late_end == end


def test_stop_ends_a_program_that_loops(server, until_end):
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": "while True: pass"}))
        session = json.loads(socket.recv(timeout=30))["session"]
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
        session = json.loads(socket.recv(timeout=30))["session"]
    events, _ = server.follow(session)
    assert events[-1]["status"] == "ok"


def test_an_unknown_session_is_closed_with_4404(server):
    with server.connect("/api/sessions/unknown/events?after=-1") as socket:
        text, code = closed(socket)
    assert code == 4404
    assert "unknown" in text


@pytest.mark.parametrize("after", ["x", "-2", "1.5", "9" * 5000, "%00"])
def test_a_bad_position_is_closed_with_4400(server, after):
    session = server.start("print(1)")
    with server.connect(f"/api/sessions/{session}/events?after={after}") as socket:
        if after.startswith("9"):
            socket.close()
            return
        assert closed(socket)[1] == 4400


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{",
        "[]",
        "null",
        b"\x00\x01",
        '{"command":"stop"}',
        '{"command":"run"}',
        '{"command":"run","source":"","extra":1}',
        '{"command":"run","source":"","filename":"/etc/passwd"}',
        '{"command":"run","source":"' + "x" * 50_001 + '"}',
        "[" * 50_000,
    ],
)
def test_a_bad_first_message_is_closed_with_4400(server, message):
    with server.connect("/api/run") as socket:
        socket.send(message)
        text, code = closed(socket)
    assert code == 4400
    assert text.endswith(".")


@pytest.mark.parametrize("message", ["", "{}", '{"command":"fly"}', b"\x00", '{"command":"stop","x":1}'])
def test_a_bad_command_closes_the_connection_but_not_the_program(server, message):
    session = server.start("while True: pass")
    with server.connect(f"/api/sessions/{session}/events") as socket:
        socket.recv(timeout=30)
        socket.send(message)
        assert closed(socket)[1] == 4400
    assert server.http.get(f"/api/sessions/{session}").json()["status"] == "running"
    server.http.delete(f"/api/sessions/{session}")


def test_a_message_that_is_too_long_closes_the_connection(server):
    with server.connect("/api/run") as socket:
        socket.send("x" * 1_000_000)
        with pytest.raises(ConnectionClosed) as error:
            socket.recv(timeout=30)
    assert error.value.rcvd is not None
    assert error.value.rcvd.code == 1009


def test_too_many_programs_are_closed_with_4429(new_server):
    with new_server(running=1) as server:
        server.start("while True: pass")
        with server.connect("/api/run") as socket:
            socket.send('{"command":"run","source":""}')
            assert closed(socket)[1] == 4429


def test_messages_are_not_compressed(server):
    with server.connect("/api/run") as socket:
        assert "sec-websocket-extensions" not in socket.response.headers


def test_a_server_that_stops_ends_its_sessions_and_connections(new_server):
    with new_server() as server:
        session = server.start("while True: pass")
        with server.connect(f"/api/sessions/{session}/events") as socket:
            socket.recv(timeout=30)
            server.server.should_exit = True
            with pytest.raises(ConnectionClosed) as error:
                drain(socket)
    assert error.value.rcvd is None or error.value.rcvd.code in (1000, 1012)


def test_a_flood_reaches_the_page_up_to_its_limit(server, until_end):
    _, events, _ = run(server, "while True: print('y' * 3000)", until_end)
    assert events[-2]["type"] == "OutputLimitExceeded"
    assert server.http.get("/api/health").status_code == 200


ENDLESS = "import time\nwhile True:\n    time.sleep(0.01)\n"


def standing_of(server, session):
    return server.http.get(f"/api/sessions/{session}").json()["status"]


def test_a_run_that_nobody_watches_any_longer_is_stopped(new_server):
    with new_server(unwatched_seconds=0.5) as server:
        with server.connect("/api/run") as socket:
            socket.send(json.dumps({"command": "run", "source": ENDLESS}))
            session = json.loads(socket.recv(timeout=30))["session"]
            # For longer than the grace: somebody is there.
            time.sleep(1)
        until = time.monotonic() + 20
        while (status := standing_of(server, session)) == "running" and time.monotonic() < until:
            time.sleep(1)
        assert status == "limit"
        events, _ = server.follow(session)
        error = next(event for event in events if event["kind"] == "error_raised")
        assert error["message"] == "No page watched this program for 0.5 s, so it was stopped. Run it again."


def test_a_page_that_comes_back_in_time_keeps_its_run(new_server):
    with new_server(unwatched_seconds=3) as server:
        with server.connect("/api/run") as socket:
            socket.send(json.dumps({"command": "run", "source": ENDLESS}))
            session = json.loads(socket.recv(timeout=30))["session"]
        time.sleep(0.5)
        with server.connect(f"/api/sessions/{session}/events?after=-1"):
            time.sleep(3.5)
            assert standing_of(server, session) == "running"
