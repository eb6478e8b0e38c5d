"""Protects that a gateway says what takes memory in Redis."""

from __future__ import annotations

import json

from backscope.protocol.commands import Pause
from backscope_server.fleet.stored_bytes import KINDS, stored_bytes
from backscope_server.session.program import Program

PROGRAM = Program(source="print(1)  # " + "x" * 10_000)


def test_bytes_are_told_apart_by_what_they_are(with_gateways):
    async def test(one, two):
        none = await stored_bytes(two._connection)
        assert none == dict.fromkeys(KINDS, 0)
        session = await one.start(PROGRAM, "a")
        waiting = await stored_bytes(two._connection)
        assert waiting["line"] > 10_000
        session.command(Pause(id=1), lambda _answer: None)
        while not (await stored_bytes(two._connection))["commands"]:
            continue
        session.stop()
        await session.over()
        ended = await stored_bytes(two._connection)
        assert (ended["commands"], ended["logs"], ended["answers"]) == (0, 0, 0)
        assert 0 < ended["finished"] < 10_000
        measures = await two.measures()
        assert measures['stored_bytes{kind="finished"}'] == ended["finished"]

    with_gateways(test)


def test_more_runs_than_are_looked_at_are_counted(with_gateways, monkeypatch):
    async def test(one, _two):
        for number in range(4):
            await one.start(PROGRAM, str(number))
        everything = (await stored_bytes(one._connection))["line"]
        monkeypatch.setattr("backscope_server.fleet.stored_bytes._SAMPLE", 2)
        assert abs((await stored_bytes(one._connection))["line"] - everything) < 1000

    with_gateways(test)


def test_logs_of_runs_that_go_on_are_counted(redis, fleet_on, background):
    source = "for i in range(100):\n    print(str(i) * 1000)\nwhile True: pass\n"
    with fleet_on(redis.url) as server, server.connect("/api/run") as socket:
        socket.send(json.dumps({"command": "run", "source": source}))
        while "9999" not in socket.recv(timeout=60):
            continue
        measures = background.start(server.app.state.sessions.measures()).result(60)
        assert measures['stored_bytes{kind="logs"}'] > 100_000
