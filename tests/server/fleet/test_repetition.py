"""Protects that a program which is run again comes to where its log ends, and goes on to the same log."""

from __future__ import annotations

import asyncio
import json

import pytest

from backscope.protocol.commands import Assign, LineBreakpoint, Pause, Refused, Resume, SetBreakpoints, Step
from backscope_server.fleet.repetition import NotRepeated, Repetition
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import STOPPED
from backscope_server.session.program import Program
from backscope_server.session.supervisor import Supervisor

LIMITS = Limits(
    wall_seconds=120,
    cpu_seconds=60,
    memory_bytes=256 << 20,
    output_bytes=1 << 20,
    events=100_000,
    log_bytes=1 << 24,
    event_bytes=1 << 20,
)
STEPS = """\
import torch
w = torch.ones(2, requires_grad=True)
total = 1.0
for step in range(3):
    loss = (w * total).sum()
    loss.backward()
    total += step
print(total, w.grad)
"""
ENDLESS = """\
import torch
w = torch.ones(2, requires_grad=True)
for step in range(100_000):
    loss = (w * step).sum()
    loss.backward()
    w.grad = None
"""


class Written:
    """A log of what a repetition gives, after the events that there are."""

    def __init__(self, repetition: Repetition, lines: list[bytes]) -> None:
        self.repetition = repetition
        self.lines = list(lines)
        self.grown = asyncio.Event()

    @property
    def last(self) -> int:
        return len(self.lines) - 1

    def append(self, lines: list[bytes]) -> None:
        self.lines += self.repetition.feed(lines)
        self.grown.set()
        self.grown = asyncio.Event()

    def end(self, lines: list[bytes]) -> None:
        self.lines += lines

    def finish(self) -> None:
        self.repetition.finished()

    async def reaches(self, seq: int) -> None:
        while self.last < seq:
            await self.grown.wait()


async def debugged(launcher, source, opening, commands, lines=(), took=()):
    """Run a program from where its log ends, give it commands, and return its log and what it took of them.

    A command with a seq is given once that event is there, while the program runs; others while it is paused.
    """
    repetition = Repetition(lines, took)
    log = Written(repetition, lines)
    supervisor = Supervisor(launcher, Program(source=source), LIMITS, log)

    async def send(command):
        answered = asyncio.get_running_loop().create_future()
        supervisor.command(command, lambda answer: answered.done() or answered.set_result(answer))
        return await answered

    taken = [] if lines else [(command, -1, False) for command in opening]
    for command in repetition.opening if lines else opening:
        supervisor.command(command, lambda _answer: None)
    repetition.begin()
    running = asyncio.create_task(supervisor.run())
    try:
        async with asyncio.timeout(60):
            await _debug(repetition, log, supervisor, send, commands, taken)
            await running
    finally:
        supervisor.end(STOPPED)
        await running
    return log.lines, taken


async def _debug(repetition, log, supervisor, send, commands, taken):
    await repetition.run(send)
    for command, seq in commands:
        if seq is None:
            while not repetition.paused:
                await log.reaches(log.last + 1)
        else:
            await log.reaches(seq)
        goings, after, paused = repetition.goings, log.last, seq is None
        answer = await send(repetition.outward(command))
        assert not isinstance(answer, Refused), answer
        if not paused:
            after, paused = supervisor.taken[0] - repetition.offset, supervisor.taken[1]
        taken.append((command, after, paused))
        if isinstance(command, (Resume, Step)):
            await repetition.went_on(goings)


def everywhere(sandbox, source, opening, commands, first=1, every=1):
    """Assert that a run that is cut after any event goes on to the same log."""

    async def check():
        launcher = sandbox.launcher
        whole, taken = await debugged(launcher, source, opening, commands)
        assert json.loads(whole[-1])["kind"] == "program_finished"
        given = taken[len(opening) :]
        for cut in [*range(first, len(whole), every), len(whole) - 1]:
            took = [one for one in given if one[1] + 1 < cut]
            rest = commands[len(took) :]
            lines, _ = await debugged(launcher, source, opening, rest, whole[:cut], [*taken[: len(opening)], *took])
            assert lines == whole, cut
        return whole

    return sandbox.run(check())


def in_pauses(*commands):
    return [(command, None) for command in commands]


def test_without_a_debugger(sandbox):
    everywhere(sandbox, STEPS, [], [])


def test_steps_of_every_kind(sandbox):
    kinds = ("line", "line", "into", "moment", "backward", "node")
    steps = [Step(id=1, to=to) for to in kinds]
    everywhere(sandbox, STEPS, [Pause(id=0)], in_pauses(*steps, Step(id=2, to="seq", seq=45), Resume(id=3)))


def test_changes_by_hand_and_breakpoints(sandbox):
    at = [LineBreakpoint(id=1, line=7, hits=2)]
    more = [LineBreakpoint(id=2, line=8)]
    opening = [SetBreakpoints(id=0, breakpoints=at)]
    change = Assign(id=1, target="total", expression="7.0")
    everywhere(
        sandbox,
        STEPS,
        opening,
        in_pauses(change, SetBreakpoints(id=2, breakpoints=more), Resume(id=3), Resume(id=4)),
    )


def test_a_pause_by_hand(sandbox):
    end = [SetBreakpoints(id=2, breakpoints=[]), Assign(id=3, target="step", expression="99"), Step(id=4, to="moment")]
    last = Assign(id=5, target="w", expression="None")  # The next line fails, so that the program ends.

    async def check():
        launcher = sandbox.launcher
        commands = [(Pause(id=1), 200), *in_pauses(*end, last, Resume(id=6))]
        whole, taken = await debugged(launcher, ENDLESS, [], commands)
        paused = next(seq for seq, line in enumerate(whole) if b'"reason":"pause"' in line)
        for cut in range(paused + 1, len(whole), 2):
            took = [one for one in taken if one[1] + 1 < cut]
            lines, _ = await debugged(launcher, ENDLESS, [], commands[len(took) :], whole[:cut], took)
            assert lines == whole, cut

    sandbox.run(check())


def test_breakpoints_that_are_set_while_it_runs(sandbox):
    at = [LineBreakpoint(id=1, line=5)]
    last = Assign(id=3, target="w", expression="None")
    commands = [(SetBreakpoints(id=1, breakpoints=at), 200), *in_pauses(Resume(id=2), last, Resume(id=4))]

    async def check():
        launcher = sandbox.launcher
        whole, taken = await debugged(launcher, ENDLESS, [], commands)
        stops = [seq for seq, line in enumerate(whole) if b'"kind":"paused"' in line]
        # A log that ends before the command does not say where the program took it.
        for cut in range(max(stops[0] - 3, taken[0][1] + 2), len(whole), 2):
            took = [one for one in taken if one[1] + 1 < cut]
            lines, _ = await debugged(launcher, ENDLESS, [], commands[len(took) :], whole[:cut], took)
            assert lines == whole, cut

    sandbox.run(check())


def test_what_differs_is_named(sandbox):
    async def check():
        whole, _ = await debugged(sandbox.launcher, "print(1)\nprint(2)\n", [], [])
        other = [line.replace(b'"text":"1', b'"text":"3') for line in whole[:-1]]
        with pytest.raises(NotRepeated, match=r"it printed .* where the run had printed"):
            await debugged(sandbox.launcher, "print(1)\nprint(2)\n", [], [], other)

    sandbox.run(check())
