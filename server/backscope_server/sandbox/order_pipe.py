"""Reads pipes line by line, such as a child's control pipe, also on systems that cannot poll pipes."""

from __future__ import annotations

import _thread
import contextlib
import faulthandler
import os
import queue
import select
from typing import Protocol

from backscope_server.sandbox.layers import descriptors

# Bound here: the program may well replace them, on purpose or not.
_read, _select, _dump, _exit = os.read, select.select, faulthandler.dump_traceback, os._exit
_CHUNK = 1 << 16

WHERE = b"where"
"""The line on the control pipe that requests the program's current line, where the system has no signal for it."""


class OrderPipe(Protocol):
    """The interface of a pipe that is read line by line."""

    def pending(self) -> bool:
        """Return whether there is data to read."""

    def line(self) -> bytes | None:
        """Wait for the next line and return it; None once the server has closed its end."""


class Lines:
    """Lines from a pipe, on a system that can check whether a pipe has data."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._unread = b""
        self._begun: list[bytes] = []
        """The beginning of an incomplete line; it is kept where an exception ends the wait."""

    def pending(self) -> bool:
        """Return whether there is data to read."""
        # poll(2) would fail: its number of descriptors is limited to those that a child may open.
        return b"\n" in self._unread or bool(_select([self.descriptor], [], [], 0)[0])

    def line(self) -> bytes | None:
        """Wait for the next line and return it; None at the end."""
        while b"\n" not in self._unread:
            if not (part := _read(self.descriptor, _CHUNK)):
                return None
            self._begun.append(self._unread)
            self._unread = part
        last, _, self._unread = self._unread.partition(b"\n")
        line = b"".join([*self._begun, last])
        self._begun.clear()
        return line


class ThreadedOrderPipe:
    """Lines from a pipe on Windows, where a pipe cannot be checked for data: a thread reads it.

    The thread also ends the process when the server ends, since Windows has no other means for that.

    Raises: RuntimeError where no thread can be had.
    """

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # Not by `threading`: programs may count the threads that they have.
        _thread.start_new_thread(self._read, ())

    def pending(self) -> bool:
        """Return whether there is data to read."""
        return not self._lines.empty()

    def line(self) -> bytes | None:
        """Wait for the next line and return it; None once the server has closed its end."""
        return self._lines.get()

    def _read(self) -> None:
        lines = Lines(descriptors.CONTROL)
        with contextlib.suppress(OSError):
            while (line := lines.line()) is not None:
                if line == WHERE:
                    _dump(descriptors.DIAGNOSTICS, all_threads=True)
                else:
                    self._lines.put(line)
        _exit(0)


def order_pipe() -> OrderPipe:
    """Return the pipe reader for this system."""
    return Lines(descriptors.CONTROL) if descriptors.WATCHABLE else ThreadedOrderPipe()
