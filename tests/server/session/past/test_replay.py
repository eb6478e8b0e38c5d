"""Protects replays: a program run again has the values of its run at each moment, and differences are reported."""

from __future__ import annotations

import asyncio
import contextlib
import os

import pytest

from backscope.protocol import commands as c, events as ev
from backscope_server.session.past.course import Unreachable
from backscope_server.session.past.curves import Curves
from backscope_server.session.past.replays import Replays
from backscope_server.session.past.run_record import NotRunnable, RunRecord
from backscope_server.session.program import Program
from backscope_server.session.session import Session

TRAINING = """\
import torch
torch.manual_seed(3)
w = torch.ones(20, 20, requires_grad=True)
def round(x):
    loss = (w * x).pow(2).sum()
    loss.backward()
    return loss
for i in range(4):
    x = torch.randn(20, 20)
    loss = round(x)
    with torch.no_grad():
        w -= 0.01 * w.grad
print("end", end="")
"""


@contextlib.asynccontextmanager
async def replays_of(sandbox, *, kept=4, seconds=60, **limits):
    """Yield replays; assert that none of their processes is left afterwards."""
    started = []
    replays = Replays(sandbox.launcher, sandbox.limits(**limits), kept=kept, seconds=seconds, changed=lambda: None)
    replays.started = started
    try:
        yield replays
    finally:
        await replays.close()
        assert len(replays) == 0


async def ask(replays, session, seq, command):
    """Return the answer to a command at a moment, from a waiting replay if one can go on to it, else from a new one."""
    async with asyncio.timeout(120), replays.at(session, seq, "here", lambda: replays.started.append(seq)) as replay:
        return await replay.ask(command)


async def value(replays, session, seq, expression):
    answer = await ask(replays, session, seq, c.Evaluate(id=1, expression=expression))
    return answer.look.text if isinstance(answer, c.Evaluated) else answer.reason


def seqs(events, kind, **fields):
    return [e["seq"] for e in events if e["kind"] == kind and all(e[name] == value for name, value in fields.items())]


def test_a_finished_program_can_be_read_at_every_moment(sandbox, log_of):
    session = sandbox.finish(TRAINING)
    events = log_of(session)
    named = seqs(events, "tensor_named", name="w")[0]
    tensor = events[named]["tensor"]
    accumulated = seqs(events, "grad_accumulated")
    started = seqs(events, "backward_started")[0]
    norms = [events[seq]["after"]["norm"] for seq in accumulated]

    async def check():
        async with replays_of(sandbox) as replays:
            read = await ask(replays, session, named, c.ReadTensor(id=1, tensor=tensor, begin=[3], end=[5]))
            assert (read.whole, read.shape, set(read.values)) == ([20, 20], [2, 20], {1.0})
            for seq, norm in zip(accumulated, norms, strict=True):
                assert float(await value(replays, session, seq, "w.grad.norm().item()")) == pytest.approx(norm)
            assert await value(replays, session, started, "w.grad") == "None"
            assert await value(replays, session, len(events) - 1, "i, 'x' in globals()") == "(3, True)"
            # Forward it went on, back it began anew.
            assert replays.started == [named, started]

    sandbox.run(check())


def test_questions_about_one_moment_are_answered_by_one_run(sandbox, log_of):
    """This also holds for a moment with several events."""
    session = sandbox.finish(TRAINING)
    last = seqs(log_of(session), "gradient_sent")[-1]

    async def check():
        async with replays_of(sandbox) as replays:
            answers = [await value(replays, session, last, "x.sum().item()") for _ in range(3)]
            assert len(set(answers)) == 1
            both = await asyncio.gather(*(value(replays, session, last, f"i + {n}") for n in range(2)))
            assert both == ["3", "4"]
            assert replays.started == [last]

    sandbox.run(check())


def test_where_a_gradient_comes_from(sandbox, log_of):
    """A replay that rehearsed a pass answers more such questions, and goes on to no later moment."""
    session = sandbox.finish(TRAINING)
    events = log_of(session)
    start, later = seqs(events, "backward_started")[2:]
    added = events[seqs(events, "grad_accumulated")[2]]
    first = c.TraceGradient(id=1, node=added["node"], element=[0, 0])
    other = c.TraceGradient(id=1, node=added["node"], element=[7, 3])

    async def check():
        async with replays_of(sandbox) as replays:
            for command in (first, other):
                traced = await ask(replays, session, start, command)
                (leaf, *_, root) = traced.path
                assert (leaf.node, leaf.element) == (added["node"], command.element)
                assert root.arrivals[0].node is None
                assert sum(a.sent for a in leaf.arrivals) == pytest.approx(leaf.value)
            assert leaf.value == pytest.approx(
                float(await value(replays, session, later, "w.grad[7, 3].item()")) - before, rel=1e-4
            )
            assert replays.started == [start, later]

    async def grad_before():
        async with replays_of(sandbox) as replays:
            return float(await value(replays, session, start, "w.grad[7, 3].item()"))

    before = sandbox.run(grad_before())
    sandbox.run(check())


def test_locals_of_a_function_and_of_one_that_raised(sandbox, log_of):
    session = sandbox.finish(TRAINING.replace("    return loss", "    raise ValueError(loss.shape)"))
    events = log_of(session)
    started = seqs(events, "backward_started")[0]

    async def check():
        async with replays_of(sandbox) as replays:
            for seq in (started, len(events) - 1):
                listed = await ask(replays, session, seq, c.ListLocals(id=1))
                assert (listed.function, [v.name for v in listed.variables]) == ("round", ["x", "loss"])

    sandbox.run(check())


def test_the_past_of_a_paused_program(sandbox, log_of):
    """Its own stops are not events of the program."""

    async def check():
        session = Session()
        program = Program(source=TRAINING)
        session.start(program, sandbox.limits(), sandbox.launcher)
        await command(session, c.SetBreakpoints(id=1, breakpoints=[c.LineBreakpoint(id=1, line=9)]))
        await paused(session, 1)
        for stop in (2, 3):
            await command(session, c.Resume(id=2))
            await paused(session, stop)
        events = log_of(session)
        accumulated = seqs(events, "grad_accumulated")
        async with replays_of(sandbox) as replays:
            for seq in accumulated:
                norm = float(await value(replays, session, seq, "w.grad.norm().item()"))
                assert norm == pytest.approx(events[seq]["after"]["norm"])
            assert replays.started == accumulated[:1]
            await command(session, c.Resume(id=2))  # Events from now on are read as its past below.
            await paused(session, 4)
            later = seqs(log_of(session), "grad_accumulated")[-1]
            assert await value(replays, session, later, "i") == "2"
        session.stop()
        await session.over()

    sandbox.run(check())


def test_changes_by_hand_are_made_again(sandbox, log_of):
    """In the frame and at the line where they were made, also among statements without events."""
    source = (
        "import torch\ndef f(k):\n    n = k\n    n = n + 1\n    return torch.ones(300) * n\nx = f(1)\ny = f(x.sum())\n"
    )

    async def check():
        session = Session()
        session.start(Program(source=source), sandbox.limits(), sandbox.launcher)
        await command(session, c.SetBreakpoints(id=1, breakpoints=[c.LineBreakpoint(id=1, line=4)]))
        await paused(session, 1)
        assert await command(session, c.Assign(id=2, target="n", expression="40")) == c.Done(id=2)
        await command(session, c.SetBreakpoints(id=1, breakpoints=[]))
        await command(session, c.Resume(id=3))
        await session.over()
        events = log_of(session)
        (changed,) = seqs(events, "value_changed")
        async with replays_of(sandbox) as replays:
            assert await value(replays, session, len(events) - 1, "x[0].item()") == "41.0"
            assert await value(replays, session, changed, "n") == "40"
            assert await value(replays, session, changed - 2, "n") != "40"

    sandbox.run(check())


UNSTEADY = "import torch, secrets\nx = torch.ones(3)\nprint(secrets.token_hex(8))\nx += 1\n"


def test_a_program_that_is_not_deterministic_is_reported(sandbox, log_of):
    """Values from before the difference can still be read."""
    session = sandbox.finish(UNSTEADY)
    events = log_of(session)
    (printed,) = seqs(events, "output_printed")

    async def check():
        async with replays_of(sandbox) as replays:
            assert await value(replays, session, printed - 1, "x.sum().item()") == "3.0"
            with pytest.raises(Unreachable, match=r"was run again: at event .*, line 3, it printed .* depends on more"):
                await value(replays, session, len(events) - 1, "x")

    sandbox.run(check())


def test_a_difference_to_a_recording_of_other_versions_names_them(sandbox):
    first, *others = sandbox.finish(UNSTEADY).log.lines
    session = Session.recorded([first.replace(b'"numpy":"', b'"numpy":"1.'), *others], "ok")

    async def check():
        async with replays_of(sandbox) as replays:
            with pytest.raises(Unreachable, match="It was recorded with numpy 1\\."):
                await value(replays, session, session.log.last, "x")

    sandbox.run(check())


def test_a_recording_without_a_source_is_refused():
    session = Session.recorded(
        [
            b'{"kind":"program_started","seq":0,"line":null,"protocol":1,"filename":"a.py",'
            b'"source":"","seed":0,"versions":{}}'
        ],
        "ok",
    )
    with pytest.raises(NotRunnable, match="does not have the source"):
        RunRecord(session.log).program()


def test_a_recording_of_a_longer_program_than_is_run_here_is_refused():
    started = ev.ProgramStarted(seq=0, line=None, protocol=1, filename="a.py", source="é" * 600, seed=0, versions={})
    log = Session.recorded([ev.encode(started)], "ok").log
    assert RunRecord(log, 1200).program().source == "é" * 600
    with pytest.raises(NotRunnable, match="longer than 1 KB"):
        RunRecord(log, 1024).program()


def test_curves_whose_run_fails_end_with_a_line_that_says_so(sandbox, caplog, monkeypatch):
    session = sandbox.finish("x = 1\n")

    async def check():
        async with replays_of(sandbox) as replays:
            replay = replays.separate(session, "here", lambda: None)
            monkeypatch.setattr(replay, "watch", lambda *_: 1 / 0)
            parts = [part async for part in Curves(replay, ["x"], session.log.last).read()]
            assert "The server failed" in parts[-1]["refusal"]

    sandbox.run(check())
    assert "Watching expressions failed" in caplog.text


def test_a_run_that_the_server_ended(sandbox, log_of):
    """Its last two events are the server's: values from before them can be read."""
    session = sandbox.finish("import torch\nx = torch.ones(3)\nwhile True:\n    x = x + 1\n", events=500)
    assert session.status == "limit"

    async def check():
        async with replays_of(sandbox) as replays:
            assert float(await value(replays, session, session.log.last, "x[0].item()")) > 100

    sandbox.run(check())


def test_a_killed_process_and_an_endless_question(sandbox):
    """Both give an error, and the next question is answered by another run."""
    session = sandbox.finish(TRAINING)

    async def check():
        async with replays_of(sandbox, wall_seconds=1) as replays:
            async with replays.at(session, 20, "here", lambda: None) as replay:
                asking = asyncio.create_task(replay.ask(c.Evaluate(id=1, expression="sum(range(10**12))")))
                await asyncio.sleep(0)
                os.kill(replay._supervisor._child.pid, 9)
                with pytest.raises(Unreachable, match=r"run again, and that run was ended: .*killed"):
                    await asking
            with pytest.raises(Unreachable, match="still running after 1 s"):
                await value(replays, session, 20, "sum(range(10**12))")
            assert await value(replays, session, 20, "1 + 1") == "2"

    sandbox.run(check())


async def curves_of(replays, session, *expressions):
    """Return all that is streamed for these expressions: points, and the last message."""
    replay = replays.separate(session, "here", lambda: None)
    points, last = [], {}
    async with asyncio.timeout(120):
        async for part in Curves(replay, list(expressions), session.log.last).read():
            points += part.get("points", [])
            last = part
    await replay.gone()
    return points, last


def test_expressions_are_streamed_for_the_whole_run(sandbox, log_of):
    """By the events of the run itself, including its stops and changes by hand."""

    async def check():
        session = Session()
        session.start(Program(source=TRAINING), sandbox.limits(), sandbox.launcher)
        await command(session, c.SetBreakpoints(id=1, breakpoints=[c.LineBreakpoint(id=1, line=9, hits=2)]))
        await paused(session, 1)
        for stop in (2, 3):
            await command(session, c.Assign(id=2, target="w.data[0]", expression="torch.zeros(20)"))
            await command(session, c.Resume(id=2))
            await paused(session, stop)
        await command(session, c.Resume(id=2))
        await session.over()
        events = log_of(session)
        assert len(seqs(events, "value_changed")) == 2
        async with replays_of(sandbox) as replays:
            points, last = await curves_of(replays, session, "w.grad.norm()", "i")
            assert last == {"done": True}
            norms = {seq: number for watch, seq, number, _ in points if watch == 0}
            for seq in seqs(events, "grad_accumulated"):
                after = max(at for at in norms if at <= seq + 1)
                assert norms[after] == pytest.approx(events[seq]["after"]["norm"])
            assert [number for watch, _, number, _ in points if watch == 1] == [0, 1, 2, 3]

    sandbox.run(check())


def test_curves_are_refused_and_end_where_a_run_differs(sandbox, log_of):
    session = sandbox.finish(UNSTEADY)
    (printed,) = seqs(log_of(session), "output_printed")

    async def check():
        async with replays_of(sandbox) as replays:
            points, last = await curves_of(replays, session, "x.sum()")
            assert [point[2] for point in points] == [3.0]
            assert f"at event {printed}" in last["refusal"]
            reading = Curves(replays.separate(session, "here", lambda: None), ["1"], session.log.last).read()
            await anext(reading)
            await reading.aclose()  # Whoever leaves ends it.

    sandbox.run(check())


def test_only_so_many_are_kept_and_only_so_long(sandbox):
    sessions = [sandbox.finish(TRAINING) for _ in range(3)]

    async def check():
        async with replays_of(sandbox, kept=2) as replays:
            for session in sessions:
                await value(replays, session, 20, "1")
            assert len(replays) == 2
            replays.forget(sessions[2])
            assert len(replays) == 1
            assert replays.end_idle("elsewhere") is False
            assert replays.end_idle("here") is True
            assert len(replays) == 0
        async with replays_of(sandbox, seconds=0.01) as replays:
            await value(replays, sessions[0], 20, "1")
            async with asyncio.timeout(120):
                while len(replays):
                    await asyncio.sleep(0.01)

    sandbox.run(check())


async def command(session, given):
    answered = asyncio.get_running_loop().create_future()
    session.command(given, answered.set_result)
    return await asyncio.wait_for(answered, 120)


async def paused(session, times):
    """Wait until the program has been paused so many times."""
    after = -1
    while times:
        assert await asyncio.wait_for(session.log.beyond(after), 120)
        after += 1
        times -= session.log.lines[after].startswith(b'{"kind":"paused"')
