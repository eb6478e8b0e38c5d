"""Protects that places are shared out fairly, and that limits hold at all gateways together."""

from __future__ import annotations

import json

import pytest
from redis_server import RedisServer

from backscope_server.fleet import outbox
from backscope_server.fleet.line import look
from backscope_server.session.program import Program
from backscope_server.session.sessions import PoolFull, TooManyPrograms

PROGRAM = Program(source="print(1)")


async def take(gateway, token="t", most=100):
    """Take the next run as a worker does; return its id, None where there is none."""
    connection = gateway._connection
    given = [connection.keys.prefix, connection.keys.line_changed, token, 5000, most, 60_000]
    found = await connection.scripts.take(connection.keys.line, given)
    return None if found is None else found[0].decode()


async def finish(gateway, run, token="t"):
    connection = gateway._connection
    keys = connection.keys
    names = (keys.run, keys.lease, keys.commands, keys.watching)
    where = [*keys.line, *(name(run) for name in names), keys.finished, keys.log(run), "", ""]
    given = [keys.prefix, keys.line_changed, token, run, "ok", 60_000, keys.readers(run), 0]
    assert await connection.scripts.finish(where, given) == b"ok"


def test_addresses_take_turns_at_all_gateways(with_gateways):
    async def test(one, two):
        many = [(await one.start(PROGRAM, "a")).id for _ in range(3)]
        late = [(await two.start(PROGRAM, address)).id for address in "bcb"]
        line = await look(one._connection)
        expected = [many[0], late[0], late[1], many[1], late[2], many[2]]
        assert list(line.order(100)) == expected
        assert [await take(one) for _ in range(7)] == [*expected, None]

    with_gateways(test)


def test_an_address_gets_no_more_than_its_places(with_gateways):
    async def test(one, two):
        many = [(await one.start(PROGRAM, "a")).id for _ in range(3)]
        other = (await two.start(PROGRAM, "b")).id
        assert [await take(two, most=1) for _ in range(3)] == [many[0], other, None]
        line = await look(two._connection)
        assert line.order(1) == {many[1]: 1, many[2]: 2}
        assert line.places == {"a": 1}
        await finish(one, many[0])
        assert await take(two, most=1) == many[1]

    with_gateways(test)


def test_limits_hold_at_all_gateways_together(with_gateways):
    async def test(one, two):
        await one.start(PROGRAM, "a")
        await two.start(PROGRAM, "a")
        with pytest.raises(TooManyPrograms, match="2 programs of one network address"):
            await one.start(PROGRAM, "a")
        await two.start(PROGRAM, "b")
        for gateway in (one, two):
            with pytest.raises(PoolFull, match="3 wait in line"):
                await gateway.start(PROGRAM, "c")

    with_gateways(test, address_programs=1, address_waiting=1, waiting=3)


def test_a_gateway_says_the_place_in_line_of_runs_of_others(with_gateways):
    async def test(one, two):
        sessions = [await one.start(PROGRAM, address) for address in "abc"]
        last = await two.open(sessions[-1].id)

        async def place(expected):
            version = last.notices.version
            while last.notices.place != expected:
                version = await last.notices.beyond(version)

        await place(3)
        sessions[0].stop()  # It leaves the line, though no worker is there.
        await sessions[0].over()
        assert sessions[0].status == "stopped"
        await place(2)
        assert list((await look(one._connection)).order(9)) == [sessions[1].id, sessions[2].id]

    with_gateways(test)


def test_a_run_that_nobody_waits_for_leaves_the_line(with_gateways):
    async def test(one, _two):
        session = await one.start(PROGRAM, "a")
        await session.over()
        assert session.status == "limit"
        assert (await look(one._connection)).length == 0

    with_gateways(test, unwatched_seconds=0.1)


def test_a_paused_program_gives_way_when_another_waits(redis, fleet_on):
    with fleet_on(redis.url, running=1, notice_seconds=0.5) as server, server.connect("/api/run") as paused:
        paused.send(json.dumps({"command": "run", "source": "x = 1", "pause": True}))
        messages = [json.loads(paused.recv(timeout=60))]
        while not any(event["kind"] == "paused" for one in messages for event in one.get("events", ())):
            messages.append(json.loads(paused.recv(timeout=60)))
        events, _ = server.follow(server.start("print(1)"))
        assert events[-1]["status"] == "ok"
        while "end" not in messages[-1]:
            messages.append(json.loads(paused.recv(timeout=60)))
    assert any(notice.get("limit") == "wanted" for one in messages for notice in one.get("notices", ()))
    error = [event for one in messages for event in one.get("events", ()) if event["kind"] == "error_raised"][-1]
    assert "wait" in error["message"]


def test_a_run_for_which_redis_has_no_room_is_ended(tmp_path, fleet_on, monkeypatch):
    monkeypatch.setattr(outbox, "_FULL_SECONDS", (0.1, 0.2))
    source = "while True:\n    print('x' * 20_000)\n"
    room = {"output_bytes": 256 << 20, "log_bytes": 256 << 20, "events": 100_000}
    with RedisServer(tmp_path, "--maxmemory", "16mb") as redis, fleet_on(redis.url, **room) as server:
        events, _ = server.follow(server.start(source))
    error, last = events[-2:]
    assert (last["kind"], last["status"]) == ("program_finished", "limit")
    assert (error["kind"], error["stage"]) == ("error_raised", "limit")
    assert "memory" in error["message"]
