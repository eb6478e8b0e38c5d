"""Protects the API for the past: values and answers at a moment, within limits, for every kind of finished run."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import socket
import time

import pytest

from backscope.protocol.commands import ReadTensor
from backscope_server.session.past.logged_elements import read_elements
from backscope_server.session.past.replay import Replay

SOURCE = """\
import torch
small = torch.arange(6.0).reshape(2, 3)
large = torch.ones(30, 20, requires_grad=True)
(large * 2).sum().backward()
with torch.no_grad():
    large += 1
"""


_KINDS = "The commands are evaluate, list_locals, read_tensor, measure_tensor and trace_gradient."


@pytest.fixture(scope="module")
def run(server):
    """Run a program; return its session, and the seq and the tensor of each name."""
    session = server.start(SOURCE)
    events, _ = server.follow(session)
    return session, {e["name"]: (e["seq"], e["tensor"]) for e in events if e["kind"] == "tensor_named"}, events


def post(server, session, what, **body):
    return server.http.post(f"/api/sessions/{session}/{what}", json=body)


def test_a_long_log_is_searched_in_pieces_with_other_work_between_them():
    lines = [b'{"kind":"output_printed","seq":%d,"line":1,"stream":"stdout","text":"a"}' % seq for seq in range(4500)]
    breaths: list[int] = []
    command = ReadTensor(id=0, tensor=7)
    assert read_elements(lines, len(lines) - 1, command, lambda: breaths.append(1)) is None
    assert len(breaths) == 4
    breaths.clear()
    assert read_elements(lines, 500, command, lambda: breaths.append(1)) is None
    assert breaths == []


def test_small_values_come_from_the_log(server, run):
    session, named, _ = run
    seq, tensor = named["small"]
    answer = post(server, session, "values", seq=seq, tensor=tensor, begin=[0, 1], end=[2]).json()
    assert answer == {
        "seq": seq,
        "source": "log",
        "whole": [2, 3],
        "shape": [2, 2],
        "dtype": "float32",
        "values": [1.0, 2.0, 4.0, 5.0],
    }


def test_large_values_come_from_a_run_up_to_that_moment(server, run):
    session, named, events = run
    seq, tensor = named["large"]
    for at, value in ((seq, 1.0), (len(events) - 1, 2.0)):
        answer = post(server, session, "values", seq=at, tensor=tensor, begin=[29], end=[30]).json()
        assert (answer["source"], answer["shape"], set(answer["values"])) == ("run", [1, 20], {value})
    grad = post(server, session, "values", seq=len(events) - 1, tensor=tensor, of="grad", end=[1]).json()
    assert grad["values"] == [2.0] * 20


def test_a_command_that_reads_is_answered(server, run):
    session, _, events = run
    answer = post(
        server, session, "ask", seq=len(events) - 1, command={"command": "evaluate", "expression": "large.sum().item()"}
    ).json()
    assert answer["answer"]["look"]["text"] == "1200.0"


def test_curves_come_in_lines(server, run):
    session, _, events = run
    answer = post(server, session, "watch", expressions=["large.grad.norm()", "small", "x +"])
    assert answer.headers["content-type"] == "application/x-ndjson"
    parts = [json.loads(line) for line in answer.text.splitlines()]
    assert parts[-1] == {"done": True}
    assert parts[-2]["seq"] == parts[-2]["last"] == len(events) - 1
    points = [point for part in parts for point in part.get("points", [])]
    reason = "'x +' is not an expression: invalid syntax."
    assert [part["unusable"] for part in parts if "unusable" in part] == [[[2, reason]]]
    assert sorted((watch, number, text) for watch, _, number, text in points) == [
        (0, pytest.approx(2 * 600**0.5), None),
        (1, None, "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]"),
    ]
    assert post(server, session, "watch", expressions=[]).status_code == 422


def test_commands_without_an_answer_get_the_reason(server, run):
    session, named, events = run
    seq, tensor = named["large"]
    look = {"command": "evaluate", "expression": "1"}
    for status, message, what, body in (
        (409, "is gone, or never was", "values", {"seq": seq, "tensor": 999}),
        (409, "has 2 dims", "values", {"seq": seq, "tensor": tensor, "begin": [0, 0, 0]}),
        (409, ".grad of tensor", "values", {"seq": seq, "tensor": tensor, "of": "grad"}),
        (409, "NameError", "ask", {"seq": seq, "command": {**look, "expression": "nothing"}}),
        (422, "has no event", "values", {"seq": len(events), "tensor": tensor}),
        (422, "greater than or equal to 0", "values", {"seq": -1, "tensor": tensor}),
        (422, "not changed", "ask", {"seq": seq, "command": {"command": "assign", "target": "x", "expression": "1"}}),
        (422, f"'resume' - at `$.command`. {_KINDS}", "ask", {"seq": seq, "command": {"command": "resume"}}),
        (422, f"field `command`. {_KINDS}", "ask", {"seq": seq, "command": {}}),
        (422, "unknown field `fram`.", "ask", {"seq": seq, "command": {**look, "fram": 1}}),
    ):
        answer = post(server, session, what, **body)
        assert answer.status_code == status, answer.text
        assert message in answer.json()["error"]["message"]
    assert post(server, "unknown", "values", seq=0, tensor=1).status_code == 404


def test_a_trace_is_run_again(server, run):
    """The replay is compared with the log in the file."""
    session, named, events = run
    trace = server.http.get(f"/api/sessions/{session}/trace").content
    opened = server.http.post("/api/traces", content=trace).json()["session"]
    answer = post(server, opened, "values", seq=len(events) - 1, tensor=named["large"][1], end=[1]).json()
    assert answer["values"] == [2.0] * 20


def test_a_trace_that_a_page_wrote_is_run_again(server, run):
    """JavaScript writes 2.0 as 2."""
    session, named, events = run
    written = gzip.decompress(server.http.get(f"/api/sessions/{session}/trace").content)
    trace = gzip.compress(re.sub(rb"(?<=\d)\.0(?=[],}])", b"", written))
    opened = server.http.post("/api/traces", content=trace).json()["session"]
    answer = post(server, opened, "values", seq=len(events) - 1, tensor=named["large"][1], end=[1]).json()
    assert answer["values"] == [2.0] * 20


def test_a_process_of_the_past_counts_like_a_program(new_server, tmp_path):
    """One that waits for a question makes room for a program; each start counts; a run from the disk is as good."""
    with new_server(running=1, address_programs=1, address_starts=4, waiting=0, storage=str(tmp_path)) as server:
        session = server.start(SOURCE)
        events, _ = server.follow(session)
        look = {"command": "evaluate", "expression": "1"}
        del server.app.state.sessions.pool._sessions[session]  # As after a restart of the server.
        assert post(server, session, "ask", seq=len(events) - 1, command=look).status_code == 200
        endless = server.start("while True: pass")
        refused = post(server, session, "ask", seq=len(events) - 1, command=look)
        assert refused.status_code == 429
        assert "one program at once" in refused.json()["error"]["message"]
        server.http.post(f"/api/sessions/{endless}/stop")
        assert post(server, session, "ask", seq=len(events) - 1, command=look).status_code == 200
        refused = post(server, session, "ask", seq=0, command=look)  # Further back: it would be started anew.
        assert refused.status_code == 429
        assert "has started as many" in refused.json()["error"]["message"]
        server.http.delete(f"/api/sessions/{session}")
        assert len(server.app.state.sessions.pool.replays) == 0


def test_stops_are_streamed_with_the_values_of_an_expression(server):
    session = server.start("import torch\nw = torch.ones(2)\nfor i in range(3):\n    k = i * 10\n    w = w * k\n")
    events, _ = server.follow(session)
    last = len(events) - 1

    def stops(*breakpoints, **more):
        answer = post(server, session, "stops", seq=last, breakpoints=list(breakpoints), **more)
        assert answer.headers["content-type"] == "application/x-ndjson"
        return [json.loads(line) for line in answer.text.splitlines()]

    line = {"on": "line", "id": 4, "line": 5}
    *passes, end = stops(line, expression="k")
    assert [stop["stop"][1:] for stop in passes] == [[[4], "0", False], [[4], "10", False], [[4], "20", False]]
    following = [next(e for e in events[stop["stop"][0] :] if e["kind"] == "op_applied") for stop in passes]
    assert [(e["op"], e["line"]) for e in following] == [("mul", 5)] * 3
    assert len({e["seq"] for e in following}) == 3
    assert end == {"done": True, "left_out": False}
    *passes, end = stops({**line, "condition": "i > 0", "hits": 2}, {"on": "op", "id": 9, "name": "mul", "hits": 3})
    assert [stop["stop"][1:3] for stop in passes] == [[[4], ""], [[9], ""]]
    assert stops(line, expression="unknown")[0]["stop"][3]
    assert "is not an expression" in stops(line, expression="k +")[-1]["refusal"]
    assert "No statement begins" in stops({**line, "line": 50})[-1]["refusal"]
    wrong = post(server, session, "stops", seq=last, breakpoints=[{"on": "nothing"}])
    assert (wrong.status_code, "breakpoints are not valid" in wrong.text) == (422, True)
    assert post(server, session, "stops", seq=last + 1, breakpoints=[line]).status_code == 422


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("values", {"seq": 0, "tensor": 1}),
        ("watch", {"expressions": ["1"]}),
        ("stops", {"seq": 0, "breakpoints": [{"on": "line", "id": 1, "line": 1}]}),
        ("ask", {"seq": 0, "command": {"command": "evaluate", "expression": "1"}}),
    ],
)
def test_a_request_restarts_the_time_without_a_watcher(server, monkeypatch, what, body):
    """Also if the request itself is refused."""
    session = server.start("while True: pass\n")
    found = server.app.state.sessions.find(session)
    seen: list[str] = []
    monkeypatch.setattr(found, "restart_unwatched_clock", lambda: seen.append(what))
    post(server, session, what, **body)
    assert what in seen
    monkeypatch.undo()
    server.http.post(f"/api/sessions/{session}/stop")


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("values", {"seq": "last", "tensor": "large"}),
        ("ask", {"seq": "last", "command": {"command": "evaluate", "expression": "1"}}),
        ("watch", {"expressions": ["1"]}),
    ],
)
def test_the_process_ends_when_its_client_disconnects(new_server, tmp_path, monkeypatch, what, body):
    """Its place is free only once its process has ended."""

    async def never_there(self, step):
        await asyncio.Event().wait()

    monkeypatch.setattr(Replay, "_step", never_there)
    with new_server(storage=str(tmp_path)) as server:
        session = server.start(SOURCE)
        events, _ = server.follow(session)
        (large,) = [e["tensor"] for e in events if e["kind"] == "tensor_named" and e["name"] == "large"]
        known = {"last": len(events) - 1, "large": large}
        wanted = {name: known.get(value, value) if isinstance(value, str) else value for name, value in body.items()}
        base = server.http.base_url
        text = json.dumps(wanted)
        replays = server.app.state.sessions.replays
        with socket.create_connection((base.host, base.port)) as connection:
            headers = {"Host": f"{base.host}:{base.port}", "Content-Length": str(len(text)), **server.headers}
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            request = f"POST /api/sessions/{session}/{what} HTTP/1.1\r\nContent-Type: application/json\r\n{head}\r\n"
            connection.sendall((request + text).encode())
            awaited(lambda: len(replays) == 1 and next(iter(replays._places))._task is not None)
        awaited(lambda: len(replays) == 0)


def awaited(state):
    """Wait for a state; only a hang reaches the limit."""
    limit = time.monotonic() + 60
    while not state():
        assert time.monotonic() < limit
        time.sleep(0.02)
