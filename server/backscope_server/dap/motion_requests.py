"""The requests that run the program on, and those that move through its recorded past."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from backscope.caption import sentence
from backscope.protocol import commands as c, events as ev
from backscope.protocol.file_lines import line_in_file, name_of
from backscope_server.dap import requests as r
from backscope_server.dap.breakpoint_requests import REASONS, BreakpointRequests, kind_of
from backscope_server.dap.debuggee import Debuggee
from backscope_server.terminal import past_stops
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.history import NODE_RUNS

Then = Callable[[], None]
THREAD = 1
"""The number of the program's only thread."""
_TARGETS = 40
"""Moments of a line that are offered at most."""
_BRACES = re.compile(r"\{([^{}]+)\}")


class MotionRequests:
    """Carries out steps; each returns what is left to do once its response is sent.

    `stopped` is called when the moment that is inspected has changed.
    """

    def __init__(self, send: Callable[..., None], breakpoints: BreakpointRequests, stopped: Then) -> None:
        self._send = send
        self._breakpoints = breakpoints
        self._stopped = stopped

    def go_on(self, debuggee: Debuggee) -> Then:
        """Run on to the next breakpoint or the end; in the past, to the next moment that breakpoints stop at."""
        past = debuggee.past
        if past is None:
            return self._started(debuggee, c.Resume(id=0))
        moments = range(past + 1, len(debuggee.history.moments))
        number, hit = past_stops.find(debuggee, moments, self._breakpoints.stopping)
        if hit:
            return lambda: self._look_at(debuggee, number, hit)
        debuggee.past = None
        if debuggee.over:
            return lambda: self._say_over(debuggee)
        return lambda: self.say_stopped(debuggee, "step")

    def step(self, debuggee: Debuggee, to: str, asked: r.Move) -> Then:
        """Step to the next line here, "into" or "out", or, by instructions, to the next node of a pass."""
        to = "node" if asked.granularity == "instruction" else to
        if debuggee.past is None:
            return self._started(debuggee, c.Step(id=0, to=to))  # type: ignore[arg-type]
        number = debuggee.history.following(debuggee.past, to)
        if number is not None and (debuggee.over or number < len(debuggee.history.moments) - 1):
            return partial(self._look_at, debuggee, number, [])
        debuggee.past = None
        return lambda: self.say_stopped(debuggee, "step") if not debuggee.over else self._say_over(debuggee)

    def back(self, debuggee: Debuggee, asked: r.Move) -> Then:
        """Move to the moment before; by instructions, to the node before."""
        here = debuggee.moment_to_leave()
        if asked.granularity == "instruction":
            moments = debuggee.history.moments
            number = next((n for n in range(here - 1, -1, -1) if isinstance(moments[n].main, NODE_RUNS)), 0)
        else:
            number = here - 1
        return lambda: self._look_at(debuggee, max(number, 0), [])

    def back_to_breakpoint(self, debuggee: Debuggee) -> Then:
        """Move back to the last moment at which breakpoints stop, or to the beginning."""
        moments = range(debuggee.moment_to_leave() - 1, -1, -1)
        number, hit = past_stops.find(debuggee, moments, self._breakpoints.stopping)
        return lambda: self._look_at(debuggee, max(number, 0), hit)

    def targets(self, debuggee: Debuggee, asked: r.GotoTargets) -> list[dict[str, Any]]:
        """Return the last moments of a line; the id of each is its first event."""
        file = debuggee.file_at(asked.source.path or asked.source.name or "")
        history = debuggee.history
        found = []
        for number in range(len(history.moments) - 1, -1, -1):
            line = history.line_of(history.moments[number])
            if line_in_file(line) == asked.line and (name_of(line, "") or None) == file:
                label = f"step {number + 1}: {sentence(history, history.moments[number])}"
                found.append({"id": number + 1, "label": label[:200], "line": asked.line})
                if len(found) == _TARGETS:
                    break
        if not found:
            raise Impossible(f"Nothing has happened at line {asked.line} so far.")
        return found

    def goto(self, debuggee: Debuggee, asked: r.Goto) -> Then:
        """Move to a moment of the past."""
        if not 0 < asked.target_id <= len(debuggee.history.moments):
            raise Impossible(f"There is no step {asked.target_id}.")
        return lambda: self._look_at(debuggee, asked.target_id - 1, [], "goto")

    def say_stopped(self, debuggee: Debuggee, reason: str) -> None:
        """Say why, where and at what the program is stopped, or which moment of its past is inspected."""
        self._stopped()
        hit: list[int] = []
        if debuggee.past is None and debuggee.paused is not None:
            hit = [number for number in debuggee.paused.breakpoints if number in self._breakpoints.wanted]
            text = debuggee.paused.note or self._sentence(debuggee)
        else:
            text = self._sentence(debuggee)
        self._say(reason if not hit else REASONS[kind_of(hit[0])], text, hit)

    def _say(self, reason: str, text: str, hit: list[int]) -> None:
        self._send(
            "stopped",
            reason=reason,
            description=text.split("\n")[0][:200] or reason,
            text=text,
            threadId=THREAD,
            allThreadsStopped=True,
            hitBreakpointIds=hit,
        )

    def _look_at(self, debuggee: Debuggee, number: int, hit: list[int], reason: str = "step") -> None:
        last = len(debuggee.history.moments) - 1
        debuggee.past = None if number == last and not debuggee.over else number
        self._stopped()
        self._say(REASONS[kind_of(hit[0])] if hit else reason, self._sentence(debuggee), hit)

    @staticmethod
    def _sentence(debuggee: Debuggee) -> str:
        moments = debuggee.history.moments
        if not moments:
            return "Before the first line."
        return sentence(debuggee.history, moments[-1 if debuggee.past is None else debuggee.past])

    def _say_over(self, debuggee: Debuggee) -> None:
        self._send("exited", exitCode=debuggee.exit_status)
        self._send("terminated")

    def _started(self, debuggee: Debuggee, command: c.Resume | c.Step) -> Then:
        if debuggee.paused is None:
            raise Impossible("The program is over. Restart begins again; stepping back looks at what it did.")
        debuggee.going = True
        return lambda: self._run(debuggee, command)

    def _run(self, debuggee: Debuggee, command: c.Resume | c.Step) -> None:
        """Run on until something other than a message that is to be logged stops the program."""
        assert debuggee.paused is not None
        depth, line = len(debuggee.paused.stack), debuggee.paused.line
        going: c.Resume | c.Step = command
        try:
            while True:
                debuggee.go(going)
                stopped = self._stop_of(debuggee)
                if stopped is None or not self._logged(debuggee, stopped):
                    break
                if isinstance(command, c.Step) and command.to in ("line", "out"):
                    if len(stopped.stack) <= depth and stopped.line != line:
                        break  # The step would have ended here.
                    going = c.Step(id=0, to="out") if len(stopped.stack) > depth else command
        finally:
            debuggee.going = False
        self._say_arrived(debuggee)

    def _say_arrived(self, debuggee: Debuggee) -> None:
        """Say where the program has stopped, or that it is over."""
        stopped = self._stop_of(debuggee)
        if stopped is None:
            self._say_over(debuggee)
        else:
            self.say_stopped(debuggee, "pause" if stopped.reason == "pause" else "step")

    @staticmethod
    def _stop_of(debuggee: Debuggee) -> ev.Paused | None:
        return debuggee.paused

    def follow_page(self, debuggee: Debuggee) -> None:
        """Follow the program, which the page has go on, to its next stop or its end."""
        debuggee.going = True
        self._send("continued", threadId=THREAD, allThreadsContinued=True)
        try:
            debuggee.follow_page()
        finally:
            debuggee.going = False
        self._say_arrived(debuggee)

    def _logged(self, debuggee: Debuggee, stopped: ev.Paused) -> bool:
        """Log the messages of the breakpoints that stopped the program; return False if one of them stops it."""
        if stopped.reason != "breakpoint" or not stopped.breakpoints:
            return False
        messages = self._breakpoints.logs
        for number in stopped.breakpoints:
            if number in messages:
                text = _BRACES.sub(lambda found: _value(debuggee, found[1]), messages[number])
                self._send("output", category="console", output=text + "\n", **debuggee.place_of(stopped.line))
        return all(number in messages for number in stopped.breakpoints)


def _value(debuggee: Debuggee, expression: str) -> str:
    """Return the text of an expression in the frame that is stopped, or why it has none."""
    try:
        text: str = debuggee.ask(c.Evaluate(id=0, expression=expression)).look.text
    except Impossible as error:
        return f"<{error}>"
    return text
