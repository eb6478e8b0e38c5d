"""Protects that a program which many clients start at several gateways runs once, unless its first run is debugged."""

from __future__ import annotations

import asyncio
import contextlib

import httpx
import pytest
from fleet_processes import FleetProcesses
from redis_server import RedisServer


@pytest.fixture(scope="module")
def gateways(tmp_path_factory):
    redis = RedisServer(tmp_path_factory.mktemp("redis"))
    redis.start()
    fleet = FleetProcesses(redis, cache=True, address_starts=1000)
    with contextlib.ExitStack() as closing:
        closing.callback(redis.stop)
        closing.callback(fleet.close)
        found = [fleet.gateway(), fleet.gateway()]
        fleet.worker()
        yield found


def test_a_burst_at_two_gateways_runs_a_program_once(gateways):
    source = "import time\ntime.sleep(3)\nprint('once')\n"

    async def burst():
        async with contextlib.AsyncExitStack() as clients:
            found = [
                await clients.enter_async_context(httpx.AsyncClient(base_url=one.http.base_url, timeout=60))
                for one in gateways
            ]
            starts = [found[number % 2].post("/api/sessions", json={"source": source}) for number in range(60)]
            return await asyncio.gather(*starts)

    answers = asyncio.run(burst())
    assert {answer.status_code for answer in answers} == {201}
    sessions = {answer.json()["session"] for answer in answers}
    assert len(sessions) == 1
    assert "once" in "".join(gateways[1].events(sessions.pop()))


def test_nobody_waits_for_a_run_that_is_debugged_at_another_gateway(gateways):
    source = "print('debugged')\nwhile True: pass\n"
    one, two = gateways
    with one.run(source) as client:
        client.until(lambda: client.events)
        client.send(command="pause", id=1)
        client.answer(1)
        with two.run(source) as other:
            assert other.session != client.session
