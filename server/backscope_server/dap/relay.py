"""A program of `backscope debug --listen`, for an editor that starts `backscope dap` and connects to no port itself."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any

from backscope_server.dap.wire import BadMessage, Wire
from backscope_server.terminal.debug_session import Impossible

_SECONDS = 10.0
_OWN = -1
"""The seq of requests that no editor has sent."""


class Relay:
    """The connection to the program that listens on a port; `editor` gets what it answers, `over` is called at its end.

    Raises: Impossible where none listens there, or another editor is attached to it.
    """

    def __init__(self, port: int, hello: dict[str, Any], editor: Wire, over: Callable[[], None]) -> None:
        try:
            self._socket = socket.create_connection(("127.0.0.1", port), _SECONDS)
        except (OSError, OverflowError):
            raise Impossible(
                f"Nothing listens at port {port} of this machine. Start the program with `backscope debug --listen "
                f"{port} FILE`; one that records a block of itself with record() cannot be attached to. For a run of a "
                "page, `url` is its address."
            ) from None
        self._wire = Wire(self._socket.makefile("rb"), self._socket.makefile("wb"))
        self._editor = editor
        self._over = over
        try:
            self._ask("initialize", hello)
            self._ask("attach", {"port": port})
        except (OSError, BadMessage):
            self._socket.close()
            raise Impossible(
                f"What listens at port {port} does not answer: another editor is attached to it, or it is no program "
                "of `backscope debug --listen`."
            ) from None
        self._socket.settimeout(None)

    def begin(self) -> None:
        """Give the editor what comes, from now on."""
        threading.Thread(target=self._read, name="backscope-relay", daemon=True).start()

    def send(self, request: dict[str, Any]) -> None:
        """Pass a request of the editor on."""
        self._wire.pass_on(request)

    def _ask(self, command: str, arguments: dict[str, Any]) -> None:
        self._wire.pass_on({"seq": _OWN, "type": "request", "command": command, "arguments": arguments})
        while (message := self._wire.read()) is not None:
            if message.get("type") == "response" and message.get("request_seq") == _OWN:
                return
        raise BadMessage("The connection is closed.")

    def _read(self) -> None:
        # The answer to `attach` came before the event `initialized`, which is the editor's.
        with contextlib.suppress(OSError, BadMessage):
            while (message := self._wire.read()) is not None:
                self._editor.send(message.pop("type"), **{k: v for k, v in message.items() if k != "seq"})
        self._socket.close()
        self._over()
