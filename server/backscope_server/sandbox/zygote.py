"""The zygote: a process that has everything imported and forks one child per program on request.

The server executes it with an explicit environment and never forks itself, so that no secret, lock or thread of the
server is in any child.
"""

from __future__ import annotations

import array
import gc
import os
import platform
import select
import socket
import sys
from pathlib import Path
from typing import NoReturn

from backscope_server.sandbox import child, identity, preload, rlimits
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


class Zygote:
    """The loop that forks and reaps; single-threaded, as fork demands."""

    def __init__(self, server: socket.socket, execute: child.Run, user: int | None) -> None:
        self.server = server
        self.execute = execute
        self.user = user
        self.pid = os.getpid()
        self.mapped = rlimits.mapped_bytes()
        self.children: dict[int, tuple[int, int]] = {}
        self.poll = select.poll()
        self.poll.register(server, select.POLLIN)

    def tell(self, report: Report, *descriptors: int) -> None:
        """Send one message to the server; a server that is gone ends this process."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        try:
            self.server.sendmsg([encode(report)], rights)
        except OSError:
            os._exit(0)

    def serve(self) -> NoReturn:
        """Fork and reap until the server closes its end."""
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor == self.server.fileno():
                    self.fork()
                else:
                    self.reap(descriptor)

    def fork(self) -> None:
        """Take one order from the server and fork its child."""
        message, descriptors, _flags, _address = socket.recv_fds(self.server, MAX_MESSAGE, 3)
        if not message:
            os._exit(0)  # The kernel kills the children with this process.
        order = decode_spawn(message)
        control, events, diagnostics = descriptors
        try:
            pid = os.fork()
        except OSError as error:
            pid = -1
            self.tell(Refused(child=order.child, reason=str(error)))
        if pid == 0:
            pipes = (control, events, diagnostics)
            child.run(order, pipes, self.execute, parent=self.pid, user=self.user, mapped=self.mapped)
        for descriptor in descriptors:
            os.close(descriptor)
        if pid > 0:
            pidfd = os.pidfd_open(pid)
            self.children[pidfd] = (pid, order.child)
            self.poll.register(pidfd, select.POLLIN)
            self.tell(Spawned(child=order.child, pid=pid), pidfd)

    def reap(self, pidfd: int) -> None:
        """Collect a child that has exited and say how."""
        pid, number = self.children.pop(pidfd)
        self.poll.unregister(pidfd)
        os.close(pidfd)
        _pid, status, usage = os.wait4(pid, 0)
        self.tell(Exited(child=number, status=status, cpu_seconds=usage.ru_utime + usage.ru_stime))


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in ("backscope", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = str(getattr(sys.modules.get(name), "__version__", "unknown"))
    return found


def _prefer_as_victim() -> None:
    """When the machine runs out of memory, programs go first and the server stays."""
    try:
        Path("/proc/self/oom_score_adj").write_text("900")
    except OSError:
        return  # Some containers mount /proc read-only.


def main(argument: str) -> NoReturn:
    """Preload, say so and serve; `argument` is a Boot message."""
    boot = decode_boot(argument)
    server = socket.socket(fileno=boot.socket)
    sys.path[:0] = boot.path
    try:
        user = identity.base()
        runner = preload.load(boot.program)
        preload.warm()
        if len(os.listdir("/proc/self/task")) != 1:
            raise RuntimeError("a preloaded module has started a thread, after which forking is not safe")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"[: MAX_MESSAGE // 8]
        server.send(encode(Refused(child=None, reason=reason)))
        os._exit(1)
    _prefer_as_victim()
    zygote = Zygote(server, runner.run, user)
    # Objects that exist now are never scanned in a child: their pages stay shared.
    gc.collect()
    gc.disable()
    gc.freeze()
    zygote.tell(Ready(versions=_versions()))
    zygote.serve()
