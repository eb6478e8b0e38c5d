"""The server's ends of the pipes to a program's process; they never block."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
from collections.abc import Callable
from typing import Protocol

from backscope_server.sandbox.layers import descriptors

WAITING_BYTES = 1 << 19
"""The default for the bytes that may wait for room in a pipe."""


class Inlet(Protocol):
    """A pipe that the server reads; `theirs` is the child's end."""

    theirs: int

    def listen(self, ready: Callable[[], None]) -> None:
        """Call `ready` once, when there is data to read."""

    def take(self, most: int) -> bytes | None:
        """Read what has arrived, up to so many bytes; return b"" at the end, None if there is nothing yet."""

    def waits(self) -> bool:
        """Return whether there is data to read."""

    async def last_output(self, most: int) -> bytes:
        """Read what the child wrote before it ended."""

    def close_theirs(self) -> None:
        """Close the server's copy of the child's end, once the child has it."""

    def close(self) -> None:
        """Close all open ends."""


class Outlet(Protocol):
    """A pipe that the server writes to; `theirs` is the child's end."""

    theirs: int

    def send(self, data: bytes) -> bool:
        """Write now, or when there is room; data for a child that has ended is dropped.

        False, and nothing is written, where too many bytes would wait; while none wait, `data` may have any length.
        """

    def close_theirs(self) -> None:
        """Close the server's copy of the child's end, once the child has it."""

    def close(self) -> None:
        """Close all open ends."""


class Ends:
    """The base of all pipes: closes the server's copy of the child's end once the child has it."""

    def __init__(self, theirs: int) -> None:
        self.theirs = theirs
        self._loop = asyncio.get_running_loop()

    def close_theirs(self) -> None:
        """Close the server's copy of the child's end, once the child has it."""
        if self.theirs >= 0:
            os.close(self.theirs)
            self.theirs = -1


class _Watched(Ends):
    """A pipe whose server's end the event loop watches."""

    def __init__(self, ours: int, theirs: int) -> None:
        super().__init__(theirs)
        self.ours = ours
        os.set_blocking(ours, False)

    def close(self) -> None:
        """Close all open ends."""
        self.close_theirs()
        if self.ours >= 0:
            self._loop.remove_reader(self.ours)
            self._loop.remove_writer(self.ours)
            os.close(self.ours)
            self.ours = -1


def _sized(size: int) -> tuple[int, int]:
    """Return the two ends of a pipe, for reading and writing, and set its capacity."""
    read, write = os.pipe()
    # A pipe of another size works as well, with more switches between processes; some systems cannot set it.
    with contextlib.suppress(OSError, AttributeError):
        import fcntl

        fcntl.fcntl(read, fcntl.F_SETPIPE_SZ, size)
    return read, write


class WatchedInlet(_Watched):
    """A pipe that is read when the event loop reports data; `size` is its capacity, bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(*_sized(size))

    def listen(self, ready: Callable[[], None]) -> None:
        """Call `ready` once, when there is data to read."""
        if self.ours >= 0:
            self._loop.add_reader(self.ours, self._arrived, ready)

    def _arrived(self, ready: Callable[[], None]) -> None:
        self._loop.remove_reader(self.ours)
        ready()

    def take(self, most: int) -> bytes | None:
        """Read what has arrived, up to so many bytes; return b"" at the end, None if there is nothing yet."""
        try:
            return os.read(self.ours, most)
        except BlockingIOError:
            return None

    def waits(self) -> bool:
        """Return whether there is data to read."""
        if self.ours < 0:
            return False
        poll = select.poll()  # select(2) knows the first 1,024 descriptors only.
        poll.register(self.ours, select.POLLIN)
        return bool(poll.poll(0))

    async def last_output(self, most: int) -> bytes:
        """Read what the child wrote before it ended."""
        return self.take(most) or b""


class WatchedOutlet(_Watched):
    """A pipe that is written to when the event loop reports room.

    `size` is what it holds, `most` what may wait for room, bytes.
    """

    def __init__(self, size: int, most: int = WAITING_BYTES) -> None:
        read, write = _sized(size)
        super().__init__(write, read)
        self._most = most
        self._waiting = bytearray()

    def send(self, data: bytes) -> bool:
        """Write now, or when there is room; data for a child that has ended is dropped.

        False, and nothing is written, where too many bytes would wait; while none wait, `data` may have any length.
        """
        if self._waiting and len(self._waiting) + len(data) > self._most:
            return False
        self._waiting += data
        self._write()
        return True

    def _write(self) -> None:
        if self.ours < 0:
            return
        try:
            sent = os.write(self.ours, self._waiting)
        except BlockingIOError:
            sent = 0
        except OSError:  # The child is gone and will be reported.
            sent = len(self._waiting)
        del self._waiting[:sent]
        if self._waiting:
            self._loop.add_writer(self.ours, self._write)
        else:
            self._loop.remove_writer(self.ours)


def inlet(size: int) -> Inlet:
    """Return a pipe that the server reads, as this system has them.

    Raises: OSError.
    """
    if descriptors.WATCHABLE:
        return WatchedInlet(size)
    from backscope_server.session.threaded_pipe import ThreadedInlet

    return ThreadedInlet(size)


def outlet(size: int, most: int = WAITING_BYTES) -> Outlet:
    """Return a pipe that the server writes to, as this system has them; `most` bytes may wait for room in it.

    Raises: OSError.
    """
    if descriptors.WATCHABLE:
        return WatchedOutlet(size, most)
    from backscope_server.session.threaded_pipe import ThreadedOutlet

    return ThreadedOutlet(most)
