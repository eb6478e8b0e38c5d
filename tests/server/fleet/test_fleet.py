"""Protects the fleet as a whole: processes are killed, and no event is lost, doubled or another one."""

from __future__ import annotations

import json
import signal

import pytest
from fleet_processes import until

SOURCE = """\
import torch
w = torch.ones(4, requires_grad=True)
for step in range(300):
    loss = (w * step).sum()
    loss.backward()
    w.grad.zero_()
    sum(range(50_000))
print(w)
"""
ENDLESS = SOURCE.replace("range(300)", "iter(int, 1)")

DEBUGGED = """\
import torch
w = torch.ones(3, requires_grad=True)
total = 0
for step in range(6):
    loss = (w * step).sum()
    loss.backward()
    total += step
print(total, w.grad)
"""


@pytest.fixture
def embedded(new_server):
    """Return a function that gives the log of a program on a server that runs it itself."""
    with new_server(events=100_000, frame_events=50) as server:

        def log(source):
            events, _ = server.follow(server.start(source))
            return [json.dumps(event) for event in events]

        yield log


def test_a_run_goes_on_at_another_worker_and_another_gateway(standing, embedded):
    standing.workers(2)
    with standing.one.run(SOURCE) as client:
        client.until(lambda: len(client.events) > 300)
        standing.running().kill()
    with standing.two.follow(client.session, client.after) as again:
        again.to_end()
    events = client.events + again.events
    assert events == embedded(SOURCE)
    assert standing.one.events(client.session) == events
    assert standing.two.http.get(f"/api/sessions/{client.session}").json()["status"] == "ok"


def test_a_client_learns_that_the_only_worker_is_lost(standing):
    standing.workers(1)
    with standing.one.run(ENDLESS) as client:
        client.until(lambda: client.events)
        standing.running().kill()
        client.until(lambda: {"kind": "no_worker", "lost": True} in client.notices)
        standing.workers(1)
        client.until(lambda: not any(notice["kind"] == "no_worker" for notice in client.notices))
        count = len(client.events)
        client.until(lambda: len(client.events) > count)


def test_a_start_that_is_sent_again_to_another_gateway_is_the_same_run(standing):
    standing.workers(1)
    key = "k" * 30
    with standing.one.run("print(1)", key=key) as client, standing.two.run("print(1)", key=key) as again:
        assert client.session == again.session
        client.to_end()
        again.to_end()
    assert client.events == again.events


def stepped(client, kill=None):
    """Debug a program by fixed commands; `kill` is called in each pause."""
    numbers = iter(range(1, 100))

    def ask(**command):
        number = next(numbers)
        client.send(id=number, **command)
        return client.answer(number)

    pauses = 1
    client.until_kind("paused", pauses)
    for to in ("line", "line", "line", "moment", "backward", "node"):
        if kill is not None:
            kill()
        assert ask(command="step", to=to)["answer"] == "done"
        pauses += 1
        client.until_kind("paused", pauses)
    assert ask(command="assign", target="total", expression="100")["answer"] == "done"
    if kill is not None:
        kill()
    assert ask(command="evaluate", expression="total")["look"]["text"] == "100"
    assert ask(command="set_breakpoints", breakpoints=[{"on": "line", "id": 1, "line": 7, "hits": 2}])["places"]
    assert ask(command="resume")["answer"] == "done"
    pauses += 1
    assert client.until_kind("paused", pauses)["reason"] == "breakpoint"
    if kill is not None:
        kill()
    assert ask(command="set_breakpoints", breakpoints=[])["answer"] == "breakpoints_set"
    ask(command="resume")
    client.to_end()
    return client.events


def test_a_pause_of_the_debugger_survives_its_worker(standing):
    standing.workers(2)
    opening = {"pause": True, "breakpoints": [{"on": "line", "id": 9, "line": 5}]}

    with standing.one.run(DEBUGGED, **opening) as client:
        undisturbed = stepped(client)

    def kill():
        standing.running().kill()
        standing.workers(2)

    with standing.one.run(DEBUGGED, **opening) as client:
        assert stepped(client, kill) == undisturbed


def test_a_worker_that_is_cut_off_is_not_taken_for_one_that_the_program_ended(standing):
    workers = standing.workers(2)

    def running(worker):
        return worker.health()["running"]

    with standing.one.run(DEBUGGED, pause=True) as client:
        client.until_kind("paused")
        for _ in range(5):
            until(lambda: sum(map(running, workers)) == 1)
            there, here = sorted(workers, key=running)
            here.process.send_signal(signal.SIGSTOP)
            until(lambda worker=there: running(worker))
            here.process.send_signal(signal.SIGCONT)
        client.send(command="resume", id=1)
        client.to_end()
    assert json.loads(client.events[-1])["status"] == "ok"


def test_a_pause_by_hand_survives_its_worker(standing):
    standing.workers(2)
    gateway = standing.one
    with gateway.run(ENDLESS) as client:
        client.until(lambda: len(client.events) > 100)
        client.send(command="pause", id=1)
        client.answer(1)
        paused = client.until_kind("paused")
        before = list(client.events)
        standing.running().kill()
        client.send(command="evaluate", id=2, expression="step")
        assert client.answer(2)["answer"] == "evaluated"
        assert client.events == before
        client.send(command="resume", id=3)
        client.until(lambda: len(client.events) > len(before) + 100)
        client.send(command="stop")
        client.to_end()
    assert paused["reason"] == "pause"
    kinds = [json.loads(line)["kind"] for line in client.events]
    assert (kinds.count("paused"), kinds.count("resumed")) == (1, 1)
    assert [json.loads(line)["seq"] for line in client.events] == list(range(len(client.events)))
    assert gateway.events(client.session) == client.events


def test_a_program_that_does_something_else_says_where(standing):
    source = "x = object()\nfor i in range(400):\n    print(i, id(x) if i == 5 else 0)\n    sum(range(400_000))\n"
    standing.workers(2)
    with standing.one.run(source) as client:
        client.until(lambda: len(client.events) > 60)
        standing.running().kill()
        client.to_end()
    error, last = (json.loads(line) for line in client.events[-2:])
    assert (last["kind"], last["status"]) == ("program_finished", "limit")
    assert error["type"] == "NotDeterministic"
    assert "it printed" in error["message"]


@pytest.mark.parametrize("pause", [False, True])
def test_a_worker_that_is_stopped_hands_its_runs_over(standing, pause):
    standing.workers(2)
    with standing.one.run(ENDLESS, pause=pause) as client:
        client.until(lambda: len(client.events) > (1 if pause else 100))
        assert standing.running().terminate() == 143
        if pause:
            client.send(command="resume", id=1)
            client.answer(1)
        client.until(lambda: len(client.events) > 600)
        client.send(command="stop")
        client.to_end()
    assert json.loads(client.events[-1])["status"] == "stopped"


def test_a_stopped_worker_lets_a_short_run_end(standing, embedded):
    (worker,) = standing.workers(1)
    with standing.one.run(SOURCE.replace("300", "150")) as client:
        client.until(lambda: len(client.events) > 100)
        worker.terminate()
        standing.workers(1)
        client.to_end()
    assert client.events == embedded(SOURCE.replace("300", "150"))


def test_a_killed_gateway_costs_nothing(standing, embedded):
    standing.workers(1)
    gateway = standing.gateway()
    with gateway.run(SOURCE) as client:
        client.until(lambda: len(client.events) > 300)
        gateway.kill()
    with standing.two.follow(client.session, client.after) as again:
        again.to_end()
    assert client.events + again.events == embedded(SOURCE)
