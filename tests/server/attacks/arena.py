"""Runs hostile programs on a real server, with traps and beside ordinary programs, and checks the damage."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import processes
from outcome import Attack, Run
from server_user import as_user, import_variables
from trap import Trap
from websockets.sync.client import connect

from backscope_server.sandbox.layers import identity

HERE = Path(__file__).resolve().parent
AT_ONCE = 12
ANSWER_SECONDS = 60.0
GROWTH_BYTES = 20 << 20

SETTINGS = {
    "wall_seconds": 10,
    "cpu_seconds": 1,
    "memory_bytes": 256 << 20,
    "output_bytes": 200_000,
    "events": 20_000,
    "log_bytes": 4 << 20,
    "event_bytes": 256 << 10,
    "running": 100,
    "kept": 500,
    "kept_bytes": 16 << 20,
    "unwatched_seconds": 60,
    "zygote_programs": 100_000,  # One that is gone is one that was killed.
    "storage": "off",
    "token": "off",
}

NEIGHBOUR = """import os
import torch

print(os.getpid())
torch.manual_seed(1)
x = torch.randn(16, 4)
y = x @ torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
"""
"""An ordinary program; the first line that it prints is not the same in every run and is not compared."""


class Arena:
    """A server that hostile programs are run on; its process belongs to `user`, None for the user of the tests."""

    def __init__(self, user: int | None = None, *, without: tuple[str, ...] = (), **settings: Any) -> None:
        self.user = user
        self.without = without
        self.settings = {**SETTINGS, **settings}
        # Programs look for the beginnings of these words; the rest makes sure that it is ours that they found.
        self.file_canary = f"CANARY-FILE-{secrets.token_hex(6)}"
        self.variable_canary = f"CANARY-ENV-91c2-{secrets.token_hex(6)}"
        self.folder = Path(tempfile.mkdtemp(prefix="arena-"))
        self.folder.chmod(0o755)
        self.neighbour_pid: int | None = None
        self.neighbours = 0
        self.neighbours_harmed: list[str] = []
        self.attacks: dict[str, Attack] = {}
        self.http: httpx.Client | None = None
        self._children: set[processes.Process] = set()
        self._meeting = threading.Condition()
        self._expected: list[dict[str, Any]] = []

    def __enter__(self) -> Arena:
        static = self.folder / "static"
        static.mkdir()
        (static / "index.html").write_text("<!doctype html><title>Backscope</title>")
        self._log = (self.folder / "server.log").open("wb+")
        environment = {
            **os.environ,
            **{f"BACKSCOPE_{name.upper()}": str(value) for name, value in self.settings.items()},
            "ARENA_SECRET": self.variable_canary,
            **import_variables(),
        }
        self.server = subprocess.Popen(
            [*as_user(self.user), sys.executable, str(HERE / "host.py"), str(static), *self.without],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        try:
            assert self.server.stdout is not None
            port = self.server.stdout.readline().strip()
            if not port:
                raise RuntimeError(f"the server did not start:\n{self.said()}")
            self.port = int(port)
            self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=ANSWER_SECONDS)
            self._until_it_answers()
            for _ in range(5):  # What the server holds after its first programs is what it holds.
                ordinary = self.run(NEIGHBOUR)
                if ordinary.ending != "ok":
                    raise RuntimeError(f"an ordinary program ended with {ordinary.ending}: {ordinary.error}")
                self._expected = _comparable(ordinary.events)
            self.quiet = self._settled()
            self.memory_before = self.memory()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        if self.server.stdout is not None:
            self.server.stdout.close()
        if self.http is not None:
            self.http.close()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def said(self) -> str:
        """Return the output of the server."""
        return (self.folder / "server.log").read_text(errors="replace")

    def memory(self) -> int:
        """Return the memory of the server's process, bytes."""
        return processes.memory(self.server.pid)

    def run(self, source: str, *, first: threading.Event | None = None, seen: list[str] | None = None) -> Run:
        """Run a program to its end as a page does; the server then forgets it.

        `first` is set and `seen` gets the text once the program has printed something.
        """
        answer = self.http.post("/api/sessions", json={"source": source})
        assert answer.status_code == 201, answer.text
        identity = answer.json()["session"]
        run = Run()
        url = f"ws://127.0.0.1:{self.port}/api/sessions/{identity}/events?after=-1"
        with connect(url, max_size=None, compression=None) as page:
            while "end" not in (message := json.loads(page.recv(timeout=ANSWER_SECONDS))):
                run.events += message.get("events", ())
                if first is not None and not first.is_set() and run.printed:
                    assert seen is not None
                    seen.append(run.printed)
                    first.set()
        self.http.delete(f"/api/sessions/{identity}")
        return run

    def attack(self, programs: dict[str, str]) -> None:
        """Run hostile programs, several at once, with ordinary ones beside them all the time, and check the damage."""
        stop = threading.Event()
        beside = threading.Thread(target=self._neighbours, args=(stop,), daemon=True)
        beside.start()
        try:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                self.attacks |= zip(programs, pool.map(self._attack, programs, programs.values()), strict=True)
        finally:
            stop.set()
            beside.join(2 * ANSWER_SECONDS)

    def left_over(self) -> list[str]:
        """Return a sentence for each thing that the attacks left: processes, memory, errors of the server."""
        found = list(self.neighbours_harmed)
        if self.server.poll() is not None:
            return [*found, f"the server ended with status {self.server.returncode}: {self.said()[-2000:]}"]
        until = time.monotonic() + 120
        while len(now := processes.below(self.server.pid)) > len(self.quiet) and time.monotonic() < until:
            time.sleep(0.1)
        if len(now) > len(self.quiet):
            found.append(f"processes were left: {now - self.quiet}")
        # One that was ready for the next program has become one since; those that start others stay.
        parents = {self.server.pid, *(process.parent for process in self.quiet)}
        if lost := {p for p in self.quiet - now if p.pid in parents or p.parent == self.server.pid}:
            found.append(f"processes of the server are gone: {lost}")
        if escaped := self._strangers():
            found.append(f"processes escaped: {escaped}")
        if (growth := self.memory() - self.memory_before) > GROWTH_BYTES:
            found.append(f"the server grew by {growth / 1e6:.1f} MB")
        said = self.said()
        if self._leaks(said):
            found.append("a canary or PWNED is in the server's log")
        if "Traceback" in said:
            found.append(f"the server failed somewhere: {said[-2000:]}")
        if ours := [entry.name for entry in os.scandir("/dev/shm") if entry.stat().st_uid in self._users()]:
            found.append(f"shared memory was left: {ours}")
        if lasting := processes.lasting(self._users()):
            found.append(f"what outlives every process was left: {lasting}")
        return found

    def _settled(self) -> set[processes.Process]:
        """Return the server's processes once none was started or ended for a while."""
        found: set[processes.Process] = set()
        while found != (now := processes.below(self.server.pid)):
            found = now
            time.sleep(0.5)
        return found

    def _until_it_answers(self) -> None:
        until = time.monotonic() + ANSWER_SECONDS
        while True:
            with contextlib.suppress(httpx.TransportError):
                self.http.get("/api/health").raise_for_status()
                return
            if self.server.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the server does not answer:\n{self.said()}")
            time.sleep(0.02)

    def _users(self) -> range:
        """Return the user ids that only this server's programs have; none if they share that of the tests."""
        if os.geteuid() != 0:
            return range(0)
        if self.user is not None:
            return range(self.user, self.user + 1)
        seen = [process.user for process in self._children if process.user >= identity._LOW]
        if not seen:
            return range(0)
        low = identity._LOW if seen[0] < identity._HIGH else seen[0] - (seen[0] - identity._HIGH) % identity.SLOTS
        return range(low, low + identity.SLOTS)

    def _strangers(self) -> set[processes.Process]:
        """Return the processes under a program's user id that are not descendants of the server."""
        own = {self.server.pid, *(process.pid for process in processes.below(self.server.pid))}
        users = self._users()
        return {p for p in processes.everything().values() if p.user in users and p.pid not in own}

    def _leaks(self, text: str) -> bool:
        return bool(re.search("^PWNED", text, re.MULTILINE)) or any(
            canary in text for canary in (self.file_canary, self.variable_canary)
        )

    def _neighbours(self, stop: threading.Event) -> None:
        """Run ordinary programs one after the other; the log of each must be as without hostile programs."""
        while not stop.is_set():
            first, seen = threading.Event(), list[str]()
            announcing = threading.Thread(target=self._announce, args=(first, seen), daemon=True)
            announcing.start()
            try:
                events = self.run(NEIGHBOUR, first=first, seen=seen).events
            except Exception as error:
                self.neighbours_harmed.append(f"an ordinary program beside got no answer: {error!r}")
                events = self._expected
            finally:
                first.set()
                announcing.join()
            got = _comparable(events)
            if got == self._expected:
                self.neighbours += 1
            elif Run(events).ending != "TimeLimitExceeded" or got[:-2] != self._expected[: len(got) - 2]:
                # On a machine that is busy with other things a program may be too slow, and reach a limit.
                self.neighbours_harmed.append(f"an ordinary program beside was disturbed: ... {got[-2:]}")
            stop.wait(0.1)  # Two processors have enough to do with the hostile ones.

    def _announce(self, first: threading.Event, seen: list[str]) -> None:
        first.wait()
        with self._meeting:
            if seen:
                self.neighbour_pid = int(seen[0].split()[0])
                self._children = processes.below(self.server.pid)
            self._meeting.notify_all()

    def _attack(self, name: str, source: str) -> Attack:
        attack = Attack(name)
        trap = Trap(self.folder, name, self.file_canary)
        with self._meeting:
            self._meeting.wait_for(lambda: self.neighbour_pid is not None, ANSWER_SECONDS)
            neighbour = self.neighbour_pid or 1
        places = {"@PORT@": trap.port, "@CANARY@": trap.file, "@WDIR@": trap.folder, "@SIB@": neighbour}
        for place, value in places.items():
            source = source.replace(place, str(value))
        began = time.monotonic()
        try:
            run = self.run(source)
        except Exception as error:
            attack.breaches.append(f"the server gave no answer: {error!r}")
        else:
            attack.ending = run.ending
            attack.message = run.error["message"] if run.error is not None else ""
            attack.printed = run.printed
            if self._leaks(run.printed) or self._leaks(json.dumps(run.events[1:])):
                shown = [line[:200] for line in run.printed.splitlines() if self._leaks(line)]
                attack.breaches.append(f"it got through: {shown or 'a canary is in its events'}")
        attack.seconds = time.monotonic() - began
        try:
            after = self.run("print(6 * 7)")
            if (after.ending, after.printed) != ("ok", "42\n"):
                attack.breaches.append(f"the next program did not run: {after.ending}, {after.printed!r}")
        except Exception as error:
            attack.breaches.append(f"the server gave no answer to the next program: {error!r}")
        attack.breaches += trap.sprung()
        return attack


def _comparable(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    printed = next((event["seq"] for event in events if event["kind"] == "output_printed"), -1)
    return [{**event, "text": "its number"} if event["seq"] == printed else event for event in events]
