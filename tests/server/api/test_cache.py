"""Protects that a program which ran before is answered from that run, and only where that is right."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

SOURCE = "import torch\nw = torch.ones(3, requires_grad=True)\n(w * 2).sum().backward()\nprint(w.grad)\n"


@pytest.fixture(scope="module")
def caching(new_server):
    with new_server(cache=True, address_starts=500, running=8) as server:
        yield server


def started(server, source, **more):
    answer = server.http.post("/api/sessions", json={"source": source, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["session"]


def test_a_program_that_ended_by_itself_is_not_run_again(caching):
    for source in (SOURCE, "1 / 0"):
        first = started(caching, source)
        log, _ = caching.follow(first)
        assert started(caching, source) == first
        with caching.connect("/api/run") as socket:
            socket.send(json.dumps({"command": "run", "source": source}))
            assert json.loads(socket.recv(timeout=60)) == {"session": first}
        others = [started(caching, source, **more) for more in ({"seed": 1}, {"filename": "b.py"}, {"fresh": True})]
        assert len({first, *others}) == 4
        assert caching.follow(others[-1])[0] == log


def test_a_run_that_a_limit_or_a_user_ended_is_run_again(caching):
    for source in ("while True:\n    print('x' * 5000)\n", "while True: pass"):
        first = started(caching, source)
        if "pass" in source:
            caching.http.post(f"/api/sessions/{first}/stop")
        caching.follow(first)
        again = started(caching, source)
        assert again != first
        caching.http.post(f"/api/sessions/{again}/stop")


def test_a_debugged_run_answers_no_other_start(caching):
    source = "x = 1\nprint(x, 'debugged')\n"
    with caching.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": source}))
        session = json.loads(socket.recv(timeout=60))["session"]
        socket.send(json.dumps({"command": "set_breakpoints", "id": 1, "breakpoints": []}))
        while "end" not in json.loads(socket.recv(timeout=60)):
            pass
    with caching.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": source, "pause": True}))
        assert json.loads(socket.recv(timeout=60))["session"] != session


def test_of_many_starts_at_once_one_runs(caching):
    source = "print('a burst')"

    async def burst():
        async with httpx.AsyncClient(base_url=caching.url, headers=caching.headers, timeout=60) as http:
            return await asyncio.gather(*(http.post("/api/sessions", json={"source": source}) for _ in range(100)))

    answers = asyncio.run(burst())
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["session"] for answer in answers}) == 1


def test_a_result_is_there_until_all_who_have_it_have_removed_it(caching):
    source = "print('held')"
    session = started(caching, source)
    caching.follow(session)
    assert started(caching, source) == session
    path = f"/api/sessions/{session}"
    assert caching.http.delete(path).status_code == 204
    assert caching.http.get(path).status_code == 200
    assert caching.http.delete(path).status_code == 204
    assert caching.http.get(path).status_code == 404
    assert started(caching, source) != session
