"""Kills workers and gateways of a fleet under load, and measures what that costs.

    .venv/bin/python tests/benchmarks/fleet.py [--kills N] [--clients N] [--minutes N]

It needs redis-server.  One of five kills is of a gateway.  Each client runs a program, reconnects where its gateway is
killed, and compares the log that it got, byte by byte, with that of a server that runs the program itself.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / "engine"),
    str(ROOT / "server"),
    str(ROOT / "tests"),
    str(ROOT / "tests" / "server" / "fleet"),
]

from fleet_processes import Client, FleetProcesses, Member  # noqa: E402
from redis_server import RedisServer  # noqa: E402
from websockets.exceptions import WebSocketException  # noqa: E402

SOURCE = """\
import time
import torch
w = torch.ones(8, requires_grad=True)
for step in range(400):
    (w * step).sum().backward()
    w.grad.zero_()
    time.sleep(0.005)
"""
SHORT = "import torch\nw = torch.ones(3, requires_grad=True)\n(w * w).sum().backward()\n"
GATEWAYS, WORKERS = 2, 3
FIRSTS = 40


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Load:
    """Clients that run programs one after the other until they are told to stop."""

    def __init__(self, fleet: FleetProcesses, gateways: list[Member], expected: list[str]) -> None:
        self.fleet = fleet
        self.gateways = gateways
        self.expected = expected
        self.stopping = threading.Event()
        self.runs = self.events = self.wrong = self.reconnected = self.refused = 0
        self.gaps: list[float] = []
        self.killed: list[float] = []
        self.sessions: list[str] = []
        self._lock = threading.Lock()

    def client(self, number: int) -> None:
        while not self.stopping.is_set():
            try:
                lines, session = self._run(number)
            except (OSError, WebSocketException, AssertionError, EOFError) as error:
                if not isinstance(error, AssertionError) or "missing or doubled" not in str(error):
                    self.refused += 1
                    time.sleep(0.2)
                    continue
                lines, session = [], ""
            with self._lock:
                self.runs += 1
                self.events += len(lines)
                if lines != self.expected:
                    self.wrong += 1
                    print(f"{session}: {self._difference(lines)}", flush=True)
                self.sessions.append(session)

    def _difference(self, lines: list[str]) -> str:
        """Return where a log differs from the expected one."""
        for number, (got, wanted) in enumerate(zip(lines, self.expected, strict=False)):
            if got != wanted:
                return f"event {number} is {got[:400]} and not {wanted[:200]}"
        return f"{len(lines)} events and not {len(self.expected)}, the last {lines[-1][:400] if lines else 'missing'}"

    def _run(self, number: int) -> tuple[list[str], str]:
        """Run the program to its end, at whichever gateways there are."""
        client = Client(self.gateways[number % len(self.gateways)], order={"command": "run", "source": SOURCE})
        lines: list[str] = []
        turn = number
        while True:
            try:
                with client:
                    self._follow(client)
                return [*lines, *client.events], client.session
            except (OSError, WebSocketException, EOFError):
                lines += client.events
                after = client.after
                self.reconnected += 1
            while True:
                turn += 1
                try:
                    gateway = self.gateways[turn % len(self.gateways)]
                    client = Client(gateway, session=client.session, after=after)
                    break
                except (OSError, WebSocketException, EOFError):
                    time.sleep(0.05)

    def _follow(self, client: Client) -> None:
        last = time.monotonic()
        while client.end is None:
            client.receive(timeout=120)
            now = time.monotonic()
            if any(last < killed < now for killed in self.killed) and now - last > 0.3:
                self.gaps.append(now - max(killed for killed in self.killed if killed < now))
            last = now


def first_events(member: Member) -> list[float]:
    """Return the seconds from the order to the first event."""
    found = []
    for _ in range(FIRSTS):
        with member.connect("/api/run") as socket:
            began = time.perf_counter()
            socket.send(json.dumps({"command": "run", "source": SHORT}))
            while "events" not in (message := json.loads(socket.recv(timeout=60))):
                pass
            found.append(time.perf_counter() - began)
            while "end" not in message:
                message = json.loads(socket.recv(timeout=60))
        time.sleep(0.05)
    return found


def bytes_in_redis(redis: RedisServer, sessions: list[str]) -> list[int]:
    """Return the bytes that finished runs take."""
    found = []
    for session in sessions:
        said = 0
        for name in ("s", "r"):
            command = [
                "redis-cli",
                "-p",
                str(redis.port),
                "memory",
                "usage",
                f"backscope:{name}:{session}",
                "samples",
                "0",
            ]
            said += int(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() or 0)
        found.append(said)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Kill workers and gateways of a fleet under load.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--minutes", type=float, default=60, help="begin no kill after that")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        redis = RedisServer(folder)
        redis.start()
        closing.callback(redis.stop)
        fleet = FleetProcesses(redis, fleet_bytes=1 << 30)  # It keeps a day of runs otherwise.
        closing.callback(fleet.close)
        embedded = fleet.start("serve", "--no-browser")
        with embedded.run(SOURCE) as client:
            client.to_end()
            expected = client.events
        alone = first_events(embedded)
        gateways = [fleet.gateway() for _ in range(GATEWAYS)]
        workers = [fleet.worker() for _ in range(WORKERS)]
        together = first_events(gateways[0])

        load = Load(fleet, gateways, expected)
        clients = [threading.Thread(target=load.client, args=(number,)) for number in range(options.clients)]
        for thread in clients:
            thread.start()
        kills = {"worker": 0, "gateway": 0}
        until = time.monotonic() + 60 * options.minutes
        for number in range(options.kills):
            if time.monotonic() > until:
                break
            time.sleep(chance.uniform(0.5, 2.0))
            kind = "gateway" if number % 5 == 4 else "worker"
            members = gateways if kind == "gateway" else workers
            place = chance.randrange(len(members))
            load.killed.append(time.monotonic())
            members[place].kill()
            kills[kind] += 1
            members[place] = fleet.gateway() if kind == "gateway" else fleet.worker()
            print(f"{number + 1} kills, {load.runs} runs, {load.wrong} wrong", flush=True)
        load.stopping.set()
        for thread in clients:
            thread.join(300)
        nbytes = bytes_in_redis(redis, [session for session in load.sessions[-20:] if session])

    size = sum(map(len, expected))
    rows = [
        ("kills of workers, of gateways", f"{kills['worker']}, {kills['gateway']}"),
        ("runs, events", f"{load.runs}, {load.events:,}"),
        ("runs with a lost, doubled or other event", f"{load.wrong}"),
        ("connections made anew", f"{load.reconnected}"),
        (
            "from a kill to the next event, s: p50, p95",
            f"{percentile(load.gaps, 0.5):.2f}, {percentile(load.gaps, 0.95):.2f}",
        ),
        (
            "first event, alone, ms: p50, p95",
            f"{1e3 * percentile(alone, 0.5):.1f}, {1e3 * percentile(alone, 0.95):.1f}",
        ),
        (
            "first event, fleet, ms: p50, p95",
            f"{1e3 * percentile(together, 0.5):.1f}, {1e3 * percentile(together, 0.95):.1f}",
        ),
        ("bytes of a run in Redis, of its events", f"{sum(nbytes) // max(1, len(nbytes)):,}, {size:,}"),
    ]
    print()
    for name, said in rows:
        print(f"{name:46}{said:>22}")


if __name__ == "__main__":
    main()
