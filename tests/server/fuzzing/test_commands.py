"""Protects runs from their clients: any commands over WebSockets, in any order, with connections cut anywhere.

A command gets one answer, events come without gaps and once, nothing hangs, no process and nothing in memory is left,
and the server runs the next program.  BACKSCOPE_FUZZ_EXAMPLES=10000 tries so many sequences, at random, and makes the
one that fails as short as it can, instead of the same few every time.
"""

from __future__ import annotations

import contextlib
import json
import os
import time

from command_inputs import COMMANDS, ENDLESS, FRAMES, GARBAGE, LOOKING, PROGRAMS, anything
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule, run_state_machine_as_test
from measured_server import Server
from msgspec import inspect as types
from watcher import Run, Watcher
from websockets.exceptions import ConnectionClosed

from backscope.protocol import commands
from backscope_server.api import request
from backscope_server.errors import Problem

EXAMPLES = int(os.environ.get("BACKSCOPE_FUZZ_EXAMPLES", "0"))
STEPS = 20
GROWTH_BYTES = 20 << 20


class Pages(RuleBasedStateMachine):
    """A state machine of pages that run programs and send them commands."""

    server: Server

    watchers = Bundle("watchers")
    runs = Bundle("runs")

    def __init__(self) -> None:
        super().__init__()
        self.all: list[Run] = []

    def join(self, run: Run, path: str, after: int = -1) -> Watcher:
        watcher = Watcher(self.server, path, run.log, after)
        watcher.run = run
        run.watchers.append(watcher)
        return watcher

    @rule(
        target=watchers,
        source=st.sampled_from(PROGRAMS) | st.sampled_from(ENDLESS),
        pause=st.booleans(),
        breakpoints=st.lists(anything(types.type_info(commands.Breakpoint)), max_size=2),
    )
    def run(self, source, pause, breakpoints):
        run = Run()
        run.first = {"command": "run", "source": source, "key": run.key, "pause": pause, "breakpoints": breakpoints}
        self.server.counted["run"] += 1
        watcher = self.join(run, "/api/run")
        if pause or breakpoints:
            watcher.sent[0] = watcher.answered[0] = 0
            watcher.sent[0] += (1 if breakpoints else 0) + pause
        watcher.send(json.dumps(run.first))
        watcher.read(lambda: watcher.session or watcher.error, "session")
        if watcher.session is None:
            assert watcher.error.startswith("The breakpoints are not valid"), watcher.error
            watcher.read(lambda: False, "close")
            assert watcher.code == 4400
            return multiple()
        run.session = watcher.session
        self.all.append(run)
        return watcher

    @rule(target=watchers, watcher=watchers, back=st.sampled_from([0, 0, 1, 3, 10**6]))
    def watch(self, watcher, back):
        """Open another watcher of the run, which continues where this one is or further back."""
        run = watcher.run
        if run.removed or len(run.watchers) > 6:
            return multiple()
        after = max(-1, watcher.last - back)
        return self.join(run, f"/api/sessions/{run.session}/events?after={after}", after)

    @rule(target=watchers, watcher=watchers)
    def start_again(self, watcher):
        """Send a start again, as after a lost answer."""
        run = watcher.run
        if run.removed or len(run.watchers) > 6:
            return multiple()
        again = self.join(run, "/api/run")
        again.send(json.dumps(run.first))
        again.read(lambda: again.session, "session")
        assert again.session == run.session
        return again

    @rule(watcher=watchers, some=st.lists(COMMANDS, min_size=1, max_size=5), wait=st.booleans())
    def ask_for(self, watcher, some, wait):
        self.ask(watcher, some, wait)

    def ask(self, watcher, some, wait):
        for command in some:
            if watcher.open:
                watcher.command(command)
        if wait:
            watcher.await_answers()

    @rule(watcher=watchers, some=st.lists(LOOKING, min_size=1, max_size=5))
    def look_into(self, watcher, some):
        """Stop the program, and read values while it is paused."""
        before = watcher.last
        if watcher.open:
            watcher.command({"command": "pause", "id": 1})
            watcher.await_answers()
        if watcher.done:
            watcher.read(lambda: watcher.end or watcher.paused > before, "pause")
        self.ask(watcher, some, wait=True)

    @rule(watcher=watchers, command=st.sampled_from(["stop", "stay", "stay"]))
    def stop_or_stay(self, watcher, command):
        if watcher.open and watcher.send(json.dumps({"command": command})) and command == "stop":
            watcher.read(lambda: watcher.end, "end after stop")

    @rule(watcher=watchers, garbage=GARBAGE | FRAMES)
    def say_nonsense(self, watcher, garbage):
        if not watcher.open:
            return
        watcher.await_answers()
        try:
            given = request.command(garbage) if isinstance(garbage, str) else None
        except Problem:
            given = None
        if given is None:
            self.server.counted["garbage"] += 1
            if watcher.send(garbage):
                watcher.read(lambda: False, "close")
            refused = watcher.error is not None and watcher.code in (4400, 4413)
            assert watcher.end or refused or watcher.code in (1002, 1007, 1009), (watcher.code, garbage[:50])
        elif isinstance(given, (request.StopCommand, request.StayCommand)):
            watcher.send(garbage)
        else:
            watcher.sent[given.id] += 1
            watcher.send(garbage)
            watcher.await_answers()

    @rule(watcher=watchers, more=st.integers(0, 50))
    def read_some(self, watcher, more):
        """Read some events of a running program; a paused one sends none."""
        deadline = time.monotonic() + 0.05
        aim = watcher.last + more
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            while watcher.open and watcher.last < aim:
                watcher.take(json.loads(watcher.socket.recv(timeout=max(0, deadline - time.monotonic()))))

    @rule(watcher=consumes(watchers), politely=st.booleans())
    def cut(self, watcher, politely):
        self.server.counted["cut"] += 1
        watcher.cut(politely)

    @rule(watcher=watchers)
    def forget(self, watcher):
        if not watcher.run.removed:
            assert self.server.http.delete(f"/api/sessions/{watcher.run.session}").status_code == 204
            watcher.run.removed = True

    def teardown(self) -> None:
        try:
            for run in self.all:
                self.finish(run)
            self.run_plainly()
        finally:
            for run in self.all:
                for watcher in run.watchers:
                    watcher.cut(politely=True)

    def finish(self, run: Run) -> None:
        """Stop every run; all its watchers have the same events to the end."""
        if not run.removed:
            stopped = self.server.http.post(f"/api/sessions/{run.session}/stop")
            assert stopped.status_code == 200
            last = self.join(run, f"/api/sessions/{run.session}/events?after=-1")
        for watcher in run.watchers:
            if watcher.open:
                watcher.read(lambda watcher=watcher: watcher.end, "end")
                assert watcher.end, f"closed with {watcher.code}: {watcher.error}"
                watcher.read(lambda: False, "close")
                assert watcher.code == 1000
        if not run.removed:
            kinds = [run.log[seq]["kind"] for seq in range(last.last + 1)]
            assert kinds[0] == "program_started" and kinds.count("program_started") == 1
            assert kinds[-1] == "program_finished" and kinds.count("program_finished") == 1
            assert run.log[last.last]["status"] == stopped.json()["status"]
            self.server.counted[f"status {stopped.json()['status']}"] += 1
            self.server.counted["paused"] += kinds.count("paused")
            assert self.server.http.delete(f"/api/sessions/{run.session}").status_code == 204
            assert self.server.http.get(f"/api/sessions/{run.session}").status_code == 404

    def run_plainly(self) -> None:
        plain = Run()
        watcher = self.join(plain, "/api/run")
        watcher.send('{"command":"run","source":"print(6 * 7)"}')
        watcher.read(lambda: watcher.end, "end of a plain program")
        assert [event["text"] for event in plain.log.values() if event["kind"] == "output_printed"] == ["42\n"]
        watcher.read(lambda: False, "close")
        watcher.stack.close()
        assert self.server.http.delete(f"/api/sessions/{watcher.session}").status_code == 204


def try_sequences(server: Server, count: int) -> None:
    class Machine(Pages):
        pass

    Machine.server = server
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=count,
            stateful_step_count=STEPS,
            derandomize=not EXAMPLES,
            deadline=None,
            phases=[Phase.generate, *([Phase.shrink] if EXAMPLES else [])],
            report_multiple_bugs=False,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def settled(server: Server, descriptors: int, processes: int) -> bool:
    """Return whether the server comes down to these numbers within two minutes, at five looks in a row."""
    deadline = time.monotonic() + 120
    often = 0
    while time.monotonic() < deadline:
        held = server.held()
        often = often + 1 if held[0] <= descriptors and held[1] <= processes else 0
        if often == 5:
            return True
        time.sleep(0.1)
    return False


def test_any_sequence_of_commands(static, tmp_path):
    server = Server(static, tmp_path)
    try:
        while server.http.get("/api/health").json()["status"] != "ok":
            time.sleep(0.1)
        while len(server.seen.children(recursive=True)) < 2:  # What starts programs, and the one for the next.
            time.sleep(0.1)
        _, processes = server.held()
        try_sequences(server, 5)  # What is loaded once is there from now on.
        assert settled(server, 100, processes)
        memory = server.seen.memory_info().rss
        descriptors, _ = server.held()
        try_sequences(server, EXAMPLES or 25)
        assert settled(server, descriptors + 4, processes), (server.held(), server.seen.children(recursive=True))
        assert server.seen.memory_info().rss - memory < GROWTH_BYTES
    finally:
        server.close()
        print(dict(server.counted), server.said.read_text()[-4000:])
    assert server.counted["command"] and server.counted["paused"] and server.counted["garbage"]
    for answer in ("done", "refused", "breakpoints_set"):
        assert server.counted[f"answer {answer}"], f"nothing was {answer}"
    assert "Traceback" not in server.said.read_text()
