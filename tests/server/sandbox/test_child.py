"""Protects the server from programs that crash or hang: each one ends in an event that says why, and where."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from msgspec import structs

from backscope_server.session import supervisor
from backscope_server.session.ending import wall_time

LIMITS = [
    # What the program does, the limit that is made small for it, the error's type, a word of its text, its line.
    ("x = 1\nwhile True:\n    x = 1\n", {"cpu_seconds": 1}, "TimeLimitExceeded", "processor time", (2, 3)),
    ("sum(range(10**15))\n", {"cpu_seconds": 1}, "TimeLimitExceeded", "processor time", (1,)),
    ("import re\nre.match('(a+)+$', 'a' * 64 + 'b')\n", {"cpu_seconds": 1}, "TimeLimitExceeded", "processor", (2,)),
    (
        "import signal\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n  except Exception: pass\n"
        "while True: pass\n",
        {"cpu_seconds": 1},
        "TimeLimitExceeded",
        "processor time",
        (None,),
    ),
    ("while True:\n    print('A' * 4000)\n", {}, "OutputLimitExceeded", "195.3 KB", (2,)),
    ("while True:\n    print(end='x')\n", {"events": 500}, "EventLimitExceeded", "500 events", (2,)),
    ("print('x' * 900_000)\n", {"event_bytes": 10_000}, "EventLimitExceeded", "9.8 KB", None),
    ("while True:\n    print('A' * 9000)\n", {"log_bytes": 50_000}, "EventLimitExceeded", "48.8 KB of events", (2,)),
    ("import os\n\nos._exit(0)\n", {}, "ProgramDied", "os._exit", (3,)),
    ("import os\nos.execv('/bin/echo', ['echo', 'x'])\n", {}, "ProgramDied", "Remove that call", None),
    ("import os\nos.abort()\n", {}, "ProgramDied", "Aborted", (2,)),
    ("import ctypes\n\n\nctypes.string_at(0)\n", {}, "ProgramDied", "Segmentation fault", (4,)),
]

ENDLESS_REPR = (
    "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __repr__(self): return repr([self])\nrepr(A())\n"
)


@pytest.mark.parametrize(("source", "limits", "kind", "text", "lines"), LIMITS)
def test_a_limit_ends_a_program_with_its_reason_and_line(sandbox, log_of, source, limits, kind, text, lines):
    session = sandbox.finish(source, **limits)
    assert session.status == "limit"
    error = log_of(session)[-2]
    assert (error["kind"], error["stage"], error["type"]) == ("error_raised", "limit", kind)
    assert text in error["message"]
    if lines is not None:
        assert error["line"] in lines
    assert sandbox.finish("print('still here')").status == "ok"


def test_native_calls_without_an_end_are_named(sandbox, log_of):
    """Since 3.12 Python guards its own C code against these, whatever limit the program sets."""
    session = sandbox.finish(ENDLESS_REPR)
    error = next(event for event in log_of(session) if event["kind"] == "error_raised")
    assert error["line"] == 4
    if sys.version_info >= (3, 12):
        assert (session.status, error["stage"], error["type"]) == ("error", "program", "RecursionError")
        assert error["message"].startswith(("maximum recursion depth exceeded", "Stack overflow"))
    else:
        assert (session.status, error["stage"], error["type"]) == ("limit", "limit", "ProgramDied")
        assert "recursion" in error["message"]
    assert sandbox.finish("print('still here')").status == "ok"


CAUGHT = [
    ("hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 20))\n", "MemoryError", 3),
    ("import numpy as np\nnp.ones(10**12)\n", "numpy._core._exceptions._ArrayMemoryError", 2),
    ("import os\nwhile True:\n    os.fork()\n", "PermissionError", 3),
    ("import threading\nthreading.Thread(target=print).start()\n", "RuntimeError", 2),
    ("open('/etc/passwd')\n", "PermissionError", 1),
    ("open('/tmp/backscope-test', 'w')\n", "PermissionError", 1),
    ("import socket\nsocket.socket()\n", "PermissionError", 2),
    ("import pandas\n", "ModuleNotFoundError", 1),
    ("def f():\n    f()\nf()\n", "RecursionError", 2),
]


@pytest.mark.parametrize(("source", "kind", "line"), CAUGHT)
def test_what_is_not_allowed_is_an_exception_at_its_line(sandbox, log_of, source, kind, line):
    session = sandbox.finish(source)
    assert session.status == "error"
    error = log_of(session)[-2]
    assert (error["kind"], error["stage"], error["type"], error["line"]) == ("error_raised", "program", kind, line)


def test_running_out_of_memory_names_the_limit(sandbox, log_of):
    session = sandbox.finish("import torch\ntorch.zeros(10**9)\n")
    error = log_of(session)[-2]
    assert error["line"] == 2
    assert "This program may use 256 MB." in error["message"]


def test_a_program_can_use_the_memory_that_it_may_use(sandbox):
    # Neither what the zygote mapped before the fork nor the rehearsal of a spare child counts.
    sandbox.finish("x = 1\n")
    assert sandbox.finish("block = bytearray(42 << 20)\n", memory_bytes=56 << 20).status == "ok"


def test_memory_used_up_to_the_last_byte_is_said(sandbox, log_of):
    # So many small objects that the report of a MemoryError may find no room either.
    session = sandbox.finish("x = None\nwhile True:\n    x = [x]\n", memory_bytes=32 << 20)
    assert session.status in ("error", "limit")
    errors = [event["type"] for event in log_of(session) if event["kind"] == "error_raised"]
    assert errors in (["MemoryError"], ["MemoryLimitExceeded"])


def test_a_syntax_error_is_shown_at_its_line(sandbox, log_of):
    events = log_of(sandbox.finish("x = 1\n\ny = (x +\n"))
    assert [event["kind"] for event in events] == ["program_started", "error_raised", "program_finished"]
    assert (events[1]["stage"], events[1]["type"], events[1]["line"]) == ("syntax", "SyntaxError", 3)


def test_an_unknown_module_is_named_with_what_there_is(sandbox, log_of):
    error = log_of(sandbox.finish("import pandas\n"))[-2]
    assert "'pandas'" in error["message"]
    assert "numpy" in error["message"]


WAITING = """import select
print('before')
while True:
    select.select([], [], [], 60)
"""


async def waiting(sandbox):
    """Start a program that prints and then waits in a system call; return its session once it waits."""
    session = await sandbox.start(WAITING)
    while not any(b'"output_printed"' in line for line in session.log.lines):
        await session.log.beyond(session.log.last)
    await asleep(session._supervisor._child.pid)
    return session


async def asleep(pid):
    """Wait until a process sleeps and has handled the signals that it was sent."""
    while True:
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        if status["State"].startswith("S") and int(status["ShdPnd"], 16) == 0:
            return
        await asyncio.sleep(0.01)


def test_what_was_printed_before_a_long_wait_is_shown_while_it_lasts(sandbox, log_of):
    async def check():
        session = await waiting(sandbox)
        printed = [event["text"] for event in log_of(session) if event["kind"] == "output_printed"]
        session.stop()
        await session.over()
        return printed

    assert "".join(sandbox.run(check())) == "before\n"


def test_a_program_that_waits_too_long_ends_at_the_line_that_waits(sandbox, log_of, monkeypatch):
    monkeypatch.setattr(supervisor, "_LINE_SECONDS", 60)

    async def check():
        session = await waiting(sandbox)
        supervised, child = session._supervisor, session._supervisor._child
        supervised.end_at_limit(wall_time(structs.replace(supervised._limits, wall_seconds=0.2)))
        await asleep(child.pid)  # It has written its line.
        child.kill()
        await session.over()
        return session

    session = sandbox.run(check())
    assert session.status == "limit"
    error = log_of(session)[-2]
    assert (error["kind"], error["stage"], error["type"]) == ("error_raised", "limit", "TimeLimitExceeded")
    assert "0.2 s" in error["message"]
    assert error["line"] == 4


def test_a_child_has_nothing_of_the_server(sandbox, log_of, monkeypatch):
    monkeypatch.setenv("BACKSCOPE_SECRET", "canary")
    source = "import os, sys\nprint(sorted(os.environ))\nprint(sys.argv, os.getcwd())\n"
    events = log_of(sandbox.finish(source))
    printed = "".join(event["text"] for event in events if event["kind"] == "output_printed")
    assert "SECRET" not in printed
    assert "canary" not in printed
    assert printed.endswith("/\n")


def test_open_descriptors_are_the_four_that_it_needs(sandbox, log_of):
    source = (
        "import select\nfound = []\nfor fd in range(100):\n    try: select.select([fd], [], [], 0); found.append(fd)\n"
        "    except OSError: pass\nprint(found)\n"
    )
    events = log_of(sandbox.finish(source))
    assert "[0, 1, 2, 3, 4]" in "".join(event["text"] for event in events if event["kind"] == "output_printed")


def test_children_of_root_have_a_user_each_and_cannot_signal_others(sandbox, log_of):
    import os

    if os.geteuid() != 0:
        pytest.skip("the server is not root here, so that children keep its user")
    source = "import os\nprint(os.getuid(), os.getgid())\nos.kill({pid}, 9)\n"
    events = log_of(sandbox.finish(source.format(pid=sandbox.launcher.pid)))
    printed = "".join(event["text"] for event in events if event["kind"] == "output_printed")
    assert not printed.startswith("0")
    assert events[-2]["type"] == "PermissionError"


def test_two_runs_of_a_program_have_the_same_log(sandbox):
    source = "import random, numpy\nprint(random.random(), numpy.random.rand(), {'a', 'b', 'c'}, hash('x'))\n"
    assert sandbox.finish(source).log.lines == sandbox.finish(source).log.lines


GARBAGE = [
    ("b'\\xff\\xfe\\x00\\x01\\x02\\n'", "not an event"),
    ('b\'{"kind":"output_printed","seq":1}\\n\'', "not an event"),
    ('b\'{"kind":"made_up","seq":1,"line":null}\\n\'', "not an event"),
    ("b'[' * 200_000 + b'\\n'", "not an event"),
    ("b'\\n'", "not an event"),
    ('b\'{"kind":"program_finished","seq":7,"line":null,"status":"ok"}\\n\'', "out of order"),
    ('b\'{"kind":"program_finished","seq":1,"line":null,"status":"stopped"}\\n\'', "status"),
    ("sys.FIRST", "out of order"),
]


@pytest.mark.parametrize(("raw", "text"), GARBAGE)
def test_garbage_in_the_event_pipe_ends_the_program(sandbox, log_of, raw, text):
    first = '{"kind":"program_finished","seq":0,"line":null,"status":"ok"}\\n'
    raw = raw.replace("sys.FIRST", f"b'{first}'")
    error = log_of(sandbox.finish(f"import os\nos.write(4, {raw})\nwhile True: pass\n"))[-2]
    assert error["type"] == "EventStreamBroken"
    assert text in error["message"]


def test_a_partial_line_is_not_an_event(sandbox, log_of):
    events = log_of(sandbox.finish("import os\nos.write(4, b'{')\nos._exit(0)\n"))
    assert events[-2]["type"] in ("ProgramDied", "EventStreamBroken")


def test_a_forged_end_ends_the_run(sandbox):
    forged = '{"kind":"program_finished","seq":1,"line":null,"status":"ok"}\\n'
    session = sandbox.finish(f"import os\nos.write(4, b'{forged}')\nwhile True: pass\n")
    assert session.status == "ok"


def test_forged_fields_do_not_reach_the_log(sandbox):
    forged = '{"kind":"output_printed","seq":1,"line":null,"stream":"stdout","text":"a","session":"b","text":"c"}\\n'
    session = sandbox.finish(f"import os\nos.write(4, b'{forged}')\nos._exit(0)\n")
    assert b"session" not in session.log.lines[1]
    assert b"EventStreamBroken" in session.log.lines[1]
