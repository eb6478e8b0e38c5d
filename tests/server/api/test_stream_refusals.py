"""Protects the close codes and messages that a WebSocket client gets for an invalid request, message or command."""

from __future__ import annotations

import contextlib
import json

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus


def closed(socket):
    """Return the error message and the close code of a connection that the server refuses."""
    text = json.loads(socket.recv(timeout=120))["error"]["message"]
    with pytest.raises(ConnectionClosed) as error:
        drain(socket)
    assert error.value.rcvd is not None
    assert text.startswith(error.value.rcvd.reason)
    return text, error.value.rcvd.code


def drain(socket):
    while True:
        socket.recv(timeout=120)


def test_an_unknown_session_is_closed_with_4404(server):
    with server.connect("/api/sessions/unknown/events?after=-1") as socket:
        text, code = closed(socket)
    assert code == 4404
    assert "unknown" in text


@pytest.mark.parametrize("path", ["/api/nothing", "/api/sessions/a/b/events", "/api/sessions/x", "/api/"])
def test_an_unknown_path_is_closed_with_4404(server, path):
    with server.connect(path) as socket:
        assert closed(socket)[1] == 4404


def test_there_are_no_websockets_beside_the_api(server):
    with pytest.raises(InvalidStatus), server.connect("/assets/index-abc.js"):
        pass


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
        socket.recv(timeout=120)
        socket.send(message)
        assert closed(socket)[1] == 4400
    assert server.http.get(f"/api/sessions/{session}").json()["status"] == "running"
    server.http.delete(f"/api/sessions/{session}")


def test_a_message_that_is_too_long_closes_the_connection(server):
    with server.connect("/api/run") as socket:
        socket.send("x" * 1_000_000)
        with pytest.raises(ConnectionClosed) as error:
            socket.recv(timeout=120)
    assert error.value.rcvd is not None
    assert error.value.rcvd.code == 1009


def test_a_program_that_is_too_long_is_closed_with_4413(server):
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": "x" * 50_001}))
        text, code = closed(socket)
    assert code == 4413
    assert "50,001 bytes" in text


def test_a_program_beyond_the_queue_is_closed_with_4503(new_server):
    with new_server(running=1, waiting=0) as server:
        server.start("while True: pass")
        with server.connect("/api/run") as socket:
            socket.send('{"command":"run","source":""}')
            assert closed(socket)[1] == 4503


@pytest.mark.parametrize(
    "text",
    [
        '{"command":"pause"}',
        '{"command":"pause","id":-1}',
        '{"command":"pause","id":1,"more":1}',
        '{"command":"step","id":1,"to":"nowhere"}',
        '{"command":"step","id":1,"to":"seq"}',
        '{"command":"step","id":1,"to":"line","seq":3}',
        '{"command":"set_breakpoints","id":1,"breakpoints":[{"on":"line","id":1,"line":0}]}',
        '{"command":"set_breakpoints","id":1,"breakpoints":[{"on":"nothing","id":1}]}',
        "[" * 100_000,
        '{"command":"set_breakpoints","id":1,"breakpoints":[' + " " * (1 << 18) + "]}",
    ],
)
def test_commands_that_are_not_valid_are_refused(server, text):
    session = server.start("while True: pass")
    with server.connect(f"/api/sessions/{session}/events") as socket:
        socket.send(text)
        while "error" not in (message := json.loads(socket.recv(timeout=120))):
            pass
        assert message["error"]["message"].startswith("The command is")
        with pytest.raises(ConnectionClosed) as error:
            drain(socket)
        assert error.value.rcvd.code == (4413 if len(text) > 1 << 18 else 4400)
    server.http.delete(f"/api/sessions/{session}")


def test_an_unknown_command_is_answered_by_the_names_of_all(server):
    session = server.start("while True: pass")
    with server.connect(f"/api/sessions/{session}/events") as socket:
        socket.send('{"command":"fly","id":1}')
        while "error" not in (message := json.loads(socket.recv(timeout=120))):
            pass
    assert "'fly' - at `$.command`. The commands are pause, resume, step, " in message["error"]["message"]
    assert message["error"]["message"].endswith(" trace_gradient, stop and stay.")
    server.http.delete(f"/api/sessions/{session}")


def test_breakpoints_of_a_run_that_are_not_valid_are_refused(server):
    with server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": "x = 1", "breakpoints": [{"on": "line"}]}))
        text, code = closed(socket)
    assert code == 4400 and text.startswith("The breakpoints are not valid")


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (b"\x81\xff" + (1 << 22).to_bytes(8, "big") + bytes(4 + (1 << 22)), 1009),
        (b"\x81\x81\0\0\0\0\xff", 1007),
        (b"\x83\x80\0\0\0\0" + bytes(1 << 20), 1002),
    ],
)
def test_a_client_that_sends_an_invalid_message_gets_the_close_code(server, frames, code):
    with server.connect("/api/run") as socket:
        with contextlib.suppress(OSError):  # The connection may be closed before all of it is sent.
            socket.socket.sendall(frames)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=120)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == code
