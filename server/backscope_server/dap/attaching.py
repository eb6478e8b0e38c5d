"""The adapter of `backscope dap`: it launches programs, and attaches to those that run, here or on a page's server."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backscope.protocol import events as ev
from backscope.runtime.extras import why_missing
from backscope_server.dap import requests as r
from backscope_server.dap.adapter import Adapter, Answer, Page, Request, text_of
from backscope_server.dap.debuggee import Debuggee
from backscope_server.dap.looking_requests import LookingRequests
from backscope_server.dap.relay import Relay
from backscope_server.dap.wire import Wire
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.rerun import Rerun

if TYPE_CHECKING:
    from backscope_server.dap.served_run import ServedProcess, ServedRun


_OF_A_PAGE = "This is a run of a page: run it again there, and attach to that."


class AttachedRun(Debuggee):
    """A run of a page's server: it goes on when the editor leaves, and its past is read by running it again there."""

    def follow_from_now(self, served: ServedRun, process: ServedProcess, first: ev.Event | None) -> None:
        """Take what has happened so far, up to where the program is."""
        self.process = process
        self._rerun = Rerun(lambda: served.again(self.source, self._seed), self.history, self.screen)
        came = first
        while came is not None:
            if isinstance(came, ev.Resumed):
                self.paused = None
            self._take(came)
            came = process.next_event() if len(self.history.events) <= served.last else None
        if self._status is not None:
            process.end()

    def start(self) -> None:
        """Refuse: the run is the server's.

        Raises: Impossible.
        """
        raise Impossible(_OF_A_PAGE)


class AttachingAdapter(Adapter):
    """Answers the requests of an editor about a program that it launches, or about one that it is attached to."""

    def __init__(self, wire: Wire, page: Callable[[bool, Callable[[str], None]], Page]) -> None:
        super().__init__(wire, page)
        self._served: ServedProcess | None = None
        """The run that it is attached to."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        """Has the text of a run that the editor names no file for; removed with the adapter."""
        self._relay: Relay | None = None
        """The program at a port of this machine that it is attached to, which answers the editor itself."""
        self._hello: dict[str, Any] = {}
        self._requests["attach"] = (r.Attach, self._attached)

    def _attached(self, asked: r.Attach) -> Answer:
        if self._debuggee is not None:
            raise Impossible("A program has been launched already.")
        if asked.port and not asked.url:
            self._relay = Relay(asked.port, self._hello, self._wire, lambda: self._queue.put(None))
            return None, self._relay.begin
        if (missing := why_missing("attach", "server")) is not None:
            raise Impossible(missing)
        from backscope_server.dap.served_run import ServedRun

        served = ServedRun(asked)
        went_on = threading.Semaphore(0)
        process = served.follow(went_on.release)
        first = process.next_event()
        if not isinstance(first, ev.ProgramStarted) or first.source is None:
            process.end()
            raise Impossible("The run has no program that it could be debugged with.")
        try:
            path = self._file_with(first.source, asked.program)
        except Impossible:
            process.end()
            raise
        run = AttachedRun(path, first.source, [], first.seed, torch=False, send=self._wire.event, screen=self._screen)
        run.page_went_on = went_on
        run.follow_from_now(served, process, first)
        self._served, self._debuggee, self._looking = process, run, LookingRequests(run)
        if not run.over and run.paused is None:
            run.going = True
            self._queue.put(lambda: self._motion.follow_page(run))
        threading.Thread(target=self._watch_page, args=(run,), daemon=True).start()
        return None, lambda: self._wire.event("initialized")

    def _carry_out(self, request: Request) -> None:
        if self._relay is not None:
            self._relay.send(request)
            return
        if request.get("command") == "initialize":
            self._hello = request.get("arguments") or {}
        super()._carry_out(request)

    def _leaves(self, request: Request) -> bool:
        # The program's answer to the editor that leaves comes first.
        return self._relay is None and super()._leaves(request)

    def _configured(self, asked: r.Arguments) -> Answer:
        program = self._debuggee
        if self._served is None or program is None:
            return super()._configured(asked)
        if program.over:
            return None, lambda: self._wire.event("terminated")
        if program.paused is None or program.going:
            return None, None
        return None, lambda: self._motion.say_stopped(program, "pause")

    def _restart(self, asked: r.Arguments) -> Answer:
        if self._served is not None:
            self._program.start()
        return super()._restart(asked)

    def _terminate(self, asked: r.Arguments) -> Answer:
        if self._served is not None:
            self._served.stop()
        return super()._terminate(asked)

    def _while_running(self, program: Debuggee, request: Request) -> bool:
        name = request.get("command")
        if self._served is not None:
            if name == "configurationDone":
                self._carry_out(request)
                return True
            if name == "restart":
                self._wire.refuse(request, _OF_A_PAGE)
                return True
            if name == "terminate":
                self._served.stop()
                return False
        return super()._while_running(program, request)

    def _file_with(self, source: str, program: str | None) -> str:
        """Return the path of a file with the text of a run: the one that is named, else one of its own.

        Raises: Impossible where the file has another text, or none can be written.
        """
        if program is None:
            try:
                self._folder = tempfile.TemporaryDirectory(prefix="backscope-")
                path = Path(self._folder.name) / "program.py"
                path.write_text(source, encoding="utf-8")
            except OSError as error:
                raise Impossible(f"The program cannot be written to a file: {error.strerror or error}.") from None
            return str(path)
        own, theirs = text_of(program).splitlines(), source.splitlines()
        if own != theirs:
            pairs = enumerate(zip(own, theirs, strict=False), 1)
            line = next((number for number, (a, b) in pairs if a != b), min(len(own), len(theirs)) + 1)
            raise Impossible(f"{program} is not the program of this run: line {line} differs.")
        return os.path.abspath(program)
