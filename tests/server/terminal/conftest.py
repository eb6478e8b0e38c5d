"""Users of the terminal debugger: at a terminal, through a pipe, or with a file of commands."""

from __future__ import annotations

import atexit
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import traceback

import pytest

from backscope_server.command import cli

PROMPT = "(backscope) "
_ESCAPES = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]|\x1b[=>]")


class Person:
    """A user at a terminal of 80 columns, who types commands and reads the output up to the next prompt."""

    def __init__(self, folder, program, *arguments, **environment):
        (folder / "program.py").write_text(program)
        self.number, self.terminal = pty.fork()
        if self.number == 0:
            _sit(folder, ["debug", "program.py", *arguments], environment)
        self.raw = ""

    def until(self, *ends, seconds=120):
        """Read the output up to one of these texts."""
        read = ""
        give_up = time.monotonic() + seconds
        while not any(end in read for end in ends):  # Without any, to the end.
            ready, _, _ = select.select([self.terminal], [], [], max(0, give_up - time.monotonic()))
            assert ready, f"{ends or 'the end'} did not come after {read!r}"
            try:
                part = os.read(self.terminal, 65536).decode()
            except OSError:  # How Linux says that the other end is closed.
                part = ""
            if not part:
                break
            self.raw += part
            read += _ESCAPES.sub("", part).replace("\r\n", "\n")
        return read

    def type(self, text):
        """Type a line, and read as far as the next prompt."""
        os.write(self.terminal, text.encode() + b"\n")
        said = self.until(f"\n{PROMPT}")
        return said.removesuffix(PROMPT).partition("\n")[2]

    def interrupt(self):
        """Press Ctrl-C."""
        os.write(self.terminal, b"\x03")

    @property
    def plain(self):
        """Return all output, without colours."""
        return _ESCAPES.sub("", self.raw).replace("\r", "")

    def leave(self):
        """Wait until it has ended and return the exit status."""
        self.until()
        _, status = os.waitpid(self.number, 0)
        self.number = 0
        return os.waitstatus_to_exitcode(status)


def _sit(folder, arguments, environment):
    """Run the command at the terminal that this process has as 0, 1 and 2; the engine is loaded already."""
    status = 70
    try:
        atexit._clear()
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"TERM": "xterm", "COLUMNS": "80", "XDG_STATE_HOME": str(folder / "state"), **environment})
        os.chdir(folder)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = cli.main(arguments)
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BaseException:  # Otherwise the traceback would be lost.
        traceback.print_exc()
    finally:
        os._exit(status)


@pytest.fixture
def sit_down(tmp_path):
    """Start a Person, and end its remaining process afterwards."""
    people = []

    def start(program, *arguments, **environment):
        people.append(Person(tmp_path, program, *arguments, **environment))
        people[-1].until(PROMPT)
        return people[-1]

    yield start
    for person in people:
        if person.number:
            os.killpg(person.number, signal.SIGKILL)
            os.waitpid(person.number, 0)
        os.close(person.terminal)


@pytest.fixture
def piped():
    """Return a function that runs `backscope debug` in a process of its own, with commands through a pipe."""
    return _piped


def _piped(folder, program, commands, *arguments, **options):
    """Run the debugger with commands from a pipe; return its output and exit status."""
    (folder / "program.py").write_text(program)
    return subprocess.run(
        [sys.executable, "-m", "backscope_server", "debug", *arguments],
        input=commands, capture_output=True, text=True, cwd=folder, timeout=240, check=False, **options,
    )  # fmt: skip


@pytest.fixture
def inside():
    """Return a function that runs `backscope debug` in this process."""
    return _inside


def _inside(folder, program, commands, *arguments):
    """Run the command in this process with a file of commands; return its exit status."""
    (folder / "program.py").write_text(program)
    (folder / "commands").write_text(commands + "quit\n")
    return cli.main(["debug", "--commands", str(folder / "commands"), str(folder / "program.py"), *arguments])
