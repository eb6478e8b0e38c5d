"""A program that runs at once, and the editors that attach to it, one after the other."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from backscope_server.dap import requests as r
from backscope_server.dap.adapter import Adapter, Answer, Page, Request, Then
from backscope_server.dap.debuggee import Debuggee
from backscope_server.dap.wire import BadMessage, Wire
from backscope_server.terminal.debugged_process import DebuggedProcess

_LEFT = {"seq": 0, "type": "request", "command": "disconnect", "arguments": {}}
"""What an editor that goes without a word would have sent."""


class ListeningWire(Wire):
    """The wire to the editor that is connected to `listening`; what the program prints is shown here too."""

    def __init__(self, listening: socket.socket) -> None:
        super().__init__(io.BytesIO(), io.BytesIO())
        self._listening = listening
        self._connection: socket.socket | None = None
        self.attached = False
        """Events are sent from when an editor has attached until it leaves."""

    def read(self) -> dict[str, Any] | None:
        """Return the next message of an editor; wait for one where none is connected."""
        while True:
            if self._connection is None:
                self._connection, _ = self._listening.accept()
                DebuggedProcess.keep_from_programs(self._connection.fileno())
                self._incoming = self._connection.makefile("rb")
                self._outgoing = self._connection.makefile("wb")
            try:
                message = super().read()
            except (BadMessage, OSError):
                message = None
            if message is not None:
                return message
            attached, self.attached = self.attached, False
            self._drop()
            if attached:
                return dict(_LEFT)

    def event(self, name: str, **body: Any) -> None:
        """Send an event to the editor that is attached."""
        if name == "output":
            stream = sys.stdout if body.get("category") == "stdout" else sys.stderr
            stream.write(body["output"])
            stream.flush()
        elif name == "backscopePage":
            print(f"backscope: {body['address']}", file=sys.stderr, flush=True)
        if self.attached:
            super().event(name, **body)

    def hang_up(self) -> None:
        """Close the connection to the editor; the thread that reads from it takes it that it has gone."""
        self.attached = False
        if self._connection is not None:
            with contextlib.suppress(OSError):  # The editor has gone.
                self._connection.shutdown(socket.SHUT_RDWR)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            DebuggedProcess.release(connection.fileno())
            self._incoming.close()
            self._outgoing.close()
            connection.close()


class ListeningAdapter(Adapter):
    """Runs a program at once, until its end; an editor that leaves takes its breakpoints away and lets it go on."""

    def __init__(self, wire: ListeningWire, page: Callable[[bool, Callable[[str], None]], Page]) -> None:
        super().__init__(wire, page)
        self._listening = wire
        self._requests["attach"] = (r.Attach, self._attached)
        self._requests["disconnect"] = (r.Disconnect, self._detached)

    def begin(self, program: r.Launch, source: str) -> None:
        """Start a program; it runs once run() is called."""
        path = os.path.abspath(program.program)
        self._debug(path, source, program)
        self._let_go()

    @property
    def exit_status(self) -> int:
        """Return the exit status of the program."""
        return self._program.exit_status

    def _let_go(self) -> None:
        """Have the program go on; from now on it counts as running, so that no request waits for its end."""
        program = self._program
        program.past = None
        going = (lambda: None) if program.paused is None else self._motion.go_on(program)
        self._queue.put(lambda: self._go_on(going))

    def _go_on(self, going: Then) -> None:
        going()
        program = self._program
        if self._listening.attached:
            return
        if program.over:
            self._queue.put(None)
        elif program.paused is not None and program.paused.reason == "pause":  # By Ctrl-C.
            program.close()
            self._queue.put(None)
        else:
            self._let_go()

    def _attached(self, _: r.Attach) -> Answer:
        self._listening.attached = True
        return None, lambda: self._wire.event("initialized")

    def _configured(self, _: r.Arguments) -> Answer:
        program = self._program
        if program.over:
            return None, lambda: self._wire.event("terminated")
        if program.paused is None or program.going:
            return None, None
        return None, lambda: self._motion.say_stopped(program, "pause")

    def _detached(self, asked: r.Disconnect) -> Answer:
        program = self._program
        if asked.terminate_debuggee and program.process is not None:
            program.process.kill()
        else:
            self._breakpoints.clear()
        return None, self._hang_up

    def _hang_up(self) -> None:
        self._listening.hang_up()
        if not self._program.going:
            self._let_go()

    def _carry_out(self, request: Request) -> None:
        if request.get("seq") != _LEFT["seq"]:
            super()._carry_out(request)
            return
        # Another editor may have come meanwhile: nothing is sent.
        self._breakpoints.clear()
        if not self._program.going:
            self._let_go()

    def _while_running(self, program: Debuggee, request: Request) -> bool:
        if request.get("command") in ("initialize", "attach", "configurationDone", "disconnect"):
            self._carry_out(request)
            return True
        return super()._while_running(program, request)

    def _leaves(self, request: Request) -> bool:
        return False


def listen(
    port: int,
    program: r.Launch,
    source: str,
    page: Callable[[bool, Callable[[str], None]], Page],
) -> int:
    """Run a program that editors may attach to on a port of this machine; return its exit status.

    Raises: OSError where the port cannot be used.
    """
    with socket.create_server(("127.0.0.1", port)) as listening:
        DebuggedProcess.keep_from_programs(listening.fileno())
        address = listening.getsockname()
        print(f"backscope: an editor may attach at {address[0]}:{address[1]}", file=sys.stderr, flush=True)
        adapter = ListeningAdapter(ListeningWire(listening), page)
        adapter.begin(program, source)
        adapter.run()
        return adapter.exit_status
