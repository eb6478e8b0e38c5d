"""The asyncio transport that uvicorn's protocol gets: it lets the connection's guard close it and swap the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backscope_server.access.connection import GuardedConnection


class GuardedTransport(asyncio.Transport):
    """Passes calls on to a connection's transport, except that its guard closes it and changes its protocol."""

    def __init__(self, transport: asyncio.Transport, guard: GuardedConnection) -> None:
        super().__init__()
        self._transport = transport
        self._guard = guard

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return a property of the connection."""
        return self._transport.get_extra_info(name, default)

    def is_closing(self) -> bool:
        """Return whether the connection is being closed, or is closed."""
        return self._guard.closing or self._transport.is_closing()

    def close(self) -> None:
        """Have the guard close the connection once the client has read everything."""
        self._guard.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Have the guard pass on to another protocol: a request becomes a WebSocket."""
        assert isinstance(protocol, asyncio.Protocol)
        self._guard.upgrade(protocol)

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol that the guard passes data on to."""
        return self._guard if self._guard.inner is None else self._guard.inner

    def is_reading(self) -> bool:
        """Return whether arriving bytes are read."""
        return self._transport.is_reading()

    def pause_reading(self) -> None:
        """Stop reading; data that arrives stays in the system's buffer."""
        if not self._guard.closing:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        self._transport.resume_reading()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing: the guard has set the limits."""

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that have not been sent."""
        return self._transport.get_write_buffer_size()

    def get_write_buffer_limits(self) -> tuple[int, int]:
        """Return the sizes of unsent data at which writing is resumed and paused."""
        return self._transport.get_write_buffer_limits()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send some bytes, unless a WebSocket is being closed."""
        if not self._guard.closing:
            self._guard.note_written(data)
            self._transport.write(data)

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Send some bytes."""
        self.write(b"".join(list_of_data))

    def can_write_eof(self) -> bool:
        """Return whether the sending half of the connection can be closed alone."""
        return self._transport.can_write_eof()

    def write_eof(self) -> None:
        """Close the sending half of the connection."""
        self._transport.write_eof()
