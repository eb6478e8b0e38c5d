"""The zygote: a process that has imported everything and forks one child per program on request.

The server executes it with an explicit environment and never forks itself, so that no secret, lock or thread of the
server is in any child.
"""

from __future__ import annotations

import array
import contextlib
import gc
import os
import platform
import select
import socket
import sys
from typing import NoReturn

from backscope_server.sandbox import child, free_blocks, preload, spare_child
from backscope_server.sandbox.layers import descriptors, namespaces, priority, rlimits
from backscope_server.sandbox.layers.walls import Walls
from backscope_server.sandbox.messages import (
    MAX_MESSAGE,
    Exited,
    Ready,
    Refused,
    Report,
    Spawned,
    decode_boot,
    decode_spawn,
    encode,
)
from backscope_server.sandbox.selftest import SelfTest
from backscope_server.sandbox.spare_child import SpareChild

_IDLE_MILLISECONDS = 50
"""How long the zygote is idle before it forks the next child, so that a program that just started goes first."""


class Zygote:
    """The loop that forks and reaps children; single-threaded, as fork requires."""

    def __init__(self, server: socket.socket, execute: child.Run, walls: Walls) -> None:
        self.server = server
        self.execute = execute
        self.walls = walls
        self.spare: SpareChild | None = None
        self.filling: list[bytes] = []
        self.children: dict[int, tuple[int, int | None]] = {}
        self.poll = select.poll()
        self.poll.register(server, select.POLLIN)

    def send(self, report: Report, *descriptors: int) -> None:
        """Send one message to the server; exit if the server has gone."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        try:
            self.server.sendmsg([encode(report)], rights)
        except OSError:
            os._exit(0)

    def serve(self) -> NoReturn:
        """Fork and reap until the server closes its end; when idle, fork the next child ahead of time."""
        while True:
            waiting = self.poll.poll(None if self.spare is not None else _IDLE_MILLISECONDS)
            if not waiting:
                with contextlib.suppress(OSError):  # The next order says what is wrong.
                    self.spare = self.fork(rehearsed=True)
            for descriptor, _ in waiting:
                if descriptor == self.server.fileno():
                    self.order()
                elif descriptor in self.children:
                    self.reap(descriptor)

    def fork(self, *, rehearsed: bool) -> SpareChild:
        """Fork a child that waits for its order.

        Raises: OSError.
        """
        made = spare_child.fork(self.execute, self.walls, self.server, rehearsed=rehearsed)
        self.children[made.pidfd] = (made.pid, None)
        self.poll.register(made.pidfd, select.POLLIN)
        return made

    def order(self) -> None:
        """Read one order from the server and pass it to a child."""
        try:
            message, descriptors, _flags, _address = socket.recv_fds(self.server, MAX_MESSAGE, 3)
        except ConnectionResetError:  # The server was killed, and had not read all.
            os._exit(0)
        if not message:
            os._exit(0)  # The kernel kills the children with this process.
        number = decode_spawn(message).child
        try:
            taker = self._given(message, descriptors)
        except OSError as error:
            self.send(Refused(child=number, reason=str(error)))
        else:
            self.children[taker.pidfd] = (taker.pid, number)
            self.send(Spawned(child=number), taker.pidfd)
        for descriptor in descriptors:
            os.close(descriptor)

    def _given(self, message: bytes, descriptors: list[int]) -> SpareChild:
        """Return the child that got the order: the spare one, or a new one if there is none or it has died."""
        taker, self.spare = self.spare, None
        if taker is not None:
            with contextlib.suppress(OSError):
                taker.order(message, descriptors)
                return taker
        taker = self.fork(rehearsed=False)
        taker.order(message, descriptors)
        return taker

    def reap(self, pidfd: int) -> None:
        """Collect the exit status of a child and report it."""
        pid, number = self.children.pop(pidfd)
        self.poll.unregister(pidfd)
        os.close(pidfd)
        _pid, status, usage = os.wait4(pid, 0)
        if number is not None:
            self.send(Exited(child=number, status=status, cpu_seconds=usage.ru_utime + usage.ru_stime))
        elif self.spare is not None and self.spare.pid == pid:
            self.spare = None


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in ("backscope", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = str(getattr(sys.modules.get(name), "__version__", "unknown"))
    return found


def main(argument: str) -> NoReturn:
    """Preload, test the layers, report to the server and serve; `argument` is a Boot message."""
    boot = decode_boot(argument)
    server = socket.socket(fileno=boot.socket)
    try:
        no_namespaces = "left out" if "namespaces" in boot.without else namespaces.why_not()
        if no_namespaces is None:
            namespaces.begin(boot.socket)
        sys.path[:0] = boot.path
        runner = preload.load(boot.program)
        preload.warm(runner.run)
        if len(os.listdir("/proc/self/task")) != 1:
            raise RuntimeError("a preloaded module has started a thread, after which forking is not safe")
        priority.prefer_as_victim()
        walls = Walls.of_this_system(no_namespaces, boot.without)
        descriptors.open_null()
        walls.mapped = rlimits.mapped_bytes()
        sizes = rlimits.open_sizes()  # After the lock-down no file can be opened.
        versions = _versions()  # While there are files to read them from.
        test = SelfTest(walls, thorough=boot.thorough)
        test.test_each()
        test.test_together()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"[: MAX_MESSAGE // 8]
        server.send(encode(Refused(child=None, reason=reason)))
        os._exit(1)
    zygote = Zygote(server, runner.run, walls)
    preload.close_imports()
    # Objects that exist now are never scanned in a child: their pages stay shared.
    gc.collect()
    gc.disable()
    gc.freeze()
    zygote.filling = free_blocks.fill_free_blocks()
    # The search for free blocks maps memory, which no program may be charged for.
    walls.mapped = rlimits.take_mapped_bytes(sizes)
    zygote.send(Ready(versions=versions, layers=test.layers), os.pidfd_open(os.getpid()))
    zygote.serve()
