"""Protects the reading of WebSocket frames: they are counted and text is checked wherever the bytes are split."""

from __future__ import annotations

import pytest
from websockets.frames import Frame, Opcode

from backscope_server.access.frames import FrameReader
from backscope_server.access.room import Room
from backscope_server.access.websocket import NOT_UTF8, TOO_MUCH, IncomingLimits
from backscope_server.settings import Settings


def frame(opcode: Opcode, data: bytes = b"", *, fin: bool = True) -> bytes:
    return Frame(opcode, data, fin=fin).serialize(mask=True)


TEXT = "naïve → 数 🙂".encode()
MESSAGES = b"".join(
    [
        frame(Opcode.TEXT, TEXT),
        frame(Opcode.PING, b"\xff" * 125),
        frame(Opcode.TEXT, TEXT[:3], fin=False),  # Ends within a character.
        frame(Opcode.PONG),
        frame(Opcode.CONT, TEXT[3:] + TEXT * 100, fin=False),
        frame(Opcode.CONT),
        frame(Opcode.BINARY, b"\xff" * 70_000),
        frame(Opcode.TEXT),
    ]
)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000, len(MESSAGES)])
def test_frames_are_counted_wherever_they_are_split(size):
    reader = FrameReader()
    assert sum(reader.feed(MESSAGES[at : at + size]) for at in range(0, len(MESSAGES), size)) == 8
    assert reader.message_bytes == 0


def test_the_arrived_part_of_a_message_is_measured():
    reader = FrameReader()
    reader.feed(frame(Opcode.BINARY, bytes(1000), fin=False))
    reader.feed(frame(Opcode.PING, bytes(100)))
    assert reader.message_bytes == 1000
    last = frame(Opcode.CONT, bytes(500))
    reader.feed(last[:-1])
    assert reader.message_bytes == 1499
    reader.feed(last[-1:])
    assert reader.message_bytes == 0


@pytest.mark.parametrize(
    "frames",
    [
        frame(Opcode.TEXT, b"\xff"),
        frame(Opcode.TEXT, TEXT[:3]),
        frame(Opcode.TEXT, TEXT[:3], fin=False) + frame(Opcode.CONT, b"x"),
        frame(Opcode.TEXT, b"x" * 300 + b"\xc0\x80"),
        frame(Opcode.TEXT, b"\xed\xa0\x80"),
    ],
)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_text_that_is_not_utf8_is_found(frames, size):
    reader = FrameReader()
    with pytest.raises(UnicodeDecodeError):
        sum(reader.feed(frames[at : at + size]) for at in range(0, len(frames), size))


@pytest.mark.parametrize(
    "header",
    [
        b"\x83\x80\0\0\0\0",  # A reserved kind.
        b"\xf1\x80\0\0\0\0",  # Reserved bits.
        b"\x81\x01x\0\0\0",  # Not masked.
        b"\x80\x80\0\0\0\0",  # Goes on with nothing.
        b"\x09\x80\0\0\0\0",  # A ping in parts.
        b"\x89\xfe\x10\0\0\0\0\0",  # A ping that is too long.
        frame(Opcode.TEXT, fin=False) + frame(Opcode.TEXT),  # A message within a message.
    ],
)
def test_nothing_is_read_after_an_invalid_frame(header):
    reader = FrameReader()
    began = reader.feed(header + bytes(10_000))
    assert began <= 2
    assert reader.feed(bytes(10_000)) == 0


def test_traffic_beyond_the_limits_of_a_websocket_is_refused():
    settings = Settings(socket_messages=10, socket_bytes=1, source_bytes=1000)
    assert IncomingLimits(settings, Room(1)).check(frame(Opcode.PING) * 10) is None
    assert IncomingLimits(settings, Room(1)).check(frame(Opcode.PING) * 11) is TOO_MUCH
    assert IncomingLimits(settings, Room(1)).check(bytes(settings.program_body_bytes + 65537)) is TOO_MUCH
    assert IncomingLimits(settings, Room(1)).check(frame(Opcode.TEXT, b"\xff")) is NOT_UTF8


def test_a_message_that_is_arriving_holds_room_until_it_is_there_or_its_connection_is_gone():
    room = Room(1 << 20)
    limits = IncomingLimits(Settings(source_bytes=1 << 20), room)
    part = frame(Opcode.BINARY, bytes(100_000), fin=False)
    assert limits.check(part) is None and limits.hold("a") is None
    assert room._total == 100_000
    other = IncomingLimits(Settings(source_bytes=1 << 20), room)
    assert other.check(frame(Opcode.BINARY, bytes(200_000), fin=False)) is None
    assert other.hold("a") is TOO_MUCH  # An address may have a quarter.
    assert other.hold("b") is None
    assert limits.check(frame(Opcode.CONT, b"x")) is None and limits.hold("a") is None
    assert room._total == 200_000
    other.release()
    assert room._total == 0
