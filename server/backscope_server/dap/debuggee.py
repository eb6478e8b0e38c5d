"""The program that an editor debugs: its session, the paths of its files, and commands while it runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backscope.protocol import commands as c, events as ev
from backscope.protocol.file_lines import line_in_file, name_of
from backscope_server.dap.client_output import ClientOutput, ClientScreen, Send
from backscope_server.terminal.debug_session import DebugSession
from backscope_server.terminal.history import NODE_RUNS
from backscope_server.terminal.local import Output
from backscope_server.terminal.shared_process import Receiver

Replied = Callable[[c.Reply], None]
NODE_FRAME = 1 << 20
"""The id of the frame of node 0 in a stack; that of another node is as much higher. Frames of Python count from 1."""


class Debuggee(DebugSession):
    """A debugging session whose output and remarks are sent to an editor.

    `following` is True while the program runs: another thread may then have commands sent by while_running().
    """

    def __init__(
        self,
        file: str,
        source: str,
        arguments: list[str],
        seed: int,
        *,
        torch: bool,
        send: Send,
        screen: ClientScreen,
        page: Receiver | None = None,
    ) -> None:
        self.folder = Path(file).parent
        self._send = send
        super().__init__(file, source, arguments, seed, has_input=False, torch=torch, page=page, screen=screen)
        self.following = False
        self.going = False
        """True from a request to go on until the program has stopped or ended."""
        self._turn = threading.Lock()
        self._later: list[tuple[c.Command, Replied]] = []
        self._waiting: dict[int, Replied] = {}

    # Files

    def source_of(self, line: int | None) -> dict[str, str]:
        """Return the file that a line is in, as the protocol has it."""
        name = name_of(line, "")
        path = self.folder / name if name else Path(self.file)
        return {"name": path.name, "path": str(path)}

    def place_of(self, line: int | None) -> dict[str, Any]:
        """Return `source` and `line` of a line, nothing for None."""
        return {} if line is None else {"source": self.source_of(line), "line": line_in_file(line)}

    def file_at(self, path: str) -> str | None:
        """Return the name of a file of the program as breakpoints have it, None for the main one."""
        given = os.path.realpath(path)
        if given == os.path.realpath(self.file):
            return None
        return Path(os.path.relpath(given, os.path.realpath(self.folder))).as_posix()

    # Running

    def new_output(self) -> Output:
        """Return what sends the output of a run that begins."""
        return ClientOutput(self.file, self._send, self.place_of)

    def while_running(self, command: c.Command, replied: Replied) -> None:
        """Send a command to the running program; `replied` gets its answer, in the thread that follows the program."""
        with self._turn:
            if self.following and self.process is not None:
                self._waiting[self.process.send(command)] = replied
            else:
                self._later.append((command, replied))

    def replied(self, reply: c.Reply) -> None:
        """Give the answer to the one that has asked."""
        with self._turn:
            replied = self._waiting.pop(reply.id, None)
        if replied is not None:
            replied(reply)

    def _follow(self) -> None:
        with self._turn:
            self.following = True
            assert self.process is not None
            for command, replied in self._later:
                self._waiting[self.process.send(command)] = replied
            self._later.clear()
        try:
            super()._follow()
        finally:
            with self._turn:
                self.following = False
        while self._waiting and not self.over and (came := self.process.next()) is not None:
            if isinstance(came, c.Reply):
                self.replied(came)
            else:
                self._take(came)
        for replied in self._waiting.values():
            replied(c.Refused(id=0, reason="The program has finished."))
        self._waiting.clear()

    def _take(self, event: ev.Event) -> None:
        super()._take(event)
        if isinstance(event, ev.SourceAdded):
            path = self.folder / event.filename
            self._send("loadedSource", reason="new", source={"name": path.name, "path": str(path)})

    def say_what_can_be_asked(self) -> None:
        """Print how an error that has ended the program is explained."""
        if any(error.stage == "program" and error.diagnosis is not None for error in self.history.tape.errors):
            self.screen.say("`why` explains the error; step back to see what came before it.")

    # Looking

    def node(self) -> int | None:
        """Return the node that runs at the moment that the user inspects."""
        if self.past is None:
            return None if self.paused is None else self.paused.node
        main = self.history.moments[self.past].main
        return main.node if isinstance(main, NODE_RUNS) else None

    def number_of_frame(self, identity: int | None) -> int:
        """Return the number of the frame with this id, 0 for the innermost and for that of a node."""
        return 0 if identity is None or identity >= NODE_FRAME else max(identity - 1, 0)
