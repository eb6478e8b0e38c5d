"""The adapter: takes the requests of an editor one by one, and those that cannot wait while the program runs."""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import threading
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from backscope.diagnosis.why import NotAsked
from backscope.program.explanation import explain
from backscope.protocol import commands as c
from backscope.protocol.file_lines import line_in_file
from backscope_server.dap import console, requests as r, tape_listing
from backscope_server.dap.breakpoint_requests import FILTERS, BreakpointRequests
from backscope_server.dap.client_output import ClientScreen
from backscope_server.dap.debuggee import NODE_FRAME, Debuggee
from backscope_server.dap.motion_requests import THREAD, MotionRequests
from backscope_server.dap.variables import VariableReferences
from backscope_server.dap.wire import BadMessage, Wire
from backscope_server.terminal import tensor_slices
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.shared_process import Receiver

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
            "supportsDelayedStackTraceLoading",
        ),
        True,
    ),
    "exceptionBreakpointFilters": FILTERS,
}
_ERRORS = (Impossible, NotAsked, tensor_slices.NotThere, ValueError)


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
        self._variables: VariableReferences | None = None
        self._base = 1
        self._breakpoints = BreakpointRequests(
            lambda: None if self._launch.no_debug else self._debuggee,
            lambda state: wire.event("breakpoint", reason="changed", breakpoint=self._numbered(state)),
        )
        self._motion = MotionRequests(wire.event, self._breakpoints, self._forget)
        self._over = False
        self._set: dict[str, tuple[type[r.Arguments], Callable[[Any], Callable[[Callable[[Any], None]], None]]]] = {
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
            "gotoTargets": (r.GotoTargets, self._targets),
            "goto": (r.Goto, lambda a: (None, self._motion.goto(self._program, a))),
            "stackTrace": (r.StackTrace, self._stack),
            "scopes": (r.Scopes, lambda a: ({"scopes": self._references.scopes(a.frame_id)}, None)),
            "variables": (r.Variables, lambda a: ({"variables": self._references.inside(a)}, None)),
            "evaluate": (r.Evaluate, self._evaluate),
            "setVariable": (r.SetVariable, self._set_variable),
            "setExpression": (r.SetExpression, self._set_expression),
            "dataBreakpointInfo": (r.DataBreakpointInfo, self._data_info),
            "exceptionInfo": (r.Arguments, self._exception),
            "disassemble": (r.Disassemble, lambda a: ({"instructions": tape_listing.rows(self._program, a)}, None)),
            "loadedSources": (r.Arguments, self._sources),
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
                if request.get("command") == "disconnect":
                    break
        finally:
            self._over = True
            if self._debuggee is not None:
                self._debuggee.close()
            if self._page is not None:
                self._page.close()

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
                self._shift(asked, 1 - self._base)
                replace(asked)(lambda body: self._wire.respond(request, self._numbered(body)))
                return
            if name not in self._requests:
                raise Impossible(f"There is no request {name!r} here.")
            kind, carry_out = self._requests[name]
            body, then = carry_out(r.read(kind, request.get("arguments")))
        except _ERRORS as error:
            self._wire.refuse(request, str(error))
            return
        self._wire.respond(request, body)
        if then is not None:
            try:
                then()
            except Impossible as error:
                self._screen.say(str(error))

    def _shift(self, asked: Any, by: int) -> None:
        """Move the lines of a request between the editor's count and ours, which begins at 1."""
        for one in (asked, *getattr(asked, "breakpoints", ())):
            if by and hasattr(one, "line"):
                one.line += by

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
    def _references(self) -> VariableReferences:
        if self._variables is None:
            raise Impossible("No program has been launched.")
        return self._variables

    def _forget(self) -> None:
        if self._variables is not None:
            self._variables.forget()

    # Beginning and end

    def _initialize(self, asked: r.Initialize) -> Answer:
        self._base = 1 if asked.lines_start_at1 else 0
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
        if asked.engine == "torch":
            try:
                importlib.import_module("backscope.pytorch.debugger.program")
            except ImportError as missing:
                raise Impossible(str(missing)) from None
        path = os.path.abspath(asked.program)
        self._launch = asked
        if asked.page:
            self._page = self._page_of(
                asked.engine == "torch", lambda address: self._wire.event("backscopePage", address=address)
            )
        self._debuggee = Debuggee(
            path,
            _text_of(path),
            asked.args,
            asked.seed,
            torch=asked.engine == "torch",
            send=self._wire.event,
            screen=self._screen,
            page=self._page,
        )
        self._variables = VariableReferences(self._debuggee)
        self._debuggee.start()
        if asked.page:
            threading.Thread(target=self._watch_page, args=(self._debuggee,), daemon=True).start()
        return None, lambda: self._wire.event("initialized")

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
        program.source = _text_of(program.file)
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

    # Looking

    def _targets(self, asked: r.GotoTargets) -> Answer:
        self._shift(asked, 1 - self._base)
        return self._numbered({"targets": self._motion.targets(self._program, asked)}), None

    def _stack(self, asked: r.StackTrace) -> Answer:
        program = self._program
        frames: list[dict[str, Any]] = []
        node = program.node()
        facts = None if node is None else program.history.tape.nodes.get(node)
        if node is not None and facts is not None:
            made = f" (made at line {facts.line})" if facts.line is not None else ""
            frames.append(
                {
                    "id": NODE_FRAME + node,
                    "name": f"{facts.name} #{node}{made}",
                    "column": 1,
                    "line": line_in_file(facts.line) or 0,
                    "instructionPointerReference": tape_listing.reference(node),
                    "presentationHint": "normal",
                    **program.place_of(facts.line),
                }
            )
        if asked.levels != 1 or asked.start_frame or not frames:
            place = None
            with contextlib.suppress(Impossible):
                place = program.place()
            for number, frame in enumerate(reversed([] if place is None else place.stack)):
                frames.append({"id": number + 1, "name": frame.function, "column": 1, **program.place_of(frame.line)})
        last = asked.start_frame + asked.levels if asked.levels else len(frames)
        total = len(frames) + (1 if asked.levels == 1 and node is not None else 0)
        shown = frames[asked.start_frame : last]
        return self._numbered({"stackFrames": shown, "totalFrames": total}), None

    def _evaluate(self, asked: r.Evaluate) -> Answer:
        program = self._program
        frame = program.number_of_frame(asked.frame_id)
        typed = asked.expression.strip()
        if asked.context == "repl" and (given := console.command(typed)) is not None:
            return {"result": console.carry_out(program, *given, frame), "variablesReference": 0}, None
        if not typed:
            raise Impossible("An expression is needed.")
        evaluated = self._references.evaluated(typed, frame)
        shown = self._references.shown(typed, evaluated.look, typed, frame)
        result = evaluated.look.text if asked.context in ("repl", "clipboard") else shown["value"]
        kept = {key: value for key, value in shown.items() if key not in ("name", "value", "evaluateName")}
        return {"result": evaluated.output + result, **kept}, None

    def _exception(self, _: r.Arguments) -> Answer:
        program = self._program
        paused = program.paused
        text = "" if paused is None or paused.note is None else paused.note
        with contextlib.suppress(NotAsked):
            text = f"{text}\n\n{explain(program.history.tape, program.seq, None)}".strip()
        error = next((one for one in reversed(program.history.tape.errors) if one.seq <= program.seq), None)
        name = "exception" if error is None else error.type
        if paused is not None and " was raised" in (paused.note or ""):
            name = (paused.note or "").split(" ")[0]
        elif error is None and paused is not None:
            name = "stop"
        text = text or "No exception has been raised."
        return {"exceptionId": name, "description": text, "breakMode": "always"}, None

    def _sources(self, _: r.Arguments) -> Answer:
        program = self._program
        names = program.history.tape.files.names
        paths = [Path(program.file), *(program.folder / name for number, name in names.items() if number)]
        return {"sources": [{"name": path.name, "path": str(path)} for path in paths]}, None

    # Changing

    def _data_info(self, asked: r.DataBreakpointInfo) -> Answer:
        name = asked.name
        if asked.variables_reference:
            name = self._references.expression(asked.variables_reference, name)
        program = self._program
        if program.history.tape.find(name.removesuffix(".grad"), program.seq) is None:
            return {"dataId": None, "description": f"{name} holds no tensor that has been recorded by now."}, None
        return self._breakpoints.data_info(name), None

    def _set_variable(self, asked: r.SetVariable) -> Answer:
        return self._assign(self._references.expression(asked.variables_reference, asked.name), asked.value, None)

    def _set_expression(self, asked: r.SetExpression) -> Answer:
        return self._assign(asked.expression, asked.value, asked.frame_id)

    def _assign(self, target: str, value: str, frame_id: int | None) -> Answer:
        program = self._program
        if not program.live:
            raise Impossible("The past cannot be changed. Continue to return to where the program is.")
        frame = program.number_of_frame(frame_id)
        program.ask(c.Assign(id=0, target=target, expression=value, frame=frame))
        shown = self._references.shown(target, self._references.evaluated(target, frame).look, target, frame)
        return {key: shown[key] for key in ("value", "type", "variablesReference") if key in shown}, None


def _text_of(path: str) -> str:
    """Return the text of a program.

    Raises: Impossible.
    """
    try:
        with tokenize.open(path) as opened:
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Impossible(f"{path} cannot be read: {reason}.") from None
