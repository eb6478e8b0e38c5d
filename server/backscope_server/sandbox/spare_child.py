"""Forks a child ahead of time: it runs a small program, so that its pages are copied, then waits for a program to run.

A page that a child shares with the zygote is copied when it is written to, and every use of a Python object writes its
reference count.  Doing so ahead of time shortens the wait from Run to the first event.
"""

from __future__ import annotations

import os
import socket
from typing import NoReturn

from backscope_server.sandbox import child, preload
from backscope_server.sandbox.layers import prctl
from backscope_server.sandbox.layers.walls import Walls
from backscope_server.sandbox.messages import MAX_MESSAGE, decode_spawn


class SpareChild:
    """The zygote's handle of a waiting child: its process, and the socket that the child reads its order from."""

    def __init__(self, pid: int, link: socket.socket) -> None:
        self.pid = pid
        self.pidfd = os.pidfd_open(pid)
        self._link = link

    def order(self, message: bytes, descriptors: list[int]) -> None:
        """Send the child a Spawn message and the ends of its three pipes.

        Raises: OSError where the process has ended.
        """
        with self._link:
            socket.send_fds(self._link, [message], descriptors)


def fork(execute: child.Run, walls: Walls, server: socket.socket, *, rehearsed: bool) -> SpareChild:
    """Fork a child that waits for its order; with `rehearsed` it runs a small program before.

    It closes its copy of `server`, the zygote's socket.

    Raises: OSError.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        try:
            pid = os.fork()
        except OSError:
            ours.close()
            raise
        if pid == 0:
            ours.close()
            server.close()
            _wait(theirs, execute, walls, rehearsed=rehearsed)
    return SpareChild(pid, ours)


def _wait(link: socket.socket, execute: child.Run, walls: Walls, *, rehearsed: bool) -> NoReturn:
    exit_now = os._exit
    try:
        prctl.die_with_parent(walls.zygote)
        if rehearsed:
            execute(preload.BEGINNING, lambda batch: None, alone=True)
        message, descriptors, _flags, _address = socket.recv_fds(link, MAX_MESSAGE, 3)
        if message:
            control, events, diagnostics = descriptors
            child.run(decode_spawn(message), (control, events, diagnostics), execute, walls)
    finally:
        exit_now(0)
