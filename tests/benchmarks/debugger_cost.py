"""Measures the cost of the debugger: breakpoints that are not hit, pausing and going on, many paused programs at once.

    python tests/benchmarks/debugger_cost.py [SESSIONS] [--rounds 7] [--only breakpoints]

Times are CPU time. The runs of a round go side by side on one processor, which takes turns between them every few
milliseconds: whatever else the machine does meanwhile slows all of them alike.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pickle
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from backscope import keep_memory
from backscope.program.runner import run
from backscope.protocol import commands as c
from backscope.protocol.transport import Script
from backscope_server.sandbox.launcher import Launcher
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.settings import Settings

TRAINING = """\
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(16, 4)
for step in range(1300):
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
pass
"""
SCALARS = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
for step in range(300):
    y = w
    for i in range(20):
        y = y * 1.01
        y = y + 0.1
    y.backward()
pass
"""
PYTHON = """\
total = 0
for i in range(300_000):
    if i % 3:
        total += i
    else:
        total -= 1
pass
"""
LINES = [c.LineBreakpoint(id=n, line=10 if n % 2 else 2, condition="1 > 2") for n in range(10)]
KINDS: list[c.Breakpoint] = [
    c.LineBreakpoint(id=1, line=10, condition="False"),
    c.OpBreakpoint(id=2, name="logsumexp"),
    c.NodeBreakpoint(id=3, node=10**9),
    c.TensorBreakpoint(id=4, tensor="nothing", when="accumulated"),
    c.TensorBreakpoint(id=5, tensor="nothing", when="changed"),
    c.NonFiniteBreakpoint(id=6),
    c.GradientNormBreakpoint(id=7, above=1e9),
    c.HookBreakpoint(id=8),
    c.FreedBreakpoint(id=9, name="ExpBackward0"),
    c.ExceptionBreakpoint(id=10),
]
NAMES: list[c.Breakpoint] = [b for b in KINDS if b.id not in (6, 7)] + [
    c.OpBreakpoint(id=6, name="ExpBackward0"),
    c.TensorBreakpoint(id=7, tensor="nothing", when="created"),
]
NUMBERS: list[c.Breakpoint] = [c.NonFiniteBreakpoint(id=1), c.GradientNormBreakpoint(id=2, above=1e9)]


def seconds(source: str, breakpoints: list[c.Breakpoint] | None) -> tuple[float, int]:
    """Return the CPU time of a run and the number of its events; None runs it without a debugger."""
    count = 0

    def write(batch: bytes) -> None:
        nonlocal count
        count += batch.count(b"\n")

    transport = None if breakpoints is None else Script([c.SetBreakpoints(id=0, breakpoints=breakpoints)])
    began = time.process_time()
    run(source, write, transport=transport)
    return time.process_time() - began, count


def side_by_side(source: str, variants: list[list[c.Breakpoint] | None]) -> list[tuple[float, int]]:
    """Return the result of seconds() for each variant, each in a process of its own, all at once on one processor."""
    gate, opening = os.pipe()
    children: list[tuple[int, int]] = []
    for breakpoints in variants:
        told, telling = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(opening)
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            seconds(source.replace("range(", "range(1 + 0 * "), breakpoints)  # What is made once is made by now.
            os.read(gate, 1)
            os.write(telling, pickle.dumps(seconds(source, breakpoints)))
            os._exit(0)
        os.close(telling)
        children.append((pid, told))
    time.sleep(0.5)
    os.close(opening)
    os.close(gate)
    results = []
    for pid, told in children:
        with os.fdopen(told, "rb") as pipe:
            results.append(pickle.load(pipe))
        os.waitpid(pid, 0)
    return results


def breakpoints(rounds: int) -> None:
    """Compare runs with breakpoints that are not hit with one without in each round."""
    given: list[tuple[str, list[c.Breakpoint] | None]] = [
        ("no debugger", None),
        ("no breakpoint", []),
        ("no breakpoint again", []),
        ("ten on lines", list(LINES)),
        ("ten of all kinds", KINDS),
        ("ten without numbers", NAMES),
        ("NaN and norm", NUMBERS),
    ]
    for name, source in (("training", TRAINING), ("scalars", SCALARS), ("plain Python", PYTHON)):
        variants = [b if b is None else _within(b, source) for _, b in given]
        found = [side_by_side(source, variants) for _ in range(rounds)]
        print(f"{name}: {found[0][0][1]:,} events")
        for i, (what, _) in enumerate(given):
            ratios = sorted(one[i][0] / one[1][0] for one in found)
            least = min(one[i][0] for one in found) * 1000
            spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
            print(f"  {what:<20}{least:9.0f} ms   x {statistics.median(ratios):.3f}   {spread}")


def _within(breakpoints: list[c.Breakpoint], source: str) -> list[c.Breakpoint]:
    last = source.count("\n")
    return [
        c.LineBreakpoint(id=b.id, line=min(b.line, last), condition=b.condition)
        if isinstance(b, c.LineBreakpoint)
        else b
        for b in breakpoints
    ]


def _memory(pid: int) -> tuple[int, int]:
    """Return the private bytes of a process and its processor time in ticks."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    private = sum(int(line.split()[1]) for line in rollup if line.startswith(("Private_Clean", "Private_Dirty")))
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return private << 10, int(fields[11]) + int(fields[12])


def _pid(session: Session) -> int:
    supervisor = session._supervisor
    assert supervisor is not None and supervisor._child is not None and supervisor._child.pid is not None
    return supervisor._child.pid


async def _answer(session: Session, command: c.Command) -> c.Answer:
    answered: asyncio.Future[c.Answer] = asyncio.get_running_loop().create_future()
    session.command(command, answered.set_result)
    return await answered


async def _until(session: Session, kind: bytes, after: int) -> int:
    while await session.log.beyond(after):
        after += 1
        if session.log.lines[after].startswith(b'{"kind":"' + kind):
            return after
    raise SystemExit("a program ended too early")


async def _timed(session: Session, command: c.Command, kind: bytes) -> float:
    last = session.log.last
    began = time.perf_counter()
    await asyncio.gather(_answer(session, command), _until(session, kind, last))
    return (time.perf_counter() - began) * 1000


def _quantiles(figures: list[float]) -> str:
    ordered = sorted(figures)
    return f"p50 {ordered[len(ordered) // 2]:6.2f} ms   p95 {ordered[len(ordered) * 95 // 100]:6.2f} ms"


async def sessions(count: int) -> None:
    """Measure pausing and going on in a real child, then many children paused during training."""
    launcher = Launcher()
    await launcher.start()
    limits = Settings().limits()
    source = TRAINING.replace("range(1300)", "range(10**9)")

    def start() -> Session:
        session = Session()
        session.start(Program(source=source), limits, launcher)
        return session

    one = start()
    await _until(one, b"op_applied", -1)
    await asyncio.sleep(0.5)
    figures: dict[str, list[float]] = {"pause": [], "step a line": [], "step a moment": [], "resume": []}
    asks: list[tuple[str, Callable[[], c.Command], bytes]] = [
        ("pause", lambda: c.Pause(id=1), b"paused"),
        ("step a line", lambda: c.Step(id=2, to="line"), b"paused"),
        ("step a moment", lambda: c.Step(id=3, to="moment"), b"paused"),
        ("resume", lambda: c.Resume(id=4), b"resumed"),
    ]
    for _ in range(40):
        for what, command, kind in asks:
            figures[what].append(await _timed(one, command(), kind))
            await asyncio.sleep(0.01)
    for what, found in figures.items():
        print(f"  {what:<18}{_quantiles(found)}")
    one.stop()
    await one.over()

    began = time.perf_counter()
    many = []
    for _ in range(count):
        session = start()
        many.append(session)
        await _until(session, b"optimizer_stepped", -1)
        await _timed(session, c.Pause(id=1), b"paused")
    print(f"  {count} programs paused after {time.perf_counter() - began:.1f} s")
    pids = [_pid(session) for session in many]
    before = [_memory(pid) for pid in pids]
    own = time.process_time()
    await asyncio.sleep(5)
    after = [_memory(pid) for pid in pids]
    private = sorted(m for m, _ in after)
    ticks = sum(b - a for (_, a), (_, b) in zip(before, after, strict=True))
    print(
        f"  private memory: median {private[len(private) // 2] / 2**20:.1f} MB, together {sum(private) / 2**30:.2f} GB"
    )
    print(f"  in 5 s they used {ticks} ticks of processor time, the server {(time.process_time() - own) * 1000:.0f} ms")
    print(f"  going on with one among them: {await _timed(many[0], c.Step(id=2, to='line'), b'paused'):.2f} ms")
    for session in many:
        session.stop()
    for session in many:
        await session.over()
    await launcher.close()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", nargs="?", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=["breakpoints", "sessions"])
    given = parser.parse_args()
    keep_memory()
    if given.only != "sessions":
        breakpoints(given.rounds)
    if given.only != "breakpoints":
        print("sessions:")
        asyncio.run(sessions(given.sessions))


if __name__ == "__main__":
    main()
