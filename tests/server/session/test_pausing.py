"""Protects paused programs: they stop and go on by commands, use no time meanwhile, and cannot forge stops."""

from __future__ import annotations

import asyncio
import resource
import time
from pathlib import Path

import pytest

from backscope.protocol.commands import (
    Assign,
    BreakpointsSet,
    Done,
    Evaluate,
    LineBreakpoint,
    ListLocals,
    Pause,
    Refused,
    Resume,
    SetBreakpoints,
    Step,
)
from backscope_server.session.notice import LimitApproaching
from backscope_server.session.timing import Timing

ENDLESS = "x = 0\nwhile True:\n    x += 1\n"


async def ask(session, command):
    """Return the answer to a command."""
    answered = asyncio.get_running_loop().create_future()
    session.command(command, answered.set_result)
    return await asyncio.wait_for(answered, 120)


async def until(session, kind, after=-1):
    """Return the seq of the first event of this kind after another."""
    while await asyncio.wait_for(session.log.beyond(after), 120):
        after += 1
        if session.log.lines[after].startswith(b'{"kind":"%b"' % kind.encode()):
            return after
    raise AssertionError(f"the run ended without {kind}")


async def near_the_end_of_the_pause(session):
    """Wait for half of the time that a paused program waits for a command."""
    version = 0
    while not any(isinstance(held, LimitApproaching) for held, _ in session.notices._held.values()):
        version = await asyncio.wait_for(session.notices.beyond(version), 120)


PATIENCE = Timing(pause_seconds=1.5)


def cpu_ticks(pid):
    """Return the processor time that a process used, in ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_pause_step_and_resume(sandbox, log_of):
    async def check():
        session = await sandbox.start(ENDLESS)
        await session.log.beyond(-1)
        assert await ask(session, Pause(id=7)) == Done(id=7)
        at = await until(session, "paused")
        assert await ask(session, Step(id=8, to="line")) == Done(id=8)
        at = await until(session, "paused", at)
        assert await ask(session, Resume(id=9)) == Done(id=9)
        await until(session, "resumed", at)
        assert (await ask(session, Resume(id=10))).reason == "The program is running. Pause it first."
        session.stop()
        await session.over()
        return log_of(session)

    kinds = [e["kind"] for e in sandbox.run(check()) if e["kind"] in ("paused", "resumed")]
    assert kinds == ["paused", "resumed", "paused", "resumed"]


def test_breakpoints_that_come_with_the_program_are_in_force_at_its_first_line(sandbox):
    async def check():
        session = await sandbox.start("x = 1\ny = 2\n")
        answer = await ask(session, SetBreakpoints(id=1, breakpoints=[LineBreakpoint(id=5, line=2)]))
        assert isinstance(answer, BreakpointsSet)
        at = await until(session, "paused")
        assert b'"breakpoints":[5]' in session.log.lines[at]
        await ask(session, Resume(id=2))
        await session.over()
        return session.status

    assert sandbox.run(check()) == "ok"


def test_values_of_a_paused_program_are_read_and_changed(sandbox, log_of):
    source = "def f(a):\n    b = a + 1\n    return b\nprint(f(1))\n"

    async def check():
        session = await sandbox.start(source)
        await ask(session, SetBreakpoints(id=1, breakpoints=[LineBreakpoint(id=1, line=3)]))
        await until(session, "paused")
        seen = await ask(session, Evaluate(id=2, expression="[b * x for x in range(3)]"))
        names = await ask(session, ListLocals(id=3))
        changed = await ask(session, Assign(id=4, target="b", expression="b * 100"))
        await ask(session, Resume(id=5))
        await session.over()
        return seen.look.text, [v.name for v in names.variables], changed, log_of(session)

    text, names, changed, log = sandbox.run(check())
    assert (text, names, changed) == ("[0, 2, 4]", ["a", "b"], Done(id=4))
    assert [event["text"] for event in log if event["kind"] == "output_printed"] == ["200\n"]


def test_an_expression_that_does_not_end_is_stopped_with_its_program(sandbox):
    async def check():
        session = await sandbox.start("x = 1\n")
        await ask(session, SetBreakpoints(id=1, breakpoints=[LineBreakpoint(id=1, line=1)]))
        await until(session, "paused")
        answered = []
        pid = session._supervisor._child.pid
        before = cpu_ticks(pid)
        session.command(Evaluate(id=2, expression="any(False for _ in iter(int, 1))"), answered.append)
        while cpu_ticks(pid) < before + 5:  # It is at the expression.
            await asyncio.sleep(0.01)
        session.stop()
        await session.over()
        return session.status, answered

    assert sandbox.run(check()) == ("stopped", [Refused(id=2, reason="The program has finished.")])


def test_a_run_that_is_over_refuses(sandbox):
    session = sandbox.finish("print(1)")

    async def check():
        return await ask(session, Pause(id=3))

    assert sandbox.run(check()) == Refused(id=3, reason="The program has finished.")


def test_commands_that_arrive_after_the_end_are_answered(sandbox):
    async def check():
        session = await sandbox.start("import time\nwhile True: sum(range(10**7))\n")
        answered = []
        for number in range(40):
            session.command(Pause(id=number), answered.append)
        session.stop()
        await session.over()
        return answered

    answered = sandbox.run(check())
    assert sorted(answer.id for answer in answered) == list(range(40))


def test_no_more_than_some_commands_wait(sandbox):
    async def check():
        session = await sandbox.start("x = sorted(range(3_000_000), key=lambda i: -i)\n" * 3)
        answered = []
        for number in range(40):
            session.command(Pause(id=number), answered.append)
        waiting = sum("16 commands wait" in answer.reason for answer in answered)
        session.stop()
        await session.over()
        return waiting

    assert sandbox.run(check()) == 24


def test_the_wall_clock_is_stopped_while_paused(sandbox):
    async def check():
        session = await sandbox.start("x = 1\n", Timing(pause_seconds=8, notice_seconds=4), wall_seconds=3)
        await ask(session, SetBreakpoints(id=1, breakpoints=[LineBreakpoint(id=1, line=1)]))
        await until(session, "paused")
        await near_the_end_of_the_pause(session)  # It has lasted longer than the program may run.
        await ask(session, Resume(id=2))
        await session.over()
        return session.status

    assert sandbox.run(check()) == "ok"


def test_a_pause_without_a_command_ends(sandbox, log_of):
    async def check():
        session = await sandbox.start(ENDLESS, Timing(pause_seconds=3, notice_seconds=1.5))
        await ask(session, Pause(id=1))
        at = await until(session, "paused")
        for number in range(2):  # Each command begins it anew.
            await near_the_end_of_the_pause(session)
            await ask(session, Step(id=number, to="line"))
            at = await until(session, "paused", at)
        await session.over()
        return session

    session = sandbox.run(check())
    assert session.status == "limit"
    assert "paused for 3 s without a command" in log_of(session)[-2]["message"]


def test_the_end_of_the_processor_time_is_announced(sandbox, log_of):
    async def check():
        session = await sandbox.start("while True: pass\n", Timing(notice_seconds=1), cpu_seconds=2)
        version, near = 0, None
        while near is None:
            version = await session.notices.beyond(version)
            near = next(
                (held for held, _ in session.notices._held.values() if isinstance(held, LimitApproaching)), None
            )
        await session.over()
        return session, near

    session, near = sandbox.run(check())
    assert (near.limit, near.limit_seconds) == ("cpu", 2)
    assert 0 <= near.seconds_left <= 1
    assert "2 s of processor time" in log_of(session)[-2]["message"]
    assert not session.notices._held


def test_commands_do_not_extend_the_time_of_a_run_in_all(sandbox, log_of):
    async def check():
        session = await sandbox.start(ENDLESS, Timing(pause_seconds=60, place_seconds=0.8, notice_seconds=0.4))
        await ask(session, Pause(id=1))
        await until(session, "paused")
        limits = []
        while session.running:
            session.reset_pause_clock()
            limits += [held.limit for held, _ in session.notices._held.values() if isinstance(held, LimitApproaching)]
            await asyncio.sleep(0.01)
        await session.over()
        return session, set(limits)

    session, limits = sandbox.run(check())
    assert (session.status, limits) == ("limit", {"place"})
    assert "has taken 0.8 s, pauses included" in log_of(session)[-2]["message"]


FORGED = "import os\nos.write(4, b'{line}\\n')\nwhile True: pass\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"kind":"resumed","seq":1,"line":null,"to":"resume"}', "without a command"),
        ('{"answer":"done","id":1}', "an answer to no command"),
        ('{"answer":"done"}', "something that is not an answer"),
        ('{"answer":"done","id":1,"more":2}', "something that is not an answer"),
    ],
)
def test_answers_and_events_without_a_command_end_the_run(sandbox, log_of, line, said):
    session = sandbox.finish(FORGED.format(line=line))
    assert session.status == "limit"
    assert said in log_of(session)[-2]["message"]


def test_a_forged_pause_ends_like_a_real_one(sandbox, log_of):
    paused = '{"kind":"paused","seq":1,"line":null,"reason":"pause","breakpoints":[],"where":"line","call":null,'
    paused += '"node":null,"stack":[],"note":null}'
    source = FORGED.format(line=paused)

    async def check():
        session = await sandbox.start(source, PATIENCE)
        await session.over()
        return session

    session = sandbox.run(check())
    assert session.status == "limit"
    assert "without a command" in log_of(session)[-2]["message"]


def test_fifty_paused_programs_use_no_processor_time(sandbox):
    async def check():
        sessions = [await sandbox.start(ENDLESS, wall_seconds=120, cpu_seconds=60) for _ in range(50)]
        for session in sessions:
            await session.log.beyond(-1)
            await ask(session, Pause(id=1))
        for session in sessions:
            await until(session, "paused")
        pids = [session._supervisor._child.pid for session in sessions]
        before = [cpu_ticks(pid) for pid in pids]
        own = resource.getrusage(resource.RUSAGE_SELF)
        await asyncio.sleep(1)
        after = [cpu_ticks(pid) for pid in pids]
        spent = resource.getrusage(resource.RUSAGE_SELF)
        began = time.perf_counter()
        for session in sessions:
            await ask(session, Resume(id=2))
        resumed = time.perf_counter() - began
        for session in sessions:
            session.stop()
        for session in sessions:
            await session.over()
        return before, after, spent.ru_utime + spent.ru_stime - own.ru_utime - own.ru_stime, resumed

    before, after, server, _ = sandbox.run(check())
    assert after == before
    assert server < 0.5
