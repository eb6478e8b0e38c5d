"""What the program prints and what the debugger says, as output events of an editor."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from backscope.protocol import events as ev
from backscope_server.terminal.local import Output
from backscope_server.terminal.screen import Screen

Send = Callable[..., None]
"""Sends an event, by its name and the fields of its body."""


class _Stream:
    """A stream of the program; what is written to it is sent as output of a category, with the place it comes from."""

    def __init__(self, send: Send, category: str) -> None:
        self._send = send
        self._category = category
        self.place: dict[str, Any] = {}

    def write(self, text: str) -> None:
        if text:
            self._send("output", category=self._category, output=text, **self.place)

    def flush(self) -> None:
        """Do nothing: each text is sent at once."""


class ClientOutput(Output):
    """Sends what Python would print; `place_of` gives the source and the line of a line of the program."""

    def __init__(self, file: str, send: Send, place_of: Callable[[int | None], dict[str, Any]]) -> None:
        super().__init__(file, keep=False)
        self._place_of = place_of
        self._own = {name: _Stream(send, name) for name in ("stdout", "stderr")}
        self._streams = dict(self._own)  # type: ignore[arg-type]

    def show(self, event: ev.Event) -> None:
        """Send one event, if Python would show it."""
        place = self._place_of(event.line)
        for stream in self._own.values():
            stream.place = place
        super().show(event)


class ClientScreen(Screen):
    """Sends what the debugger says as output of the console, or gives it to `take`; shows progress where that is known.

    `shows_progress` is whether the editor shows the progress of what takes long.
    """

    def __init__(self, send: Send, take: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self.has_colour = False
        self.shows_progress = False
        self._send = send
        self._take = take or (lambda text: send("output", category="console", output=text))
        self._progress = 0
        self._shown = False

    @property
    def width(self) -> int:
        """The number of columns of a line."""
        return 100

    def line(self, text: str = "") -> None:
        """Send a line."""
        self._take(text + "\n")

    def fresh(self) -> None:
        """Do nothing: the console is not the program's terminal."""
        self.broken = False

    def progress(self, text: str) -> None:
        """Show progress; an empty text ends it."""
        if not self.shows_progress:
            return
        if text and not self._shown:
            self._progress += 1
            self._send("progressStart", progressId=str(self._progress), title="Running the program again", message=text)
        elif text:
            self._send("progressUpdate", progressId=str(self._progress), message=text)
        elif self._shown:
            self._send("progressEnd", progressId=str(self._progress))
        self._shown = bool(text)


class NativeOutput:
    """The file descriptor 1 of this process and of the program: what is written there is sent as output.

    So what a library prints by itself neither gets lost nor into the messages of the protocol.
    """

    def __init__(self, send: Send) -> None:
        incoming, outgoing = os.pipe()
        os.dup2(outgoing, 1)
        os.close(outgoing)
        threading.Thread(target=self._forward, args=(incoming, send), daemon=True).start()

    @staticmethod
    def _forward(incoming: int, send: Send) -> None:
        while data := os.read(incoming, 1 << 16):
            send("output", category="stdout", output=data.decode(errors="replace"))
