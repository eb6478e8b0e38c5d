"""Measures a server that runs programs itself and a fleet, with everything on this machine.

    .venv/bin/python tests/benchmarks/fleet_figures.py [PART ...]

Parts: first, step, tutorials, cached, watchers, paused, sockets; all without one.  It needs redis-server.  Runs a
second a core come from the processor time of all processes, so that other work on the machine changes them little.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("engine", "server", "tests", "tests/server/fleet")]

from fleet_processes import FleetProcesses, Member  # noqa: E402
from redis_server import RedisServer  # noqa: E402

from backscope_server.command.serve import allow_descriptors  # noqa: E402

SETTINGS = {
    "fleet_lease_seconds": 5,
    "address_starts": 1_000_000,
    "address_requests": 1_000_000,
    "address_programs": 1000,
    "address_waiting": 1000,
    "address_sockets": 5000,
    "address_connections": 5000,
    "connections": 10_000,
    "waiting": 1000,
    "kept": 1000,
}
TUTORIALS = sorted((ROOT / "server" / "backscope_server" / "examples").glob("[0-3]*.py"))
SMALL = "import torch\nw = torch.ones(3, requires_grad=True)\n(w * w).sum().backward()\n"
WATCHED = "import torch\nw = torch.ones(3, requires_grad=True)\nfor _ in range(30):\n    (w * w).sum().backward()\n"
FIRSTS, STEPS, ROUNDS, CLIENTS = 60, 100, 3, 6
CACHED, WATCHERS, PAUSED, SOCKETS = 300, 1000, 200, 2000


def percentile(values: list[float], share: float) -> float:
    """Return the value below which `share` of the values are."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def row(name: str, said: str) -> None:
    """Print a line of the table."""
    print(f"{name:64}{said:>24}", flush=True)


def milliseconds(values: list[float]) -> str:
    """Return p50 and p95 as they are printed."""
    return f"{1e3 * percentile(values, 0.5):.1f}, {1e3 * percentile(values, 0.95):.1f}"


class Machine:
    """The servers under test, of a kind: "alone" or "fleet"; requests go to `entry`."""

    def __init__(self, kind: str, entry: Member, others: list[psutil.Process]) -> None:
        self.kind = kind
        self.entry = entry
        self._roots = [psutil.Process(entry.process.pid), *others]

    def processes(self) -> list[psutil.Process]:
        """Return all processes that are alive."""
        return [one for root in self._roots for one in (root, *root.children(recursive=True))]

    def processor_seconds(self) -> float:
        """Return the processor time so far, of processes that have ended too."""
        found = 0.0
        for one in self.processes():
            with contextlib.suppress(psutil.Error):
                found += sum(one.cpu_times()[:4])  # Its own, and that of children that it has waited for.
        return found

    def memory(self) -> float:
        """Return the bytes of all processes, shared pages counted once."""
        found = 0.0
        for one in self.processes():
            with contextlib.suppress(psutil.Error):
                found += one.memory_full_info().pss
        return found


@contextlib.contextmanager
def alone(**settings: Any) -> Iterator[Machine]:
    """Yield a server that runs programs itself."""
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        processes = FleetProcesses(RedisServer(folder), **{**SETTINGS, **settings})
        closing.callback(processes.close)
        yield Machine("alone", processes.start("serve", "--no-browser"), [])


@contextlib.contextmanager
def fleet(*, workers: int = 2, **settings: Any) -> Iterator[tuple[Machine, RedisServer]]:
    """Yield a gateway with workers, and their Redis."""
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        redis = closing.enter_context(RedisServer(folder))
        processes = FleetProcesses(redis, **{**SETTINGS, **settings})
        closing.callback(processes.close)
        gateway = processes.gateway()
        others = [psutil.Process(processes.worker().process.pid) for _ in range(workers)]
        assert redis.pid is not None
        yield Machine("fleet", gateway, [*others, psutil.Process(redis.pid)]), redis


@contextlib.contextmanager
def each_kind(**settings: Any) -> Iterator[Iterator[Machine]]:
    """Yield both kinds, one after the other."""

    def kinds() -> Iterator[Machine]:
        with alone(**settings) as one:
            yield one
        with fleet(**settings) as (several, _):
            yield several

    yield kinds()


def follow(member: Member, source: str) -> tuple[float, int]:
    """Run a program to its end; return the seconds to its first event, and the number of events."""
    began = time.perf_counter()
    with member.run(source) as client:
        client.until(lambda: client.events)
        first = time.perf_counter() - began
        client.to_end()
        return first, len(client.events)


def first() -> None:
    """Measure from Run to the first event."""
    with each_kind() as kinds:
        for machine in kinds:
            found = []
            for _ in range(FIRSTS):
                time.sleep(0.1)  # The next process is made meanwhile, as between two runs of a reader.
                found.append(follow(machine.entry, SMALL)[0])
            row(f"Run to first event, connecting, {machine.kind}, ms: p50, p95", milliseconds(found))


def step() -> None:
    """Measure a step of the debugger, to the event that says where the program has stopped."""
    with each_kind() as kinds:
        for machine in kinds:
            found = []
            with machine.entry.run(WATCHED, pause=True) as client:
                client.until_kind("paused")
                for number in range(STEPS):
                    began = time.perf_counter()
                    client.send(command="step", to="moment", id=number + 1)
                    client.until_kind("paused", number + 2)
                    found.append(time.perf_counter() - began)
            row(f"step of the debugger, {machine.kind}, ms: p50, p95", milliseconds(found))


def tutorials() -> None:
    """Measure how many tutorial programs are run a second."""
    sources = [path.read_text("utf-8") for path in TUTORIALS] * ROUNDS

    def measure(machine: Machine) -> int:
        for source in sources[:10]:
            follow(machine.entry, source)
        began, used = time.perf_counter(), machine.processor_seconds()
        with ThreadPoolExecutor(CLIENTS) as clients:
            events = sum(count for _, count in clients.map(lambda source: follow(machine.entry, source), sources))
        seconds, cost = time.perf_counter() - began, machine.processor_seconds() - used
        many = len(sources)
        row(f"tutorial programs, {machine.kind}: a second, a second a core", f"{many / seconds:.1f}, {many / cost:.1f}")
        return events // many

    with alone(cache=False) as machine:
        events = measure(machine)
    with fleet(cache=False) as (machine, redis):
        before = redis.used_bytes()
        measure(machine)
        nbytes = (redis.used_bytes() - before) // (len(sources) + 10)
    row("bytes in Redis of such a run, its events", f"{nbytes:,}, {events}")


def cached() -> None:
    """Measure starts that an earlier run answers, to the last event."""
    with fleet(cache=True) as (machine, _):
        follow(machine.entry, SMALL)
        began = time.perf_counter()

        def answered(_number: int) -> float:
            since = time.perf_counter()
            follow(machine.entry, SMALL)
            return time.perf_counter() - since

        with ThreadPoolExecutor(CLIENTS) as clients:
            found = list(clients.map(answered, range(CACHED)))
        seconds = time.perf_counter() - began
    row("answered from the cache: a second; ms: p50, p95", f"{CACHED / seconds:.0f}; {milliseconds(found)}")


async def sockets_to(member: Member, session: str, many: int) -> list[ClientConnection]:
    """Return so many WebSockets that follow a session."""
    address = f"ws://127.0.0.1:{member.port}/api/sessions/{session}/events"
    found: list[ClientConnection] = []
    while len(found) < many:
        some = min(50, many - len(found))
        found += await asyncio.gather(
            *(
                connect(address, max_size=None, max_queue=None, compression=None, open_timeout=120, ping_interval=None)
                for _ in range(some)
            )
        )
    return found


async def to_end(socket: ClientConnection) -> int:
    """Read a session to its end; return the seq of its last event."""
    text = ""
    while '"end":true' not in text:
        text = str(await socket.recv())
    last: int = json.loads(text)["last"]
    return last


def watchers() -> None:
    """Measure a run that many watch: how long after the first one the last one has all of it."""

    async def measure(machine: Machine) -> None:
        with machine.entry.run(WATCHED, pause=True) as client:
            client.until_kind("paused")
            sockets = await sockets_to(machine.entry, client.session, WATCHERS)
            tasks = [asyncio.create_task(to_end(socket)) for socket in sockets]
            used = machine.processor_seconds()
            began = time.perf_counter()
            client.send(command="resume", id=1)
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            one = time.perf_counter() - began
            lasts = set(await asyncio.gather(*tasks))
            whole, cost = time.perf_counter() - began, machine.processor_seconds() - used
            await asyncio.to_thread(client.to_end)
            assert done
            assert lasts == {client.after}
            for socket in sockets:
                await socket.close()
        said = f"{client.after + 1} events, {machine.kind}: first, last s; cpu s"
        row(f"{WATCHERS:,} watchers, {said}", f"{one:.1f}, {whole:.1f}; {cost:.1f}")

    with each_kind() as kinds:
        for machine in kinds:
            asyncio.run(measure(machine))


def paused() -> None:
    """Measure many programs that are paused in the debugger, and a step of one of them."""
    with fleet(workers=2, running=PAUSED // 2) as (machine, redis):
        before, kept = machine.memory(), redis.used_bytes()
        with contextlib.ExitStack() as closing:
            clients = [closing.enter_context(machine.entry.run(SMALL, pause=True)) for _ in range(PAUSED)]
            for client in clients:
                client.until_kind("paused")
            used, began = machine.processor_seconds(), time.perf_counter()
            time.sleep(5)
            idle = (machine.processor_seconds() - used) / (time.perf_counter() - began)
            memory = machine.memory() - before
            found = []
            for client in clients[:50]:
                since = time.perf_counter()
                client.send(command="step", to="moment", id=1)
                client.until_kind("paused", 2)
                found.append(time.perf_counter() - since)
            nbytes = redis.used_bytes() - kept
    row(
        f"{PAUSED} paused programs: MB of memory each, kB in Redis each",
        f"{memory / PAUSED / 1e6:.1f}, {nbytes / PAUSED / 1e3:.1f}",
    )
    row("  cores that they take while nothing happens", f"{idle:.2f}")
    row("  a step of one of them, ms: p50, p95", milliseconds(found))


def sockets() -> None:
    """Measure the memory of a gateway with many WebSockets."""

    async def measure(machine: Machine) -> None:
        gateway = psutil.Process(machine.entry.process.pid)
        with machine.entry.run(SMALL, pause=True) as client:
            client.until_kind("paused")
            before = gateway.memory_info().rss
            opened = await sockets_to(machine.entry, client.session, SOCKETS)
            for socket in opened:
                await socket.recv()
            after = gateway.memory_info().rss
            for socket in opened:
                await socket.close()
        each = (after - before) / SOCKETS
        row(
            f"gateway: MB; with {SOCKETS:,} sockets; kB a socket",
            f"{before / 1e6:.0f}; {after / 1e6:.0f}; {each / 1e3:.1f}",
        )

    with fleet(workers=1) as (machine, _):
        asyncio.run(measure(machine))


PARTS: dict[str, Callable[[], None]] = {
    part.__name__: part for part in (first, step, tutorials, cached, watchers, paused, sockets)
}


def main(parts: list[str]) -> None:
    """Print the table."""
    allow_descriptors()
    row(f"{psutil.cpu_count()} cores, load {psutil.getloadavg()[0]:.1f} at the start", "")
    for name in parts or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
