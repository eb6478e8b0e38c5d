"""Pipes for Windows, whose event loop cannot watch pipes: a thread reads or writes each, and closes it at the end.

A pipe that a thread reads must not be closed by another one: on Windows that waits for the read to end.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import queue
import threading
from collections.abc import Callable

from backscope_server.sandbox.layers import descriptors
from backscope_server.session.pipe import WAITING_BYTES, Ends

_CHUNK = 1 << 16
_LAST_SECONDS = 1.0
"""The time to wait for the end of a pipe after its process has ended."""


class _Threaded(Ends):
    """Raises: OSError where no thread can be had."""

    def __init__(self, ours: int, theirs: int, work: Callable[[], None]) -> None:
        super().__init__(theirs)
        self._thread = threading.Thread(target=work, name="pipe", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self.close_theirs()
            os.close(ours)
            raise OSError(errno.EAGAIN, str(error)) from error


class ThreadedInlet(_Threaded):
    """A pipe from which a thread reads ahead, up to about `size` bytes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._taken = threading.Condition()
        self._buffer = bytearray()
        self._ended = False
        self._closed = False
        self._end = asyncio.Event()
        self._ready: Callable[[], None] | None = None
        self._ours, theirs = os.pipe()
        super().__init__(self._ours, theirs, self._read)

    def listen(self, ready: Callable[[], None]) -> None:
        """Call `ready` once, when there is data to read."""
        self._ready = ready
        self._loop.call_soon(self._arrived)

    def take(self, most: int) -> bytes | None:
        """Read what has arrived, up to so many bytes; return b"" at the end, None if there is nothing yet."""
        with self._taken:
            if not self._buffer:
                return b"" if self._ended else None
            taken = bytes(self._buffer[:most])
            del self._buffer[:most]
            self._taken.notify()
        return taken

    def waits(self) -> bool:
        """Return whether there is data to read."""
        return not self._closed and (self._ended or bool(self._buffer))

    async def last_output(self, most: int) -> bytes:
        """Read what the child wrote before it ended."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._end.wait(), _LAST_SECONDS)
        return self.take(most) or b""

    def close(self) -> None:
        """Close all open ends; the thread closes the server's end when the process on the other side has ended."""
        self.close_theirs()
        with self._taken:
            self._closed = True
            self._taken.notify()

    def _arrived(self) -> None:
        if self._ended:
            self._end.set()
        if self._ready is not None and self.waits():
            ready, self._ready = self._ready, None
            ready()

    def _read(self) -> None:
        with contextlib.closing(_Descriptor(self._ours)) as pipe:
            while not self._closed and not self._ended:
                data = pipe.read()
                with self._taken:
                    self._buffer += data
                    self._ended = not data
                    with contextlib.suppress(RuntimeError):  # The event loop is closed.
                        self._loop.call_soon_threadsafe(self._arrived)
                    self._taken.wait_for(lambda: self._closed or self._ended or len(self._buffer) < self._size)


class ThreadedOutlet(_Threaded):
    """A pipe that a thread writes to, however slowly it is read; `most` bytes may wait for that."""

    def __init__(self, most: int = WAITING_BYTES) -> None:
        self._most = most
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._nbytes = 0
        """The bytes that wait, with those that the thread is writing."""
        self._gone = False
        theirs, self._ours = os.pipe()
        super().__init__(self._ours, theirs, self._write)

    def send(self, data: bytes) -> bool:
        """Write now, or when there is room; data for a child that has ended is dropped.

        False, and nothing is written, where too many bytes would wait; while none wait, `data` may have any length.
        """
        with self._counting:
            if self._nbytes and self._nbytes + len(data) > self._most:
                return False
            if not self._gone:
                self._nbytes += len(data)
                self._waiting.put(data)
        return True

    def close(self) -> None:
        """Close all open ends; the thread closes the server's end."""
        self.close_theirs()
        self._waiting.put(None)

    def _write(self) -> None:
        with contextlib.closing(_Descriptor(self._ours)), contextlib.suppress(OSError):
            write = descriptors.writer(self._ours)
            while (data := self._waiting.get()) is not None:
                write(data)
                with self._counting:
                    self._nbytes -= len(data)
        with self._counting:
            self._gone = True
            self._nbytes = 0
            while not self._waiting.empty():
                self._waiting.get()


class _Descriptor:
    """One end of a pipe, used by its thread."""

    def __init__(self, number: int) -> None:
        self._number = number

    def read(self) -> bytes:
        """Read the next bytes; return b"" at the end, which on Windows may be an error."""
        try:
            return os.read(self._number, _CHUNK)
        except OSError:
            return b""

    def close(self) -> None:
        """Close the end."""
        os.close(self._number)
