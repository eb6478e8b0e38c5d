"""Tests the sandbox at start-up: that each layer alone stops what it is for, and that all of them together do."""

from __future__ import annotations

import os
import signal

from backscope_server.sandbox import probe
from backscope_server.sandbox.layers import capabilities, identity, landlock, layer, prctl, rlimits, seccomp
from backscope_server.sandbox.layers.layer import Layer
from backscope_server.sandbox.layers.walls import Walls
from backscope_server.sandbox.limits import SLOTS
from backscope_server.sandbox.probe import Attempt, Outcome, deadly, joined, trial

_CPU_SECONDS = 1
_LAST_SLOT = SLOTS - 1


def _layer(name: str, outcome: Outcome) -> Layer:
    remedy = "" if outcome.passed else layer.REMEDIES.get(name, "")
    return Layer(name=name, works=outcome.passed, found=str(outcome), remedy=remedy)


def _absent(name: str, found: str) -> Layer:
    return Layer(name=name, works=False, found=found, remedy=layer.REMEDIES.get(name, ""))


class SelfTest:
    """Tests the layers in a zygote that has everything loaded; `layers` holds the results.

    `test_each` runs before the zygote gives anything up, `test_together` after it has: some attempts need things that
    the zygote gives up.  A `thorough` test takes a second more: it waits for the limit on processor time.
    """

    def __init__(self, walls: Walls, *, thorough: bool) -> None:
        self.layers: list[Layer] = []
        self._walls = walls
        self._thorough = thorough
        self._zygote = os.readlink("/proc/self")  # Its number there; a process-id namespace has others.
        self._port: int | None = None

    def test_each(self) -> None:
        """Test each layer of the children by itself."""
        walls = self._walls
        with probe.listening() as port:
            self._port = port
            self.layers.append(_layer("rlimits", self._rlimits()))
            if walls.user is not None:
                self.layers.append(_layer("identity", self._identity(walls.user)))
            if walls.landlock:
                self.layers.append(_layer("landlock", self._landlock(walls.landlock)))
            else:
                self.layers.append(_absent("landlock", "this kernel has no Landlock, or has it switched off"))
            self.layers.append(_layer("process attributes", self._attributes()))
            if walls.executable_memory_refused:
                self.layers.append(_layer("executable memory", self._executable_memory()))
            else:
                self.layers.append(_absent("executable memory", "this kernel cannot refuse it"))
            if walls.seccomp is not None:
                self.layers.append(_layer("seccomp", self._seccomp()))
            else:
                self.layers.append(_absent("seccomp", "this kernel or processor has no filter for system calls"))

    def test_together(self) -> None:
        """Apply the zygote's own layers, and test these, and a child with every layer."""
        walls = self._walls
        with probe.listening() as port:
            self._port = port
            walls.apply_to_zygote()
        if walls.namespaces is None:
            self.layers.append(_layer("namespaces", self._namespaces()))
        else:
            self.layers.append(_absent("namespaces", f"not to be had ({walls.namespaces})"))
        self.layers.append(_layer("capabilities", self._capabilities()))
        self.layers.append(_layer(layer.ALL, self._together()))

    def _connect(self) -> list[Attempt]:
        return [("connecting to a port", probe.connect(self._port))] if self._port is not None else []

    def _rlimits(self) -> Outcome:
        def prepare() -> None:
            if self._walls.user is not None:  # The number of processes does not bind root.
                identity.become(self._walls.user + _LAST_SLOT)
            rlimits.apply(cpu_seconds=_CPU_SECONDS, address_space=self._walls.mapped + probe.MEMORY)

        at_once = trial(
            prepare,
            [
                ("using more memory", probe.use_memory),
                ("starting a process", probe.start_process),
                ("opening a file", probe.open_file),
                ("making a socket", probe.make_socket),
            ],
        )
        if not self._thorough:
            return at_once
        return joined(at_once, deadly(prepare, ("computing for longer", probe.compute), by=signal.SIGXCPU))

    def _identity(self, user: int) -> Outcome:
        return trial(
            lambda: identity.become(user + _LAST_SLOT),
            [
                ("becoming root again", probe.become_root),
                ("signalling its parent", probe.signal_to(os.getpid())),
                ("reading its parent's memory", probe.read_memory_of(self._zygote)),
            ],
        )

    def _landlock(self, version: int) -> Outcome:
        def prepare() -> None:
            prctl.no_new_privileges()
            landlock.restrict(version)

        attempts: list[Attempt] = [("opening a file", probe.open_file), ("listing a folder", probe.open_root)]
        _files, network, scopes = landlock.rights(version)
        if network:
            attempts += self._connect()
        if scopes:
            attempts.append(("signalling another process", probe.signal_to(os.getpid())))
        return trial(prepare, [*attempts, ("executing a program", probe.execute)])

    def _attributes(self) -> Outcome:
        def prepare() -> None:
            prctl.no_new_privileges()
            prctl.make_undumpable()
            if not prctl.is_protected():
                raise OSError("the process can still be looked into")
            if self._walls.user is None:
                return
            identity.become(self._walls.user + _LAST_SLOT)
            prctl.make_undumpable()

        return trial(prepare, [("reading the memory of a process by its file", probe.read_memory_of("self"))])

    def _executable_memory(self) -> Outcome:
        return trial(
            prctl.refuse_executable_memory,
            [
                ("mapping executable memory", probe.map_executable),
                ("making memory executable", probe.make_executable),
            ],
        )

    def _seccomp(self) -> Outcome:
        def prepare() -> None:
            prctl.no_new_privileges()
            assert self._walls.seccomp is not None
            seccomp.install(self._walls.seccomp, os.getpid())

        refused = trial(
            prepare,
            [
                ("opening a file", probe.open_file),
                ("making a socket", probe.make_socket),
                ("starting a process", probe.start_process),
                ("signalling another process", probe.signal_to(os.getpid())),
                ("reading another process's clock", probe.clock_of(os.getpid())),
                ("reading another process's processors", probe.processors_of(os.getpid())),
                ("mapping executable memory", probe.map_executable),
                ("making memory executable", probe.make_executable),
            ],
        )
        ended = [
            deadly(prepare, attempt, by=signal.SIGSYS)
            for attempt in (("executing a program", probe.execute), ("tracing", probe.trace))
        ]
        return joined(refused, *ended)

    def _namespaces(self) -> Outcome:
        def prepare() -> None:
            if os.getpid() == 1:
                raise OSError("the zygote's children have no numbers of their own")

        return trial(
            prepare,
            [
                ("seeing files", probe.open_root),
                ("making a file", probe.write_file),
                ("seeing processes", probe.read_memory_of("self")),
                ("signalling the zygote by its number outside", probe.signal_to(int(self._zygote))),
                *self._connect(),
            ],
        )

    def _capabilities(self) -> Outcome:
        def prepare() -> None:
            if self._walls.user is not None:
                identity.become(self._walls.user + _LAST_SLOT)
            if capabilities.permitted():
                raise OSError("some capabilities are left")

        return trial(prepare, [("changing the root", probe.change_root), ("becoming root", probe.become_root)])

    def _together(self) -> Outcome:
        walls, zygote = self._walls, os.getpid()

        def prepare() -> None:
            pipes = (3, 4, 4)
            walls.apply_to_child(pipes, slot=_LAST_SLOT, cpu_seconds=_CPU_SECONDS, memory_bytes=probe.MEMORY)

        refused = trial(
            prepare,
            [
                ("opening a file", probe.open_file),
                ("making a socket", probe.make_socket),
                ("starting a process", probe.start_process),
                ("signalling the zygote", probe.signal_to(zygote)),
                ("reading the zygote's memory", probe.read_memory_of(self._zygote)),
                ("reading the zygote's clock", probe.clock_of(zygote)),
                ("reading the zygote's processors", probe.processors_of(zygote)),
                ("mapping executable memory", probe.map_executable),
                ("using more memory", probe.use_memory),
            ],
        )
        if walls.seccomp is None:
            return refused
        tracing = deadly(prepare, ("tracing", probe.trace), by=signal.SIGSYS)
        return joined(refused, deadly(prepare, ("executing a program", probe.execute), by=signal.SIGSYS), tracing)
