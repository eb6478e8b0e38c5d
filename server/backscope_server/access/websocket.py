"""The limits of a WebSocket client: bytes and frames per second, memory for an arriving message, valid UTF-8."""

from __future__ import annotations

import json
from typing import NamedTuple

from websockets.frames import Close, Frame, Opcode

from backscope_server.access.frames import FrameReader
from backscope_server.access.rates import Rate
from backscope_server.access.room import Room
from backscope_server.errors import CLOSE_CODES, error_body
from backscope_server.settings import Settings

_TOO_MUCH = "More messages were sent than are accepted in a second. Reload the page, or send less at once."
_NOT_UTF8 = "A message is not UTF-8."
_SMALL = 1 << 16
"""The part of an arriving message that needs no room, bytes."""


def ping() -> bytes:
    """Return a ping frame, which a client that is connected answers."""
    return Frame(Opcode.PING, b"").serialize(mask=False)


def close_frame(code: int, reason: str) -> bytes:
    """Return a close frame with a code and a reason."""
    return Frame(Opcode.CLOSE, Close(code, reason).serialize()).serialize(mask=False)


class Refusal(NamedTuple):
    """The reason to close a WebSocket; a long one is sent as a message before, since a close frame has little room."""

    code: int
    reason: str
    message: str | None = None

    def frames(self) -> bytes:
        """Return the bytes to send to the client."""
        closing = close_frame(self.code, self.reason)
        if self.message is None:
            return closing
        text = json.dumps(error_body(self.message)).encode()
        return Frame(Opcode.TEXT, text).serialize(mask=False) + closing


TOO_MUCH = Refusal(CLOSE_CODES[429], _TOO_MUCH, _TOO_MUCH)
NOT_UTF8 = Refusal(1007, _NOT_UTF8)


class IncomingLimits:
    """Checks what a client sends on one WebSocket against the limits; pings and parts of messages count too."""

    def __init__(self, settings: Settings, room: Room) -> None:
        self._frames = Rate(settings.socket_messages, 1)
        # A message that is allowed must fit, however few bytes a second there may be.
        self._bytes = Rate(max(settings.socket_bytes, settings.program_body_bytes + 65536), 1)
        self._reader = FrameReader()
        self._room = room
        self._held = 0
        """The bytes of the room that the arriving message holds."""
        self._address = ""

    def check(self, data: bytes) -> Refusal | None:
        """Return why these bytes are not accepted; None if they are."""
        if self._bytes.take(cost=len(data)):
            return TOO_MUCH
        try:
            frames = self._reader.feed(data)
        except UnicodeDecodeError:
            return NOT_UTF8
        return TOO_MUCH if self._frames.take(cost=frames) else None

    def hold(self, address: str) -> Refusal | None:
        """Take room for the message that is arriving; return why it is not accepted if there is none."""
        arrived = self._reader.message_bytes
        nbytes = arrived if arrived > _SMALL else 0
        if nbytes > self._held:
            if not self._room.take(address, nbytes - self._held):
                return TOO_MUCH
            self._address = address
        elif nbytes < self._held:
            self._room.give(self._address, self._held - nbytes)
        self._held = nbytes
        return None

    def release(self) -> None:
        """Return the room that is held."""
        if self._held:
            self._room.give(self._address, self._held)
            self._held = 0
