"""Messages of the Debug Adapter Protocol over two byte streams: a header with their length, then JSON."""

from __future__ import annotations

import json
import threading
from typing import Any, BinaryIO

_HEADER = b"content-length:"
_LONGEST_HEADER = 4096
MOST_BYTES = 16 << 20
"""The longest message that is read, bytes."""


class BadMessage(Exception):
    """The error for bytes that are no message; the text says what is wrong with them."""


class Wire:
    """Reads messages of an editor, and sends it responses and events; several threads may send."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()
        self._seq = 0

    def read(self) -> dict[str, Any] | None:
        """Return the next message; None where the editor has closed its end.

        Raises: BadMessage.
        """
        length = None
        while line := self._incoming.readline(_LONGEST_HEADER):
            if not (line := line.strip()):
                if length is None:
                    raise BadMessage("A message has no Content-Length.")
                break
            if line.lower().startswith(_HEADER):
                number = line[len(_HEADER) :].strip()
                if not number.isdigit() or int(number) > MOST_BYTES:
                    raise BadMessage(f"A Content-Length is no number up to {MOST_BYTES:,}.")
                length = int(number)
        else:
            return None
        body = self._incoming.read(length)
        if len(body) < length:
            return None
        try:
            message = json.loads(body)
        except ValueError as error:
            raise BadMessage(f"A message is not JSON: {error}.") from None
        if not isinstance(message, dict) or not isinstance(message.get("seq"), int):
            raise BadMessage("A message is no object with a seq.")
        return message

    def send(self, kind: str, **fields: Any) -> None:
        """Send a response or an event; does nothing where the editor has gone."""
        with self._lock:
            self._seq += 1
            self._write({"seq": self._seq, "type": kind, **fields})

    def pass_on(self, message: dict[str, Any]) -> None:
        """Send a message as it came from somebody else; does nothing where the other end has gone."""
        with self._lock:
            self._write(message)

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        try:
            self._outgoing.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._outgoing.flush()
        except (OSError, ValueError):  # ValueError of a stream that is closed.
            pass

    def event(self, name: str, **body: Any) -> None:
        """Send an event."""
        self.send("event", event=name, body=body)

    def respond(self, request: dict[str, Any], body: dict[str, Any] | None) -> None:
        """Send the response to a request that was carried out."""
        self.send("response", request_seq=request["seq"], command=request.get("command"), success=True, body=body or {})

    def refuse(self, request: dict[str, Any], reason: str) -> None:
        """Send the response to a request that was not carried out, with the reason."""
        self.send(
            "response",
            request_seq=request["seq"],
            command=request.get("command"),
            success=False,
            message=reason,
            body={"error": {"id": 1, "format": reason.replace("{", "(").replace("}", ")"), "showUser": False}},
        )
