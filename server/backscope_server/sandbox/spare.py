"""The next child, forked ahead of its order: it has touched the pages that a run touches, and waits.

A page that a child shares with the zygote is copied when it is written to, and every use of a Python object is a write:
done ahead, that is no longer between the order and the first event.
"""

from __future__ import annotations

import os
import socket
from typing import NoReturn

from backscope_server.sandbox import child, preload
from backscope_server.sandbox.layers import prctl
from backscope_server.sandbox.layers.walls import Walls
from backscope_server.sandbox.messages import MAX_MESSAGE, decode_spawn


class Spare:
    """A child without an order, in the zygote: its process, and the end of the socket that it waits at."""

    def __init__(self, pid: int, link: socket.socket) -> None:
        self.pid = pid
        self.pidfd = os.pidfd_open(pid)
        self._link = link

    def order(self, message: bytes, descriptors: list[int]) -> None:
        """Hand over a Spawn message and the ends of the three pipes.

        Raises: OSError where the process is gone.
        """
        with self._link:
            socket.send_fds(self._link, [message], descriptors)


def fork(execute: child.Run, walls: Walls, server: socket.socket, *, rehearsed: bool) -> Spare:
    """Fork a child that waits for its order, `rehearsed` where there is time for that; it keeps no end of `server`.

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
    return Spare(pid, ours)


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
