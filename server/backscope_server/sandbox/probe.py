"""Trials of the sandbox: a forked process applies a layer, then attempts what the layer has to stop."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator

import msgspec

from backscope_server.sandbox.layers import kernel
from backscope_server.sandbox.layers.descriptors import CONTROL, EVENTS, NULL

Attempt = tuple[str, Callable[[], object]]
"""An attempt, in words and as a function; it was stopped when that raises OSError, MemoryError or RuntimeError."""

_DONE = b"."
_MUCH = 128 << 20
MEMORY = 64 << 20
"""The memory limit of a process under test, bytes; the process tries to get twice as much."""
_PTRACE_TRACEME = 0


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a trial: the attempts that were stopped, those that succeeded, and other failures."""

    stopped: list[str]
    through: list[str]
    failure: str = ""

    @property
    def passed(self) -> bool:
        """Return whether every attempt was stopped."""
        return not self.through and not self.failure

    def __str__(self) -> str:
        if self.failure:
            return self.failure
        return f"not stopped: {', '.join(self.through)}" if self.through else f"stopped: {', '.join(self.stopped)}"


def _attempt_all(prepare: Callable[[], object], attempts: list[Attempt], report: Callable[[bytes], object]) -> None:
    try:
        prepare()
    except OSError as error:
        report(f"!{error}\n".encode())
        return
    for name, attempt in attempts:
        try:
            attempt()
        except (OSError, MemoryError, RuntimeError):
            report(f"-{name}\n".encode())
        else:
            report(f"+{name}\n".encode())
    report(_DONE)


def trial(prepare: Callable[[], object], attempts: list[Attempt]) -> Outcome:
    """Fork, apply a layer and make every attempt; the first may need things that later ones break."""
    said, status = _in_child(lambda: _attempt_all(prepare, attempts, lambda text: os.write(EVENTS, text)))
    lines = said.splitlines()
    failure = next((line[1:] for line in lines if line.startswith("!")), "")
    if not failure and not said.endswith(_DONE.decode()):
        failure = f"the process that tried ended early ({_ending(status)})"
    return Outcome(
        [line[1:] for line in lines if line.startswith("-")],
        [line[1:] for line in lines if line.startswith("+")],
        failure,
    )


def deadly(prepare: Callable[[], object], attempt: Attempt, *, by: signal.Signals) -> Outcome:
    """Fork, apply a layer and make an attempt that has to end the process with this signal."""
    said, status = _in_child(lambda: _attempt_all(prepare, [attempt], lambda text: os.write(EVENTS, text)))
    name = attempt[0]
    if said.startswith("!"):
        return Outcome([], [], said[1:].strip())
    if os.waitstatus_to_exitcode(status) == -by:
        return Outcome([name], [])
    return Outcome([], [name])


def joined(*outcomes: Outcome) -> Outcome:
    """Combine the outcomes of several trials."""
    return Outcome(
        [name for outcome in outcomes for name in outcome.stopped],
        [name for outcome in outcomes for name in outcome.through],
        "; ".join(outcome.failure for outcome in outcomes if outcome.failure),
    )


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return signal.strsignal(-code) or f"signal {-code}" if code < 0 else f"exit status {code}"


def _in_child(work: Callable[[], None]) -> tuple[str, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            # The numbers that the lock-down gives to the pipes of a program.
            os.dup2(writing, NULL - 1)
            os.dup2(reading, CONTROL)
            os.dup2(NULL - 1, EVENTS)
            os.closerange(EVENTS + 1, NULL)
            work()
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    return said, os.waitpid(child, 0)[1]


def open_file() -> None:
    """Open a file that exists and that everybody may read."""
    os.close(os.open(__file__, os.O_RDONLY))


def open_root() -> None:
    """List the root folder; succeeds if there is anything in it."""
    if not os.listdir("/"):
        raise FileNotFoundError


def write_file() -> None:
    """Make a file in the root folder."""
    os.close(os.open("/backscope-probe", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink("/backscope-probe")


def read_memory_of(process: str) -> Callable[[], None]:
    """Return an attempt to read the memory of the process with this number in /proc."""

    def attempt() -> None:
        os.close(os.open(f"/proc/{process}/mem", os.O_RDONLY))

    return attempt


def connect(port: int) -> Callable[[], None]:
    """Return an attempt to connect to a port of this machine that listens."""

    def attempt() -> None:
        with socket.socket() as made:
            made.settimeout(1)
            made.connect(("127.0.0.1", port))

    return attempt


def make_socket() -> None:
    """Make a socket."""
    socket.socket().close()


def start_process() -> None:
    """Fork."""
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def execute() -> None:
    """Execute a program."""
    os.execv(sys.executable, [sys.executable, "-c", ""])


def trace() -> None:
    """Use ptrace."""
    kernel.call("ptrace", _PTRACE_TRACEME, 0, 0, 0)


def signal_to(process: int) -> Callable[[], None]:
    """Check whether a signal could be sent."""
    return lambda: os.kill(process, 0)


def clock_of(process: int) -> Callable[[], object]:
    """Read how much processor time another process has had."""
    return lambda: time.clock_gettime(~process << 3 | 2)


def processors_of(process: int) -> Callable[[], object]:
    """Read which processors another process may use."""
    return lambda: os.sched_getaffinity(process)


def map_executable() -> None:
    """Get memory that can be written and executed."""
    made = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    made.close()


def make_executable() -> None:
    """Make memory executable after it was written."""
    made = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 3)
    held = ctypes.c_char.from_buffer(made)
    try:
        kernel.call("mprotect", ctypes.addressof(held), mmap.PAGESIZE, 5)
    finally:
        del held
        made.close()


def use_memory() -> None:
    """Allocate more memory than the limit allows."""
    bytearray(_MUCH)


def compute() -> None:
    """Compute without end."""
    while True:
        pass


def become_root() -> None:
    """Become root."""
    os.setuid(0)


def change_root() -> None:
    """Call chroot on /, which requires a capability and changes nothing."""
    os.chroot("/")


@contextlib.contextmanager
def listening() -> Iterator[int | None]:
    """Yield a port of this machine that listens, None if there can be none."""
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", 0))
            listener.listen(4)
        except OSError:
            yield None
        else:
            yield listener.getsockname()[1]
