"""Runs each program in a new process whose limits the server watches, for systems without zygotes.

It protects the machine from mistakes, not from attacks.
"""

from __future__ import annotations

import asyncio
import os
import platform
import signal
import subprocess
import sys

import msgspec

from backscope_server.sandbox.child import EXIT_MEMORY
from backscope_server.sandbox.family import Family
from backscope_server.sandbox.handle import KILL, Listener
from backscope_server.sandbox.layers import priority
from backscope_server.sandbox.layers.layer import ALL, Layer
from backscope_server.sandbox.messages import Exited, LimitedBoot, Ready, Spawn
from backscope_server.sandbox.zygote_process import ENVIRONMENT, import_path

_BOOTSTRAP = (
    "import sys; sys.path[:0] = {path!r}; from backscope_server.sandbox.limited_child import main; main(sys.argv[1])"
)
_SYSTEM: str = sys.platform
_CRASHED = 0xC0000000
"""The exit statuses of Windows from here on are those of crashes."""
_SEGMENTATION_FAULT, _KILLED = 11, 9
_WATCH_SECONDS = 0.02
_MEASURE_EVERY = 5
_ENGINE_BYTES = 256 << 20
"""The memory that the engine itself may take, bytes."""
_FOUND = "programs run in a process of the server's own user, with limits and nothing else around it"


class _Process:
    """The process of one program."""

    def __init__(self, process: subprocess.Popen[bytes], order: Spawn) -> None:
        self.pid: int | None = process.pid
        self.process = process
        self.family = Family(process)
        self.order = order
        self.used_seconds = 0.0
        self.too_large = False
        self.too_long = False

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended; SIGKILL also goes to all processes that it has started."""
        if number == KILL:
            self.family.kill()
        else:
            self.family.signal(number)

    def close(self) -> None:
        """Release the process, which has ended."""

    def lower_priority(self) -> None:
        """Lower its priority below those of programs that have just begun."""
        if self.process.returncode is None:
            priority.lower_priority(self.process.pid)

    def cpu_seconds(self) -> float:
        """Return the processor time that it had used when it was last measured."""
        return self.used_seconds

    def measure(self) -> None:
        """Kill it if it, with all that it has started, has more memory or processor time than allowed."""
        self.family.look()
        seconds, nbytes = self.family.used()
        self.used_seconds = max(self.used_seconds, seconds)
        self.too_large = self.too_large or nbytes > self.order.memory_bytes + _ENGINE_BYTES
        self.too_long = self.too_long or self.used_seconds > self.order.cpu_seconds + 1
        if self.too_large or self.too_long:
            self.family.kill()

    def exited(self) -> Exited | None:
        """Return how the process ended, None while it runs; once it has, kill all that it started."""
        if not self.family.ended():
            return None
        self.family.kill()
        status = wait_status(self.process.wait())
        if self.too_large:
            status = wait_status(EXIT_MEMORY)
        elif self.too_long:
            status = _KILLED
        return Exited(child=self.order.child, status=status, cpu_seconds=self.used_seconds)


def wait_status(code: int) -> int:
    """Convert the exit status of a process, or minus its signal, to the status that wait(2) gives."""
    if code >= _CRASHED:
        return _SEGMENTATION_FAULT
    return -code if code < 0 else (code & 0xFF) << 8


class LimitedProcesses:
    """Starts a process for each program and watches all of them."""

    def __init__(self, listener: Listener, program: str, folders: tuple[str, ...]) -> None:
        self.pid: int | None = None
        self._listener = listener
        self._program = program
        self._path = [*import_path(), *folders]
        self._processes: dict[int, _Process] = {}
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._ticks = 0
        self._loop.call_soon(self._ready)

    def spawn(self, order: Spawn, pipes: tuple[int, int, int]) -> None:
        """Start a process with these ends of its pipes: control, events, diagnostics.

        Raises: OSError.
        """
        control, events, diagnostics = pipes
        boot = LimitedBoot(path=self._path, program=self._program, order=order, server=os.getpid())
        made = subprocess.Popen(
            [
                *(sys.executable, "-s", "-P", "-c", _BOOTSTRAP.format(path=self._path)),
                msgspec.json.encode(boot).decode(),
            ],
            env=self._environment(),
            stdin=control,
            stdout=events,
            stderr=diagnostics,
            start_new_session=True,
        )
        process = _Process(made, order)
        self._processes[order.child] = process
        self._listener.spawned(order.child, process)
        if self._timer is None:
            self._watch()

    def close(self) -> None:
        """End every process."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for process in self._processes.values():
            process.family.kill()
            process.process.wait()
        self._processes.clear()

    def _ready(self) -> None:
        layers = [Layer(name=ALL, works=False, found=_FOUND, remedy="Run the server on Linux.")]
        versions = {"python": platform.python_version()}
        self._listener.loaded(self, Ready(versions=versions, layers=layers))

    def _environment(self) -> dict[str, str]:
        if _SYSTEM != "win32":
            return ENVIRONMENT
        # Windows starts no Python without knowing where it is itself.
        return {**ENVIRONMENT, "SYSTEMROOT": os.environ.get("SYSTEMROOT", r"C:\Windows")}

    def _watch(self) -> None:
        self._ticks += 1
        for number, process in list(self._processes.items()):
            if self._ticks % _MEASURE_EVERY == 0:
                process.measure()
            report = process.exited()
            if report is not None:
                del self._processes[number]
                self._listener.exited(number, report)
        self._timer = self._loop.call_later(_WATCH_SECONDS, self._watch) if self._processes else None
