"""Protects runs from their clients: whatever is sent over WebSockets, in whatever order, cut wherever.

A command gets one answer, events come without gaps and once, nothing hangs, no process and nothing in memory is left,
and the server runs the next program.  BACKSCOPE_FUZZ_EXAMPLES=10000 tries so many sequences, at random, and makes the
one that fails as short as it can, instead of the same few every time.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
import psutil
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule, run_state_machine_as_test
from msgspec import inspect as types
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from backscope.protocol import commands
from backscope_server.api import request
from backscope_server.errors import Problem

HOST = Path(__file__).parents[1] / "attacks" / "host.py"
EXAMPLES = int(os.environ.get("BACKSCOPE_FUZZ_EXAMPLES", "0"))
STEPS = 20
PATIENCE = 60.0
"""Seconds after which something that has not come hangs."""
GROWTH_BYTES = 20 << 20
SETTINGS = {
    "wall_seconds": 20,
    "cpu_seconds": 10,
    "memory_bytes": 256 << 20,
    "output_bytes": 200_000,
    "events": 5_000,
    "log_bytes": 4 << 20,
    "event_bytes": 256 << 10,
    "source_bytes": 50_000,
    "running": 20,
    "kept_bytes": 8 << 20,
    "address_starts": 1_000_000,
    "address_requests": 1_000_000,
    "zygote_programs": 1_000_000,
    "storage": "off",
    "token": "off",
}

ENDLESS = [
    "x = 0\nwhile True:\n    x += 1\n",
    "x = 0\nwhile True:\n    x += 1\n    sum(range(100_000))\n",
    "x = 0\nwhile True:\n    try:\n        x = 1 / 0\n    except BaseException:\n        pass\n",
    "import torch\nx = torch.ones(2, requires_grad=True)\nwhile True:\n    x.exp().sum().backward()\n",
]
PROGRAMS = [
    "",
    "print(1)",
    "x = (",
    "def f(n):\n    return 1 / n\nf(0)",
    "for i in range(300):\n    print('line', i)\n",
    "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * x).sum()\ny.backward()\nprint(x.grad)\n",
    """import torch
x = torch.ones(2, 2, requires_grad=True)
x.register_hook(lambda g: torch.autograd.grad((x * x).sum(), x)[0] + g)
for i in range(5):
    (x.exp() * x).sum().backward()
""",
    """import torch
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    loss = (model(torch.ones(8, 2)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
""",
    "import os\nprint(1)\nos._exit(3)\n",
]
TEXTS = {
    "expression": [
        "x",
        "1 + 1",
        "x + 1",
        "1 / 0",
        "x.grad",
        "[x] * 3",
        "(",
        "",
        "print(x)",
        "__import__('os')._exit(1)",
        "(i for i in [])",
    ],
    "condition": ["x > 2", "True", "1 / 0", "(", "x.sum() > 1"],
    "target": ["x", "x[0]", "x.grad", "y", "1", "x, y", "", "model"],
    "name": ["exp", "ExpBackward0", "mul", "<lambda>", "x"],
    "tensor": ["x", "y", "nothing"],
    "type": ["ZeroDivisionError", "Exception"],
}
SMALL = ("line", "node", "tensor", "frame", "hits", "begin", "end", "seq")


def anything(kind, name=""):
    """Values of a field of the protocol, from its type; texts and numbers that mean something where there are some."""
    match kind:
        case types.StructType(fields=fields, tag_field=tag_field, tag=tag):
            required = {
                field.encode_name: anything(field.type, field.encode_name) for field in fields if field.required
            }
            optional = {
                field.encode_name: anything(field.type, field.encode_name) for field in fields if not field.required
            }
            return st.fixed_dictionaries({tag_field: st.just(tag), **required}, optional=optional)
        case types.UnionType(types=parts):
            return st.one_of([anything(part, name) for part in parts])
        case types.LiteralType(values=values):
            return st.sampled_from(values)
        case types.ListType(item_type=item, max_length=longest):
            return st.lists(anything(item, name), max_size=min(longest or 4, 4))
        case types.StrType(max_length=longest):
            usual = st.sampled_from(TEXTS[name])
            return usual | usual | usual | st.text(min_size=1, max_size=min(longest or 9, 9))
        case types.IntType(ge=least, le=most):
            usual = st.integers(least, least + 12)
            return usual if name in SMALL else st.sampled_from([0, 1, 2, most]) | usual
        case types.FloatType():
            return st.floats(allow_nan=False, allow_infinity=False)
        case types.BoolType():
            return st.booleans()
        case types.NoneType():
            return st.none()
        case types.Metadata(type=inner):
            return anything(inner, name)
    raise TypeError(f"{name} is a {kind}: say here what is sent for one")


def is_command(value):
    """Whether it is one for the server: some fields go together, which their types do not say."""
    try:
        request.command(json.dumps(value))
    except Problem:
        return False
    return True


COMMANDS = anything(types.type_info(commands.Command)).filter(is_command)
LOOKING = anything(types.type_info(commands.Looking)).filter(is_command)
JUNK = st.sampled_from(
    [None, True, -1, 2**53, 2**53 + 1, 2**64, 1e400, 0.5, "", "\x00", "x" * 5000, [], [[]], {}, {"id": 1}, [1] * 1001]
)


@st.composite
def odd(draw):
    """A command that is wrong somewhere, or perhaps not, as JSON."""
    command = dict(draw(COMMANDS))
    field = draw(st.sampled_from([*command, "command", "id", "more"]))
    if draw(st.booleans()):
        command.pop(field, None)
    else:
        command[field] = draw(JUNK)
    return json.dumps(command)


GARBAGE = st.one_of(
    odd(),
    st.text(max_size=30),
    st.binary(max_size=30),
    st.sampled_from(
        [
            "[" * 100_000,
            '{"command":"pause","id":1' + " " * (1 << 18) + "}",
            "x" * (1 << 22),
            b"\xff" * (1 << 17),
            '{"command":"run","source":"print(1)"}',
            '{"command":"pause","id":1}{"command":"pause","id":2}',
            '{"command":"pause","id":' + "9" * 5000 + "}",
            '{"command":"evaluate","id":1,"expression":"\\ud800"}',
        ]
    ),
)


class Frame(bytes):
    """Bytes that go out as they are."""


FRAMES = st.sampled_from(
    [
        Frame(b"\x81\x81\0\0\0\0\xff"),  # Text that is not UTF-8.
        Frame(b"\x83\x80\0\0\0\0"),  # A reserved kind.
        Frame(b"\xf1\x80\0\0\0\0"),  # Reserved bits.
        Frame(b"\x81\x01x"),  # Not masked.
        Frame(b"\x80\x80\0\0\0\0"),  # Goes on with nothing.
        Frame(b"\x89\xfe\x10\0" + b"\0" * 4100),  # A ping that is too long.
        Frame(b"\x81\xff\x7f" + b"\xff" * 7 + b"\0" * 4),  # Of nine exabytes.
    ]
)


class Server:
    """A server in a process of its own, so that what it holds can be measured."""

    def __init__(self, static: Path, folder: Path) -> None:
        environment = {f"BACKSCOPE_{name.upper()}": str(value) for name, value in SETTINGS.items()}
        self.said = folder / "said"
        with self.said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, str(HOST), str(static)],
                env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )
        self.port = int(self.process.stdout.readline())
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE)
        self.seen = psutil.Process(self.process.pid)
        self.counted: Counter[str] = Counter()

    def close(self) -> None:
        self.http.close()
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()

    def connect(self, path: str):
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, max_queue=None, open_timeout=PATIENCE)

    def held(self) -> tuple[int, int]:
        """Descriptors of the server, and its processes."""
        return self.seen.num_fds(), len(self.seen.children(recursive=True))


class Watcher:
    """A client: keeps what it got, and holds it to what it may get."""

    def __init__(self, server: Server, path: str, log: dict[int, dict], after: int = -1) -> None:
        self.server = server
        self.log = log
        self.last = after
        self.sent: Counter[int] = Counter()
        self.answered: Counter[int] = Counter()
        self.done = False
        """Whether the last command was carried out."""
        self.paused = -1
        self.session = None
        self.error = None
        self.end = None
        self.code = None
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(server.connect(path))

    @property
    def open(self) -> bool:
        return self.code is None

    def read(self, until, what: str) -> None:
        """Take messages until something holds or the connection is closed."""
        deadline = time.monotonic() + PATIENCE
        while self.open and not until():
            try:
                text = self.socket.recv(timeout=max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                raise AssertionError(f"no {what} within {PATIENCE:g} s") from None
            except ConnectionClosed as closed:
                self.code = 1006 if closed.rcvd is None else closed.rcvd.code
                return
            self.take(json.loads(text))

    def take(self, message) -> None:
        assert self.end is None, f"{message} after the end"
        if "events" in message:
            assert message["last"] == message["events"][-1]["seq"]
            for event in message["events"]:
                assert event["seq"] == self.last + 1
                self.last += 1
                if event["kind"] == "paused":
                    self.paused = self.last
                assert self.log.setdefault(self.last, event) == event
        elif "answer" in message:
            answer = commands.decode_answer(json.dumps(message))
            self.answered[answer.id] += 1
            self.done = isinstance(answer, commands.Done)
            assert self.answered[answer.id] <= self.sent[answer.id], f"{message} answers nothing"
            self.server.counted[f"answer {message['answer']}"] += 1
        elif "session" in message:
            assert self.session is None
            self.session = message["session"]
        elif "end" in message:
            assert message["last"] == max(self.log)
            assert self.last >= message["last"]
            self.end = message
        elif "error" in message:
            assert self.error is None
            self.error = message["error"]["message"]
            assert self.error
        else:
            assert set(message) == {"notices"}, message

    def send(self, text) -> bool:
        """Send; whether the connection was still there."""
        try:
            if isinstance(text, Frame):
                self.socket.socket.sendall(text)
            else:
                self.socket.send(text)
        except (ConnectionClosed, OSError):
            self.read(lambda: False, "close")
            return False
        return True

    def command(self, command) -> None:
        self.sent[command["id"]] += 1
        self.server.counted["command"] += 1
        self.send(json.dumps(command))

    def await_answers(self) -> None:
        """Each command has its answer, or the run is over and the client was told."""
        self.read(lambda: self.answered == self.sent or self.end is not None, "answer")
        if self.answered != self.sent:
            assert self.end is not None, f"sent {self.sent}, answered {self.answered}, closed with {self.code}"

    def cut(self, politely: bool) -> None:
        if not politely:
            with contextlib.suppress(OSError):
                self.socket.socket.shutdown(2)
        self.stack.close()
        self.code = self.code or 1000


class Run:
    """A run that was started, its log as all its watchers saw it together, and those."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(24)
        self.log: dict[int, dict] = {}
        self.watchers: list[Watcher] = []
        self.session = ""
        self.first: dict = {}
        self.removed = False


class Pages(RuleBasedStateMachine):
    """Pages that run programs and do with them what they like."""

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
        """Somebody else comes, or the same one again, from where it was or from further back."""
        run = watcher.run
        if run.removed or len(run.watchers) > 6:
            return multiple()
        after = max(-1, watcher.last - back)
        return self.join(run, f"/api/sessions/{run.session}/events?after={after}", after)

    @rule(target=watchers, watcher=watchers)
    def start_again(self, watcher):
        """The answer to a start was lost, so it is sent again."""
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
        """Have the program stop, and look while it does."""
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
            told = watcher.error is not None and watcher.code in (4400, 4413)
            assert watcher.end or told or watcher.code in (1002, 1007, 1009), (watcher.code, garbage[:50])
        elif isinstance(given, (request.StopCommand, request.StayCommand)):
            watcher.send(garbage)
        else:
            watcher.sent[given.id] += 1
            watcher.send(garbage)
            watcher.await_answers()

    @rule(watcher=watchers, more=st.integers(0, 50))
    def read_some(self, watcher, more):
        """Events come while the program runs; a paused one says nothing."""
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
        """Every run can be stopped, and all who watch see the same to its end."""
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
    """Whether the server holds no more than that, in a while, and goes on to."""
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
