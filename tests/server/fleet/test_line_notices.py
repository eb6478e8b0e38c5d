"""Protects that a run says when no worker takes it: where none is there, and where the one that ran it is lost."""

from __future__ import annotations

import msgspec
import pytest

from backscope_server.fleet.worker_report import WorkerReport, report, withdraw
from backscope_server.session.notice import NoWorker, Waiting
from backscope_server.session.program import Program

PROGRAM = Program(source="print(1)")
WORKER = WorkerReport(name="w", at=0, ready=True, sandboxed=True, layers={}, running=0, places=1)
LEASE = 30_000


async def take(gateway, token, milliseconds):
    """Take the next run as a worker does, with a lease of so many milliseconds; return its id."""
    connection = gateway._connection
    given = [connection.keys.prefix, connection.keys.line_changed, token, milliseconds, 100, 60_000]
    return (await connection.scripts.take(connection.keys.line, given))[0].decode()


async def until(session, *expected):
    """Wait until these are the notices of a session."""
    version = session.notices.version
    while {notice for notice, _ in session.notices._held.values()} != set(expected):
        version = await session.notices.beyond(version)


def test_a_run_in_line_says_that_there_is_no_worker_until_one_comes(with_gateways):
    async def test(one, two):
        session = await one.start(PROGRAM, "a")
        other = await two.open(session.id)
        for found in (session, other):
            await until(found, Waiting(1, 1), NoWorker(lost=False))
        assert one.readiness.sandboxed is None, "not False: what isolates programs is not known"
        await report(one._connection, WORKER)
        for found in (session, other):
            await until(found, Waiting(1, 1))
        assert one.readiness.sandboxed
        await withdraw(two._connection, WORKER.name)
        await until(other, Waiting(1, 1), NoWorker(lost=False))

    with_gateways(test)


def test_a_worker_that_starts_no_programs_is_none(with_gateways):
    async def test(one, _two):
        await report(one._connection, msgspec.structs.replace(WORKER, ready=False))
        session = await one.start(PROGRAM, "a")
        await until(session, Waiting(1, 1), NoWorker(lost=False))

    with_gateways(test)


def test_a_run_whose_worker_is_lost_says_so_until_another_has_it(with_gateways):
    async def test(one, two):
        session = await one.start(PROGRAM, "a")
        assert await take(one, "lost", 1) == session.id
        other = await two.open(session.id)
        for found in (session, other):
            await until(found, NoWorker(lost=True))
        assert await take(one, "another", LEASE) == session.id
        for found in (session, other):
            await until(found)
        assert session.status == "running"

    with_gateways(test, fleet_lease_seconds=0.5)


@pytest.fixture
def away(monkeypatch):
    """Return a function that lets so many seconds pass on the clock of a gateway's Redis."""
    passed = {}

    def pass_by(gateway, seconds):
        redis = gateway._connection.redis
        before = passed.get(redis, 0)
        passed[redis] = before + seconds
        if not before:
            told = redis.time

            async def time():
                now, microseconds = await told()
                return now + passed[redis], microseconds

            monkeypatch.setattr(redis, "time", time)

    return pass_by


def test_workers_are_not_lost_because_redis_was_away(with_gateways, away):
    async def test(one, _two):
        await report(one._connection, WORKER)
        session = await one.start(PROGRAM, "a")
        assert await take(one, "worker", LEASE) == session.id
        while session.status != "running":
            await one._beat()
        away(one, 600)
        for _ in range(5):
            await one._beat()
            assert not session.notices._held
            assert len(one._workforce) == 1
            away(one, 3)
        # A worker that renews nothing although Redis answers is lost.
        while not session.notices._held:
            await one._beat()
            away(one, 3)
        await until(session, NoWorker(lost=True))
        assert not one._workforce.takes_programs

    with_gateways(test, fleet_lease_seconds=LEASE / 1000)


def test_the_log_says_when_no_worker_is_there_and_when_one_comes(with_gateways, caplog):
    async def test(one, _two):
        session = await one.start(PROGRAM, "a")
        await until(session, Waiting(1, 1), NoWorker(lost=False))
        await report(one._connection, WORKER)
        await until(session, Waiting(1, 1))

    with_gateways(test)
    said = [record.message for record in caplog.records if record.name.endswith("workforce")]
    assert said[0].startswith("No worker takes programs")
    assert "A worker takes programs again." in said
