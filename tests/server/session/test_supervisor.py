"""Protects the course of one run: it can be stopped at any time, and its last events are not lost."""

from __future__ import annotations

import asyncio
import os

import pytest

from backscope.protocol.commands import Done, Evaluate, Refused
from backscope_server.sandbox.launcher import Child
from backscope_server.sandbox.layers import descriptors
from backscope_server.sandbox.limits import Limits
from backscope_server.session import supervisor
from backscope_server.session.log import SessionLog
from backscope_server.session.program import Program


def printed(events):
    return "".join(event["text"] for event in events if event["kind"] == "output_printed")


def test_a_running_program_is_stopped(sandbox, log_of):
    async def check():
        session = await sandbox.start("while True: pass\n")
        await session.log.beyond(-1)
        session.stop()
        await session.over()
        return session

    session = sandbox.run(check())
    assert session.status == "stopped"
    assert log_of(session)[-1]["status"] == "stopped"
    assert all(event["kind"] != "error_raised" for event in log_of(session))


def test_a_program_is_stopped_before_it_has_begun(sandbox, log_of):
    async def check():
        session = await sandbox.start("while True: pass\n")
        session.stop()
        await session.over()
        return session

    session = sandbox.run(check())
    assert [event["kind"] for event in log_of(session)] == ["program_started", "program_finished"]
    assert session.status == "stopped"


def test_stopping_a_finished_program_changes_nothing(sandbox):
    session = sandbox.finish("print(1)")
    before = list(session.log.lines)
    session.stop()
    assert (session.status, session.log.lines) == ("ok", before)


def test_a_source_longer_than_a_pipe_gets_through(sandbox, log_of):
    source = f"x = '{'y' * 400_000}'\nprint('end', len(x))\n"
    assert "end 400000" in printed(log_of(sandbox.finish(source)))


def test_the_last_events_before_an_exit_are_there(sandbox, log_of):
    source = "for i in range(3000): print(i)\nraise ValueError('last')\n"
    events = log_of(sandbox.finish(source))
    assert printed(events).endswith("2999\n")
    assert events[-2]["message"] == "last"


def test_the_last_events_are_there_if_the_server_is_slow_to_read(sandbox, log_of, monkeypatch):
    monkeypatch.setattr(supervisor, "_DRAIN_SECONDS", 0.0)
    monkeypatch.setattr(supervisor, "_READ", 1 << 10)
    assert printed(log_of(sandbox.finish("for i in range(900): print(i)\n"))).endswith("899\n")


def test_programs_run_at_the_same_time(sandbox):
    async def check():
        sessions = [await sandbox.start(f"print({i})") for i in range(12)]
        for session in sessions:
            await session.over()
        return sessions

    assert {session.status for session in sandbox.run(check())} == {"ok"}


def test_hostile_neighbours_do_not_harm_an_ordinary_program(sandbox, log_of):
    hostile = [
        "while True: print('x' * 5000)",
        "import os\nos._exit(9)",
        "import os\nos.write(4, b'x' * 100000)\nwhile True: pass",
        "import ctypes\nctypes.string_at(0)",
        "while True: pass",
    ]

    async def check():
        others = [await sandbox.start(source, cpu_seconds=1) for source in hostile]
        mine = await sandbox.start("print('mine')")
        await mine.over()
        for session in others:
            session.stop()
            await session.over()
        return mine, others

    mine, others = sandbox.run(check())
    assert mine.status == "ok"
    assert printed(log_of(mine)) == "mine\n"
    assert {session.status for session in others} <= {"limit", "stopped"}


def test_descriptors_are_given_back(sandbox):
    import os

    sandbox.finish("print(1)")
    before = len(os.listdir("/proc/self/fd"))
    for source in ("print(1)", "import os\nos._exit(1)", "import os\nos.write(4, b'bad\\n')"):
        sandbox.finish(source)
    assert len(os.listdir("/proc/self/fd")) == before


LIMITS = Limits(
    wall_seconds=60.0,
    cpu_seconds=60,
    memory_bytes=1 << 30,
    output_bytes=1 << 20,
    events=1000,
    log_bytes=1 << 20,
    event_bytes=1 << 16,
)


class Puppet:
    """A launcher without processes: the test acts as the child, through the ends of its pipes."""

    def __init__(self):
        self.versions = {}
        self.spawned = asyncio.Event()

    async def spawn(self, _limits, control, stream, _diagnostics):
        self.control, self.stream = os.dup(control), os.dup(stream)
        self.child = Child(1, 0)
        self.spawned.set()
        return self.child

    def exit(self):
        os.close(self.control)
        os.close(self.stream)
        self.child.finish(None, "it is a test")


@pytest.mark.parametrize("watchable", [True, False])
def test_commands_that_are_answered_and_not_read_are_bounded(watchable, monkeypatch):
    monkeypatch.setattr(descriptors, "WATCHABLE", watchable)

    async def check():
        puppet = Puppet()
        supervised = supervisor.Supervisor(puppet, Program(source="x = 1\n"), LIMITS, SessionLog())
        running = asyncio.create_task(supervised.run())
        await puppet.spawned.wait()
        numbers = iter(range(1, 1000))

        async def ask():
            answered = asyncio.get_running_loop().create_future()
            number = next(numbers)
            supervised.command(Evaluate(id=7, expression="x" * 4000), answered.set_result)
            if not answered.done():
                os.write(puppet.stream, b'{"answer":"done","id":%d}\n' % number)
            return await asyncio.wait_for(answered, 60)

        answers = [await ask() for _ in range(300)]
        accepted = answers.count(Done(id=7))
        refused = Refused(id=7, reason="Unread commands wait for their answers; send more after those.")
        # The thread that writes may make room for one more after a refusal, so their order is not held.
        assert 0 < accepted < 300
        assert answers.count(refused) == 300 - accepted
        limit = supervisor._AT_ONCE_BYTES
        unread = b""
        while unread.count(b"\n") < accepted + 1:  # The job is the first line.
            unread += await asyncio.to_thread(os.read, puppet.control, 1 << 16)
        assert limit // 2 < len(unread) < limit + (1 << 17)  # The pipe itself holds the rest.
        while await ask() != Done(id=7):  # There is room again.
            pass
        puppet.exit()
        assert await running == "limit"

    asyncio.run(check())
