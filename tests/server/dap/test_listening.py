"""Protects programs that run already: editors attach to them, leave them, and attach again."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dap_client import Client, Refusal

from backscope_server.command.cli import why_no_debugger

PROGRAM = """import os
import torch

w = torch.tensor([2.0], requires_grad=True)
i = 0
while not os.path.exists("over"):
    i += 1
    (w * w).sum().backward()
    w.grad = None
print("over after", i > 0)
"""


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Callable[[], Client]]]:
    """Yield a program that runs, and a function that connects an editor to it."""
    if (reason := why_no_debugger()) is not None:
        pytest.skip(reason)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "backscope_server", "debug", "--listen", "0", "program.py"]
    program = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stderr is not None and program.stdout is not None
    port = int(re.findall(r":(\d+)$", program.stderr.readline().strip())[0])
    editors: list[Client] = []

    def connect(*, relayed: bool = False) -> Client:
        editors.append(Client(tmp_path, None if relayed else port))
        editors[-1].port = port
        return editors[-1]

    yield program, connect
    for editor in editors:
        editor.end()
    program.kill()
    program.wait()
    program.stdout.close()
    program.stderr.close()


def test_editors_attach_look_leave_and_attach_again(running, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program, connect = running
    first = connect()
    first.attach()
    with pytest.raises(Refusal, match="The program is running"):
        first.ask("stackTrace", threadId=1)
    [point] = first.ask("setBreakpoints", source={"path": str(tmp_path / "program.py")}, breakpoints=[{"line": 9}])[
        "breakpoints"
    ]
    assert point["verified"]
    first.ask("configurationDone")
    assert first.stop()["reason"] == "breakpoint"
    frame = first.frames()[0]
    assert frame["line"] == 9
    seen = int(first.ask("evaluate", expression="i", frameId=frame["id"])["result"])
    assert seen >= 1
    assert "w.grad" in first.go("stepBack")["text"], "its past is there from the first line"
    first.ask("disconnect")
    # It goes on without breakpoints, until another editor pauses it.
    second = connect()
    second.attach()
    second.ask("configurationDone")
    second.ask("pause", threadId=1)
    second.stop()
    assert int(second.ask("evaluate", expression="i", frameId=second.frames()[-1]["id"])["result"]) >= seen
    (tmp_path / "over").touch()
    second.ask("continue", threadId=1)
    assert second.event("exited")["body"] == {"exitCode": 0}
    assert second.output() == "over after True\n"
    second.ask("disconnect")
    assert program.wait(60) == 0
    assert program.stdout.read() == "over after True\n"


def test_an_editor_that_starts_an_adapter_attaches_by_the_port(running, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """`backscope dap` passes on what both say, and ends when the program is left."""
    _, connect = running
    editor = connect(relayed=True)
    editor.ask("initialize", adapterID="backscope")
    editor.ask("attach", port=editor.port)
    editor.event("initialized")
    editor.ask("setBreakpoints", source={"path": str(tmp_path / "program.py")}, breakpoints=[{"line": 9}])
    editor.ask("configurationDone")
    assert editor.stop()["reason"] == "breakpoint"
    assert editor.frames()[0]["line"] == 9
    assert editor.close() == 0
    again = connect()
    again.attach()
    assert again.ask("setBreakpoints", source={"path": str(tmp_path / "program.py")}, breakpoints=[]) == {
        "breakpoints": []
    }


def test_what_does_not_listen_is_said(client: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    client.ask("initialize", adapterID="backscope")
    with pytest.raises(Refusal, match=f"Nothing listens at port {port} .* `backscope debug --listen {port} FILE`"):
        client.ask("attach", port=port)
    with pytest.raises(Refusal, match="Nothing listens at port 70000"):
        client.ask("attach", port=70000)


def test_without_an_editor_it_ends_with_its_status(running, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program, connect = running
    editor = connect()
    editor.attach()
    editor.end()  # As one that crashes.
    (tmp_path / "over").touch()
    assert program.wait(60) == 0


def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "backscope_server", "debug", "--listen", "0", "missing.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "missing.py" in done.stderr
