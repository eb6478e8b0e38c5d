"""Parses the headers of WebSocket frames as their bytes arrive, without keeping the bytes."""

from __future__ import annotations

import codecs
import struct

_LONGER = {126: 2, 127: 8}
"""The number of further bytes for the length of a frame, by the length in its second byte."""
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PONG = 0x0, 0x1, 0x2, 0x8, 0xA
_MASK_BYTES = 4
_MOST_IN_CONTROL = 125

_Decoder = codecs.getincrementaldecoder("utf-8")


class FrameReader:
    """Counts frames, measures the message that is arriving, and checks that text is UTF-8.

    It stops at the first header that a client may not send: the WebSocket protocol closes the connection there.
    """

    def __init__(self) -> None:
        self.message_bytes = 0
        """The bytes of an incomplete message that have arrived."""
        self._invalid = False
        self._header = bytearray()
        """The part of a header that has arrived."""
        self._fin = False
        self._in_message = False
        """True while a message lacks its last frame."""
        self._is_control = False
        self._left = 0
        """The bytes that the payload of the arriving frame lacks."""
        self._mask = bytes(_MASK_BYTES)
        self._decoder: codecs.IncrementalDecoder | None = None

    def feed(self, data: bytes) -> int:
        """Read the bytes that have arrived; return how many frames began in them.

        Raises: UnicodeDecodeError for a text message that is not UTF-8.
        """
        began = at = 0
        while at < len(data) and not self._invalid:
            if self._left:
                payload = data[at : at + self._left]
                at += len(payload)
                self._left -= len(payload)
                self._receive(payload)
            else:
                part = data[at : at + self._header_lacks()]
                at += len(part)
                self._header += part
                if self._header_lacks():
                    continue
                self._begin()
                began += 1
            if not self._left and not self._invalid:
                self._end()
        return began

    def _header_lacks(self) -> int:
        """Return the number of bytes that must arrive before more of the header is known."""
        if len(self._header) < 2:
            return 2 - len(self._header)
        return 2 + _LONGER.get(self._header[1] & 0x7F, 0) + _MASK_BYTES - len(self._header)

    def _begin(self) -> None:
        """Begin a frame whose header has arrived."""
        first, second = self._header[:2]
        opcode, length = first & 0x0F, second & 0x7F
        self._mask = bytes(self._header[-_MASK_BYTES:])
        self._fin = bool(first & 0x80)
        self._is_control = opcode >= _CLOSE
        if self._is_control:
            known = opcode <= _PONG and self._fin and length <= _MOST_IN_CONTROL
        else:
            known = opcode <= _BINARY and (opcode == _CONTINUATION) == self._in_message
        if not known or first & 0x70 or not second & 0x80:
            self._invalid = True
            return
        if length in _LONGER:
            (length,) = struct.unpack("!H" if length == 126 else "!Q", self._header[2:-_MASK_BYTES])
        self._header.clear()
        self._left = length
        if not self._is_control:
            self._in_message = True
            if opcode != _CONTINUATION:
                self._decoder = _Decoder() if opcode == _TEXT else None

    def _receive(self, payload: bytes) -> None:
        if self._is_control:
            return
        self.message_bytes += len(payload)
        if self._decoder is not None:
            self._decoder.decode(self._unmasked(payload))

    def _end(self) -> None:
        """End a frame whose payload has arrived."""
        if self._is_control or not self._fin:
            return
        self.message_bytes = 0
        self._in_message = False
        if self._decoder is not None:
            self._decoder.decode(b"", final=True)

    def _unmasked(self, payload: bytes) -> bytes:
        """Return the payload without its mask; the mask is rotated for the next part."""
        count = len(payload)
        repeated = self._mask * (count // _MASK_BYTES + 1)
        turn = count % _MASK_BYTES
        self._mask = self._mask[turn:] + self._mask[:turn]
        return (int.from_bytes(payload) ^ int.from_bytes(repeated[:count])).to_bytes(count)
