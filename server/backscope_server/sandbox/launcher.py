"""The server's end of the zygote: starts it, asks for children, hears of their exits, starts another when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from backscope_server.sandbox import messages
from backscope_server.sandbox.identity import SLOTS
from backscope_server.sandbox.limits import Limits
from backscope_server.sandbox.messages import Boot, Exited, Ready, Spawn, Spawned

PROGRAM = "backscope.program"
_BOOTSTRAP = "import sys; sys.path[:0] = {path!r}; from backscope_server.sandbox.zygote import main; main(sys.argv[1])"
_BOOT_SECONDS = 60.0
_FIRST_RETRY_SECONDS = 1.0
_LAST_RETRY_SECONDS = 60.0

# Nothing of the server's environment is passed on.  One BLAS thread, because threads do not survive a fork; a fixed
# hash seed, because a run is to be the same every time.
_ENVIRONMENT = {
    "PATH": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}


def why_not_here() -> str | None:
    """Why programs cannot be run on this system, None where they can."""
    system: str = sys.platform
    if system == "linux":
        return None
    return (
        f"Backscope's server runs on Linux only; this is {system}. "
        "Use `backscope run FILE`, or start the server in a container or in WSL."
    )


class SandboxError(RuntimeError):
    """No program can be run at present; the text says why and what to do."""


class Child:
    """One forked process as the server knows it: its pidfd once it is there, its exit once it is gone."""

    def __init__(self, number: int, slot: int) -> None:
        self.number = number
        self.slot = slot
        self.pid: int | None = None
        self.exit: Exited | None = None
        self.lost: str | None = None
        self.gone = asyncio.Event()
        self._pidfd: int | None = None
        self._doomed = False

    def born(self, pid: int, pidfd: int) -> None:
        """Take over the process; kill it at once where that was asked for before it was there."""
        self.pid, self._pidfd = pid, pidfd
        if self._doomed:
            self.kill()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to exactly this process, never to another one that got its process id."""
        if self._pidfd is not None and self.exit is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, number)

    def kill(self) -> None:
        """End the process now, or as soon as it is there."""
        self._doomed = True
        self.signal(signal.SIGKILL)

    def finish(self, exited: Exited | None, lost: str | None = None) -> None:
        """Note the exit, or with `lost` that nobody will ever report it."""
        if self.gone.is_set():
            return
        self.exit, self.lost = exited, lost
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        self.gone.set()


def import_path() -> list[str]:
    """The folders that hold the server and the engine, for a process that inherits no PYTHONPATH."""
    folders = [str(Path(__file__).resolve().parents[2])]
    engine = find_spec("backscope")
    if engine is not None and engine.submodule_search_locations:
        folders.append(str(Path(next(iter(engine.submodule_search_locations))).resolve().parent))
    return list(dict.fromkeys(folders))


class Launcher:
    """Keeps one zygote alive; `program` names the module whose `run` executes programs."""

    def __init__(self, program: str = PROGRAM) -> None:
        self.versions: dict[str, str] = {}
        self._program = program
        self._path = import_path()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._children: dict[int, Child] = {}
        self._slots = list(range(SLOTS - 1, -1, -1))
        self._next = 1
        self._ready = asyncio.Event()
        self._failure: str | None = None
        self._closing = False
        self._retry: asyncio.TimerHandle | None = None
        self._retry_seconds = _FIRST_RETRY_SECONDS

    @property
    def pid(self) -> int | None:
        """The process id of the zygote, None while there is none."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start the zygote and wait until it has loaded everything.

        Raises: SandboxError where it cannot be started, with its own words.
        """
        if (reason := why_not_here()) is not None:
            raise SandboxError(reason)
        self._execute()
        try:
            await self._until_ready()
        except SandboxError:
            await self.close()
            raise

    async def spawn(self, limits: Limits, control: int, events: int, diagnostics: int) -> Child:
        """Fork a child with these pipe ends, which stay the caller's to close.

        Raises: SandboxError where there is no zygote to fork it.
        """
        await self._until_ready()
        assert self._socket is not None
        if not self._slots:
            raise SandboxError(f"{SLOTS} programs are running; stop one of them first.")
        child = Child(self._next, self._slots.pop())
        self._next += 1
        self._children[child.number] = child
        order = Spawn(
            child=child.number, slot=child.slot, cpu_seconds=limits.cpu_seconds, memory_bytes=limits.memory_bytes
        )
        try:
            socket.send_fds(self._socket, [messages.encode(order)], [control, events, diagnostics])
        except OSError as error:
            self._forget(child, None, f"the process that starts programs does not answer: {error.strerror}")
        return child

    async def close(self) -> None:
        """End the zygote and with it every child."""
        self._closing = True
        if self._retry is not None:
            self._retry.cancel()
        self._drop("the server is shutting down")

    def _execute(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        boot = Boot(socket=theirs.fileno(), path=self._path, program=self._program)
        self._failure = None
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", _BOOTSTRAP.format(path=self._path), messages.encode(boot).decode()],
                env=_ENVIRONMENT,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C in a terminal is for the server.
            )
        ours.setblocking(False)
        self._socket = ours
        asyncio.get_running_loop().add_reader(ours, self._hear)

    async def _until_ready(self) -> None:
        try:
            await asyncio.wait_for(self._ready.wait(), _BOOT_SECONDS)
        except TimeoutError:
            raise SandboxError(f"The process that starts programs was not ready after {_BOOT_SECONDS:g} s.") from None
        if self._failure is not None:
            raise SandboxError(f"The process that starts programs cannot run: {self._failure}")
        if self._closing:
            raise SandboxError("The server is shutting down.")

    def _hear(self) -> None:
        assert self._socket is not None
        try:
            message, descriptors, _flags, _address = socket.recv_fds(self._socket, messages.MAX_MESSAGE, 1)
        except BlockingIOError:
            return
        except OSError:
            message, descriptors = b"", []
        if not message:
            self._died()
            return
        report = messages.decode_report(message)
        if isinstance(report, Ready):
            self.versions = report.versions
            self._failure = None
            self._retry_seconds = _FIRST_RETRY_SECONDS
            self._ready.set()
        elif isinstance(report, Spawned):
            child = self._children.get(report.child)
            if child is not None:
                child.born(report.pid, descriptors[0])
            else:
                os.close(descriptors[0])
        elif isinstance(report, Exited):
            self._forget(self._children.get(report.child), report)
        elif report.child is None:
            self._failure = report.reason
            self._ready.set()
        else:
            self._forget(self._children.get(report.child), None, f"no process could be started: {report.reason}")

    def _forget(self, child: Child | None, exited: Exited | None, lost: str | None = None) -> None:
        if child is not None and self._children.pop(child.number, None) is not None:
            self._slots.append(child.slot)
            child.finish(exited, lost)

    def _drop(self, reason: str) -> None:
        loop = asyncio.get_running_loop()
        if self._socket is not None:
            loop.remove_reader(self._socket)
            self._socket.close()  # The zygote exits when its socket ends, and the kernel kills its children then.
            self._socket = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        for child in list(self._children.values()):
            child.kill()
            self._forget(child, None, reason)

    def _died(self) -> None:
        failed_at_boot = self._failure is not None or not self._ready.is_set()
        self._drop("the process that started it has died")
        if self._closing:
            return
        if not failed_at_boot:
            self._ready.clear()
            self._execute()
            return
        self._failure = self._failure or "it exited while loading; its own messages are above"
        self._ready.set()
        self._retry = asyncio.get_running_loop().call_later(self._retry_seconds, self._again)
        self._retry_seconds = min(2 * self._retry_seconds, _LAST_RETRY_SECONDS)

    def _again(self) -> None:
        # The failure stays readable until the new zygote has said that it is ready.
        reason = self._failure
        self._execute()
        self._failure = reason
