"""The server's side of one zygote: starts it, requests children, and receives their exits and its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from backscope_server.sandbox import messages
from backscope_server.sandbox.handle import Handle, Listener
from backscope_server.sandbox.layers import priority
from backscope_server.sandbox.messages import Boot, Exited, Ready, Spawn, Spawned

_BOOTSTRAP = "import sys; sys.path[:0] = {path!r}; from backscope_server.sandbox.zygote import main; main(sys.argv[1])"

# Nothing of the server's environment is passed on.  One BLAS thread, because threads do not survive a fork; a fixed
# hash seed, because a run is to be the same every time.
ENVIRONMENT = {
    "PATH": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}

_SCHEDULED = 2
"""The kernel's clock of the time that a process was on a processor; clock_getcpuclockid(3) makes its number."""


def import_path() -> list[str]:
    """Return the folders of the server and the engine, for a process that inherits no PYTHONPATH."""
    folders = [str(Path(__file__).resolve().parents[2])]
    engine = find_spec("backscope")
    if engine is not None and engine.submodule_search_locations:
        folders.append(str(Path(next(iter(engine.submodule_search_locations))).resolve().parent))
    return list(dict.fromkeys(folders))


def _process_of(pidfd: int) -> int | None:
    """Return the id here of a process that has another id in its namespace; None if it has ended."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "Pid" and int(value) > 0:
            return int(value)
    return None


class PidHandle(Handle):
    """A process by its pidfd, which never refers to another process that got the same id."""

    def __init__(self, pidfd: int) -> None:
        self.pid = _process_of(pidfd)
        self._pidfd = pidfd

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, unless the process has ended."""
        if self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, number)

    def lower_priority(self) -> None:
        """Lower its priority below those of programs that have just begun."""
        # A pidfd is readable after the exit; without one, the process id is still reserved for this process.
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        if self.pid is not None and not poll.poll(0):
            priority.lower_priority(self.pid)

    def cpu_seconds(self) -> float:
        """Return the processor time that it has used, 0 if it has ended."""
        if self.pid is None:
            return 0.0
        with contextlib.suppress(OSError):
            return time.clock_gettime((~self.pid << 3) | _SCHEDULED)
        return 0.0

    def close(self) -> None:
        """Release the process."""
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1


class ZygoteProcess:
    """One zygote from its start to its end; its reports go to `listener`."""

    def __init__(self, listener: Listener, program: str, folders: tuple[str, ...], *, thorough: bool) -> None:
        self.pid: int | None = None
        self._listener = listener
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = [*import_path(), *folders]
        boot = Boot(socket=theirs.fileno(), path=path, program=program, thorough=thorough, without=listener.without)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", _BOOTSTRAP.format(path=path), messages.encode(boot).decode()],
                env=ENVIRONMENT,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C in a terminal is for the server.
            )
        ours.setblocking(False)
        self._socket = ours
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(ours, self._receive)

    def spawn(self, order: Spawn, pipes: tuple[int, int, int]) -> None:
        """Request a child with these ends of its pipes: control, events, diagnostics.

        Raises: OSError where the zygote does not answer.
        """
        socket.send_fds(self._socket, [messages.encode(order)], list(pipes))

    def close(self) -> None:
        """End the zygote; the kernel ends its children with it."""
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket)
            self._socket.close()
        self._process.kill()
        self._process.wait()

    def _receive(self) -> None:
        try:
            message, descriptors, _flags, _address = socket.recv_fds(self._socket, messages.MAX_MESSAGE, 1)
        except BlockingIOError:
            return
        except OSError:
            message, descriptors = b"", []
        if not message:
            self.close()
            self._listener.died(self)
            return
        report = messages.decode_report(message)
        if isinstance(report, Ready):
            zygote = PidHandle(descriptors[0])
            self.pid = zygote.pid
            zygote.close()
            self._listener.loaded(self, report)
        elif isinstance(report, Spawned):
            self._listener.spawned(report.child, PidHandle(descriptors[0]))
        elif isinstance(report, Exited):
            self._listener.exited(report.child, report)
        elif report.child is None:
            self._listener.refused(self, report.reason)
        else:
            self._listener.exited(report.child, None, f"no process could be started: {report.reason}")
