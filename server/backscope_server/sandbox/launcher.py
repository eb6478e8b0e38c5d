"""Starts processes for programs from a zygote, and replaces the zygote when it dies or is old."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys

from backscope_server.sandbox.handle import KILL, Handle, Source
from backscope_server.sandbox.layers.layer import Layer, lacking
from backscope_server.sandbox.limits import SLOTS, Limits
from backscope_server.sandbox.messages import Exited, Ready, Spawn

PROGRAM = "backscope.program.runner"
_BOOT_SECONDS = 60.0
_FIRST_RETRY_SECONDS = 1.0
_LAST_RETRY_SECONDS = 60.0


def has_zygotes() -> bool:
    """Return whether the system supports a zygote and its sandbox."""
    system: str = sys.platform
    return system == "linux"


class SandboxError(RuntimeError):
    """The error for a program that cannot be run at present; the text says why and what to do."""


class Child:
    """The process of one program as the server sees it; signals are safe after its end, and `exit` has its status."""

    def __init__(self, number: int, slot: int, source: Source | None = None) -> None:
        self.number = number
        self.slot = slot
        self.source = source
        self.pid: int | None = None
        self.exit: Exited | None = None
        self.lost: str | None = None
        self.gone = asyncio.Event()
        self._handle: Handle | None = None
        self._doomed = False

    def born(self, handle: Handle) -> None:
        """Take over the started process; kill it at once if kill() was called before."""
        self.pid, self._handle = handle.pid, handle
        if self._doomed:
            self.kill()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, but never to another process that got the same process id."""
        if self._handle is not None and self.exit is None:
            self._handle.signal(number)

    def cpu_seconds(self) -> float:
        """Return the processor time that the process has used, 0 if that is not known."""
        return self._handle.cpu_seconds() if self._handle is not None and self.exit is None else 0.0

    def lower_priority(self) -> None:
        """Lower the priority below those of programs that have just begun."""
        if self._handle is not None and self.exit is None:
            self._handle.lower_priority()

    def kill(self) -> None:
        """Kill the process now, or as soon as it has been started."""
        self._doomed = True
        self.signal(KILL)

    def finish(self, exited: Exited | None, lost: str | None = None) -> None:
        """Record the exit, or with `lost` why its status is unknown."""
        if self.gone.is_set():
            return
        self.exit, self.lost = exited, lost
        if self._handle is not None:
            self._handle.close()
            self._handle = None
        self.gone.set()


class Launcher:
    """Keeps a source of processes alive; `program` names the module whose `run` executes programs.

    A zygote is replaced after `zygote_seconds` or `zygote_programs`, whichever comes first, because its children share
    what is random once per process, such as the addresses of memory.  The old one runs until its children have ended.
    With `limited` each program gets a process with limits only, as on all systems but Linux.  With `public` no program
    runs unless the layers suffice for untrusted ones.  A `thorough` self-test takes a second more.  Tests leave out the
    layers in `without`.  Programs may import from `folders` too.
    """

    def __init__(
        self,
        program: str = PROGRAM,
        *,
        limited: bool | None = None,
        public: bool = False,
        thorough: bool = False,
        zygote_seconds: float = 3600,
        zygote_programs: int = 500,
        without: tuple[str, ...] = (),
        folders: tuple[str, ...] = (),
    ) -> None:
        self.versions: dict[str, str] = {}
        self.layers: list[Layer] = []
        self.limited = not has_zygotes() if limited is None else limited
        self.without = without
        self._program = program
        self._folders = folders
        self._public = public
        self._thorough = thorough
        self._seconds = zygote_seconds
        self._programs = zygote_programs
        self._source: Source | None = None
        self._next_source: Source | None = None
        """The source that is loading and will replace the current one."""
        self._retired: set[Source] = set()
        self._started = 0
        """The number of children of the current source."""
        self._children: dict[int, Child] = {}
        self._slots = list(range(SLOTS - 1, -1, -1))
        self._next = 1
        self._ready = asyncio.Event()
        self._failure: str | None = None
        self._closing = False
        self._retry: asyncio.TimerHandle | None = None
        self._retry_seconds = _FIRST_RETRY_SECONDS
        self._age: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the zygote, None if there is none."""
        return self._source.pid if self._source is not None else None

    @property
    def sandboxed(self) -> bool:
        """Return whether the layers around programs suffice for untrusted ones."""
        return not lacking(self.layers)

    @property
    def ready(self) -> bool:
        """Return whether a program would be started at once."""
        return self._ready.is_set() and self._failure is None

    async def settled(self) -> None:
        """Wait until programs start at once, or it is known that they cannot."""
        with contextlib.suppress(SandboxError):
            await self._until_ready()

    async def start(self) -> None:
        """Start the zygote and wait until it has loaded everything.

        Raises: SandboxError where it cannot be started, with its own words.
        """
        try:
            self._source = self._new()
            await self._until_ready()
        except OSError as error:
            raise SandboxError(f"The process that starts programs could not be started: {error}") from None
        except SandboxError:
            await self.close()
            raise

    async def spawn(self, limits: Limits, control: int, events: int, diagnostics: int) -> Child:
        """Start a process with these pipe ends, which the caller still has to close.

        Raises: SandboxError where there is no zygote to fork it.
        """
        await self._until_ready()
        assert self._source is not None
        if not self._slots:
            raise SandboxError(f"{SLOTS} programs are running; stop one of them first.")
        child = Child(self._next, self._slots.pop(), self._source)
        self._next += 1
        self._children[child.number] = child
        order = Spawn(
            child=child.number, slot=child.slot, cpu_seconds=limits.cpu_seconds, memory_bytes=limits.memory_bytes
        )
        try:
            self._source.spawn(order, (control, events, diagnostics))
        except OSError as error:
            reason = f"the process that starts programs does not answer: {error.strerror or error}"
            self.exited(child.number, None, reason)
        self._started += 1
        if self._started >= self._programs:
            self._renew()
        return child

    async def close(self) -> None:
        """End the zygotes and with them every child."""
        self._closing = True
        for timer in (self._retry, self._age):
            if timer is not None:
                timer.cancel()
        for source in (self._source, self._next_source, *self._retired):
            if source is not None:
                source.close()
        self._source = self._next_source = None
        self._retired.clear()
        self._lose(list(self._children.values()), "the server is shutting down")

    def loaded(self, source: Source, report: Ready) -> None:
        """Start programs from this source from now on."""
        if self._public and (reasons := lacking(report.layers)):
            self.refused(source, "the sandbox does not suffice for a public server: " + " ".join(reasons))
            source.close()
            self.died(source)
            return
        if source is self._next_source:
            before, self._source, self._next_source = self._source, source, None
            if before is not None:
                self._retired.add(before)
                self._dismiss(before)
        self.versions = report.versions
        self.layers = report.layers
        self._failure = None
        self._retry_seconds = _FIRST_RETRY_SECONDS
        self._started = 0
        if self._age is not None:
            self._age.cancel()
        self._age = asyncio.get_running_loop().call_later(self._seconds, self._renew)
        self._ready.set()

    def refused(self, source: Source, reason: str) -> None:
        """Record why this source cannot start programs; an earlier zygote stays in use."""
        if source is self._next_source:
            self._next_source = None
            source.close()
            self._renew_later()
            return
        self._failure = reason
        self._ready.set()

    def died(self, source: Source) -> None:
        """End the children of this source, and start another source if it was the current one."""
        self._lose(
            [child for child in self._children.values() if child.source is source],
            "the process that started it has died",
        )
        self._retired.discard(source)
        if source is self._next_source:
            self._next_source = None
            if not self._closing:
                self._renew_later()
        if source is not self._source or self._closing:
            return
        self._source = None
        if self._failure is None and self._ready.is_set():
            self._ready.clear()
            self._source, self._next_source = self._next_source, None
            if self._source is None:
                self._again()
            return
        self._try_later(self._failure or "it exited while loading; its own messages are above")

    def _try_later(self, reason: str) -> None:
        self._failure = reason
        self._ready.set()
        self._retry = asyncio.get_running_loop().call_later(self._retry_seconds, self._again)
        self._retry_seconds = min(2 * self._retry_seconds, _LAST_RETRY_SECONDS)

    def spawned(self, child: int, handle: Handle) -> None:
        """Take over a new child, or kill it if its run has been given up."""
        found = self._children.get(child)
        if found is None:
            handle.close()
        else:
            found.born(handle)

    def exited(self, child: int, report: Exited | None, lost: str | None = None) -> None:
        """Record the exit of a child and free its slot."""
        found = self._children.pop(child, None)
        if found is None:
            return
        self._slots.append(found.slot)
        found.finish(report, lost)
        if found.source is not None:
            self._dismiss(found.source)

    def _new(self) -> Source:
        if self.limited:
            from backscope_server.sandbox.limited import LimitedProcesses

            return LimitedProcesses(self, self._program, self._folders)
        from backscope_server.sandbox.zygote_process import ZygoteProcess

        return ZygoteProcess(self, self._program, self._folders, thorough=self._thorough)

    def _renew(self) -> None:
        if not self.limited and self._next_source is None and not self._closing and self._failure is None:
            try:
                self._next_source = self._new()
            except OSError:  # The current source stays in use.
                self._renew_later()

    def _renew_later(self) -> None:
        """Try again later to replace the current zygote."""
        if self._age is not None:
            self._age.cancel()
        self._age = asyncio.get_running_loop().call_later(min(_LAST_RETRY_SECONDS, self._seconds), self._renew)

    def _dismiss(self, source: Source) -> None:
        """Close a zygote that has been replaced, once it has no children."""
        if source in self._retired and not any(child.source is source for child in self._children.values()):
            self._retired.discard(source)
            source.close()

    def _lose(self, children: list[Child], reason: str) -> None:
        for child in children:
            child.kill()
            self.exited(child.number, None, reason)

    async def _until_ready(self) -> None:
        try:
            await asyncio.wait_for(self._ready.wait(), _BOOT_SECONDS)
        except TimeoutError:
            raise SandboxError(f"The process that starts programs was not ready after {_BOOT_SECONDS:g} s.") from None
        if self._failure is not None:
            raise SandboxError(f"The process that starts programs cannot run: {self._failure}")
        if self._closing:
            raise SandboxError("The server is shutting down.")

    def _again(self) -> None:
        # The reason of a failure is kept until the new zygote is ready.
        try:
            self._source = self._new()
        except OSError as error:
            self._try_later(f"it could not be started: {error.strerror or error}")
