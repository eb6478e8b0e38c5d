"""The adapter: takes the requests of an editor one by one, and those that cannot wait while the program runs."""

from __future__ import annotations

import importlib
import os
import queue
import threading
import tokenize
from collections.abc import Callable
from typing import Any, Protocol

from backscope.diagnosis.why import NotAsked
from backscope.protocol import commands as c
from backscope_server.dap import requests as r
from backscope_server.dap.breakpoint_requests import FILTERS, BreakpointRequests, Setting
from backscope_server.dap.client_output import ClientScreen
from backscope_server.dap.debuggee import Debuggee
from backscope_server.dap.looking_requests import LookingRequests
from backscope_server.dap.motion_requests import THREAD, MotionRequests
from backscope_server.dap.wire import BadMessage, Wire
from backscope_server.terminal import tensor_slices
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.shared_process import NoPage, Receiver

Then = Callable[[], None]
Answer = tuple[dict[str, Any] | None, Then | None]
"""The body of a response, and what is done once it is sent."""
Request = dict[str, Any]

CAPABILITIES: dict[str, Any] = {
    **dict.fromkeys(
        (
            "supportsConfigurationDoneRequest",
            "supportsFunctionBreakpoints",
            "supportsConditionalBreakpoints",
            "supportsHitConditionalBreakpoints",
            "supportsLogPoints",
            "supportsDataBreakpoints",
            "supportsInstructionBreakpoints",
            "supportsExceptionFilterOptions",
            "supportsExceptionInfoRequest",
            "supportsEvaluateForHovers",
            "supportsStepBack",
            "supportsSteppingGranularity",
            "supportsGotoTargetsRequest",
            "supportsRestartRequest",
            "supportsTerminateRequest",
            "supportsSetVariable",
            "supportsSetExpression",
            "supportsDisassembleRequest",
            "supportsLoadedSourcesRequest",
            "supportsReadMemoryRequest",
            "supportsCompletionsRequest",
            "supportsDelayedStackTraceLoading",
        ),
        True,
    ),
    "completionTriggerCharacters": ["."],
    "exceptionBreakpointFilters": FILTERS,
}
_ERRORS = (Impossible, NoPage, NotAsked, tensor_slices.NotThere, ValueError)


class Page(Receiver, Protocol):
    """The page that is attached to a program."""

    def close(self) -> None:
        """Stop its server."""


class Adapter:
    """Answers the requests that arrive on a wire until the editor disconnects.

    `page` makes the page of a program, from whether that runs on PyTorch and a function that gets its address.
    """

    def __init__(self, wire: Wire, page: Callable[[bool, Callable[[str], None]], Page]) -> None:
        self._wire = wire
        self._page_of = page
        self._page: Page | None = None
        self._queue: queue.Queue[Request | Then | None] = queue.Queue()
        self._debuggee: Debuggee | None = None
        self._launch = r.Launch(program="")
        self._screen = ClientScreen(wire.event)
        self._looking: LookingRequests | None = None
        self._base = 1
        self._columns_from = 1
        self._breakpoints = BreakpointRequests(
            lambda: None if self._launch.no_debug else self._debuggee,
            lambda state: wire.event("breakpoint", reason="changed", breakpoint=self._numbered(state)),
        )
        self._motion = MotionRequests(wire.event, self._breakpoints, self._forget)
        self._over = False
        self._set: dict[str, tuple[type[r.Arguments], Callable[[Any], Setting]]] = {
            "setBreakpoints": (r.SetBreakpoints, self._breakpoints.of_file),
            "setFunctionBreakpoints": (r.SetFunctionBreakpoints, self._breakpoints.of_functions),
            "setDataBreakpoints": (r.SetDataBreakpoints, self._breakpoints.of_data),
            "setInstructionBreakpoints": (r.SetInstructionBreakpoints, self._breakpoints.of_nodes),
            "setExceptionBreakpoints": (r.SetExceptionBreakpoints, self._breakpoints.of_filters),
        }
        self._requests: dict[str, tuple[type[r.Arguments], Callable[[Any], Answer]]] = {
            "initialize": (r.Initialize, self._initialize),
            "launch": (r.Launch, self._launched),
            "configurationDone": (r.Arguments, self._configured),
            "restart": (r.Arguments, self._restart),
            "disconnect": (r.Arguments, lambda _: (None, None)),
            "terminate": (r.Arguments, self._terminate),
            "threads": (r.Arguments, lambda _: (self._threads(), None)),
            "continue": (r.Arguments, lambda _: ({"allThreadsContinued": True}, self._motion.go_on(self._program))),
            "next": (r.Move, lambda a: (None, self._motion.step(self._program, "line", a))),
            "stepIn": (r.Move, lambda a: (None, self._motion.step(self._program, "into", a))),
            "stepOut": (r.Move, lambda a: (None, self._motion.step(self._program, "out", a))),
            "stepBack": (r.Move, lambda a: (None, self._motion.back(self._program, a))),
            "reverseContinue": (r.Arguments, lambda _: (None, self._motion.back_to_breakpoint(self._program))),
            "gotoTargets": (
                r.GotoTargets,
                lambda a: ({"targets": self._motion.targets(self._program, a)}, None),
            ),
            "goto": (r.Goto, lambda a: (None, self._motion.goto(self._program, a))),
            "stackTrace": (r.StackTrace, lambda a: (self._look.stack(a), None)),
            "scopes": (r.Scopes, lambda a: (self._look.scopes(a), None)),
            "variables": (r.Variables, lambda a: (self._look.variables(a), None)),
            "evaluate": (r.Evaluate, lambda a: (self._look.evaluate(a), None)),
            "setVariable": (r.SetVariable, lambda a: (self._look.set_variable(a), None)),
            "setExpression": (r.SetExpression, lambda a: (self._look.set_expression(a), None)),
            "dataBreakpointInfo": (r.DataBreakpointInfo, self._data_info),
            "exceptionInfo": (r.Arguments, lambda a: (self._look.exception(a), None)),
            "disassemble": (r.Disassemble, lambda a: (self._look.disassemble(a), None)),
            "readMemory": (r.ReadMemory, lambda a: (self._look.memory(a), None)),
            "completions": (r.Completions, lambda a: (self._look.completions(a, self._columns_from), None)),
            "loadedSources": (r.Arguments, lambda a: (self._look.sources(a), None)),
            "pause": (r.Arguments, lambda _: (None, None)),
        }

    def run(self) -> None:
        """Answer requests until the editor disconnects or goes."""
        threading.Thread(target=self._read, daemon=True).start()
        try:
            while (request := self._queue.get()) is not None:
                if callable(request):
                    request()
                    continue
                self._carry_out(request)
                if self._leaves(request):
                    break
        finally:
            self._over = True
            if self._debuggee is not None:
                self._debuggee.close()
            if self._page is not None:
                self._page.close()

    def _leaves(self, request: Request) -> bool:
        """Return whether the editor has left with this request, and the adapter ends."""
        return request.get("command") == "disconnect"

    # Requests

    def _read(self) -> None:
        """Take requests; answer at once what cannot wait until the program stops."""
        try:
            while (request := self._wire.read()) is not None:
                program = self._debuggee
                if program is None or not program.going or not self._while_running(program, request):
                    self._queue.put(request)
        except BadMessage as error:
            self._wire.event("output", category="stderr", output=f"backscope: {error}\n")
        if self._debuggee is not None and self._debuggee.going and self._debuggee.process is not None:
            self._debuggee.process.kill()
        self._queue.put(None)

    def _while_running(self, program: Debuggee, request: Request) -> bool:
        """Carry out a request while the program runs; return False if it is carried out once that has stopped."""
        name = str(request.get("command"))
        if name in self._set:
            self._carry_out(request)
        elif name == "pause":
            program.while_running(c.Pause(id=0), lambda _: None)
            self._wire.respond(request, None)
        elif name == "threads":
            self._wire.respond(request, self._threads())
        elif name in ("disconnect", "terminate", "restart"):
            if program.process is not None:
                program.process.kill()
            return False
        else:
            self._wire.refuse(request, "The program is running. Pause it first.")
        return True

    def _carry_out(self, request: Request) -> None:
        name = str(request.get("command"))
        try:
            if name in self._set:
                kind, replace = self._set[name]
                asked = r.read(kind, request.get("arguments"))
                self._count_from_1(asked)
                replace(asked)(lambda body: self._wire.respond(request, self._numbered(body)))
                return
            if name not in self._requests:
                raise Impossible(f"There is no request {name!r} here.")
            kind, carry_out = self._requests[name]
            asked = r.read(kind, request.get("arguments"))
            self._count_from_1(asked)
            body, then = carry_out(asked)
        except _ERRORS as error:
            self._wire.refuse(request, str(error))
            return
        self._wire.respond(request, self._numbered(body))
        if then is not None:
            try:
                then()
            except Impossible as error:
                self._screen.say(str(error))

    def _count_from_1(self, asked: Any) -> None:
        """Number the lines of a request from 1, as the program's are."""
        for one in (asked, *getattr(asked, "breakpoints", ())):
            if self._base == 0 and hasattr(one, "line"):
                one.line += 1

    def _numbered(self, body: Any) -> Any:
        """Return a body with lines as the editor counts them."""
        by = self._base - 1
        if not by:
            return body
        if isinstance(body, list):
            return [self._numbered(one) for one in body]
        if isinstance(body, dict):
            return {k: v + by if k == "line" and isinstance(v, int) else self._numbered(v) for k, v in body.items()}
        return body

    @property
    def _program(self) -> Debuggee:
        """The program.

        Raises: Impossible before it was launched.
        """
        if self._debuggee is None:
            raise Impossible("No program has been launched.")
        return self._debuggee

    @property
    def _look(self) -> LookingRequests:
        if self._looking is None:
            raise Impossible("No program has been launched.")
        return self._looking

    def _forget(self) -> None:
        if self._looking is not None:
            self._looking.references.forget()

    # Beginning and end

    def _initialize(self, asked: r.Initialize) -> Answer:
        self._base = 1 if asked.lines_start_at1 else 0
        self._columns_from = 1 if asked.columns_start_at1 else 0
        self._screen.shows_progress = asked.supports_progress_reporting
        return CAPABILITIES, None

    def _launched(self, asked: r.Launch) -> Answer:
        if self._debuggee is not None:
            raise Impossible("A program has been launched already.")
        for name, value in asked.env.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if asked.cwd is not None:
            try:
                os.chdir(asked.cwd)
            except OSError as error:
                raise Impossible(f"The folder {asked.cwd} cannot be used: {error.strerror or error}.") from None
        path = os.path.abspath(asked.program)
        self._debug(path, text_of(path), asked)
        return None, lambda: self._wire.event("initialized")

    def _debug(self, path: str, source: str, asked: r.Launch) -> None:
        """Start a program, which waits before its first line.

        Raises: Impossible.
        """
        if asked.engine == "torch":
            try:
                importlib.import_module("backscope.pytorch.debugger.program")
            except ImportError as missing:
                raise Impossible(str(missing)) from None
        self._launch = asked
        if asked.page:
            self._page = self._page_of(
                asked.engine == "torch", lambda address: self._wire.event("backscopePage", address=address)
            )
        self._debuggee = Debuggee(
            path,
            source,
            asked.args,
            asked.seed,
            torch=asked.engine == "torch",
            send=self._wire.event,
            screen=self._screen,
            page=self._page,
        )
        self._looking = LookingRequests(self._debuggee)
        self._debuggee.start()
        if asked.page:
            threading.Thread(target=self._watch_page, args=(self._debuggee,), daemon=True).start()

    def _watch_page(self, program: Debuggee) -> None:
        """Have the program followed each time that the page has it go on."""
        while True:
            program.page_went_on.acquire()
            self._queue.put(lambda: self._motion.follow_page(program))

    def _configured(self, _: r.Arguments) -> Answer:
        return None, self._begin()

    def _begin(self) -> Then:
        program = self._program
        if self._launch.stop_on_entry and not self._launch.no_debug and program.paused is not None:
            return lambda: self._motion.say_stopped(program, "entry")
        return self._motion.go_on(program)

    def _restart(self, _: r.Arguments) -> Answer:
        program = self._program
        program.source = text_of(program.file)
        program.start()
        self._forget()
        if not self._launch.no_debug:
            self._breakpoints.set_again()
        return None, self._begin()

    def _terminate(self, _: r.Arguments) -> Answer:
        program = self._program
        program.close()
        program.paused = None
        return None, lambda: self._wire.event("terminated")

    @staticmethod
    def _threads() -> dict[str, Any]:
        return {"threads": [{"id": THREAD, "name": "program"}]}

    def _data_info(self, asked: r.DataBreakpointInfo) -> Answer:
        name = self._look.tensor_named(asked)
        if name is None:
            return {"dataId": None, "description": f"{asked.name} holds no tensor that has been recorded by now."}, None
        return self._breakpoints.data_info(name), None


def text_of(path: str) -> str:
    """Return the text of a program.

    Raises: Impossible.
    """
    try:
        with tokenize.open(path) as opened:
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Impossible(f"{path} cannot be read: {reason}.") from None
