"""Commands of the terminal debugger that run the program on, and those that move through its recorded past."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backscope.diagnosis.why.answer import many
from backscope.protocol import commands as c
from backscope_server.terminal import past_stops
from backscope_server.terminal.debug_session import DebugSession, Impossible
from backscope_server.terminal.last_write import last_write
from backscope_server.terminal.session_display import SessionDisplay


class NavigationCommands:
    """The methods that carry out these commands; `argument` is the text after the command."""

    def __init__(self, session: DebugSession) -> None:
        self.session = session
        self.screen = session.screen
        self.display = SessionDisplay(session)

    def move(self, to: str, argument: str) -> None:
        """Step to the next `moment`, `line`, `node` or another kind of goal, as often as the argument says."""
        session = self.session
        for _ in range(number_of(argument, 1)):
            if session.past is not None:
                self._forward(to)
            elif to == "moment":
                session.step()
            else:
                goal: Any = to
                session.go(c.Step(id=0, to=goal))
            if session.past is None and session.over:
                return
            if session.paused is not None and session.paused.reason == "breakpoint" and session.past is None:
                break
        self.display.show()

    def _forward(self, to: str) -> None:
        session = self.session
        session.past = session.history.following(session.past or 0, to)
        if session.past == len(session.history.moments) - 1:
            session.past = None
            self.screen.say("Back to now.", style="quiet")

    def resume(self, argument: str) -> None:
        """Run on to the next breakpoint or the end."""
        self._run_on(c.Resume(id=0))

    def end(self, argument: str) -> None:
        """Run on to the end, past all breakpoints."""
        self._run_on(c.Step(id=0, to="end"))

    def _run_on(self, command: c.Resume | c.Step) -> None:
        session = self.session
        if session.past is not None and session.over:
            self.now("")
            return
        if session.past is not None:
            session.past = None
            self.screen.say("From now, not from the past that was looked at:", style="quiet")
        session.go(command)
        self.display.show()

    def until(self, argument: str) -> None:
        """Run on until the event with this number is recorded; at the latest, stop at the program's end."""
        session = self.session
        seq = number_of(argument, None)
        if session.over and seq >= len(session.history.events):
            raise Impossible(f"{self._no_event(seq)} The program is over; `restart` begins again.")
        session.past = None
        session.go(c.Step(id=0, to="seq", seq=seq, at_end=True))
        self.display.show()
        if seq < len(session.history.events):
            return
        if session.over:
            self.screen.say(self._no_event(seq), style="error")
        elif session.paused is not None and session.paused.where == "end":
            self.screen.say(f"{self._no_event(seq)} The program stopped at its end.", style="error")

    def _no_event(self, seq: int) -> str:
        history = self.session.history
        events, steps = len(history.events), many(len(history.moments), "step")
        return f"There is no event {seq}: the run has events 0 to {events - 1}, in {steps}."

    def goto(self, argument: str) -> None:
        """Move to the event with this number; run on to it where it has not been recorded yet."""
        session = self.session
        seq = number_of(argument, None)
        if seq >= len(session.history.events):
            self.until(argument)
            return
        moments = session.history.moments
        if not moments:
            raise Impossible("Nothing has happened yet.")
        session.within(seq)
        if seq >= moments[-1].last and not session.over:
            session.past = None
        self.display.show()

    def back(self, argument: str) -> None:
        """Move back in the recorded past: so many steps, to a breakpoint, the first NaN, or a write of a variable."""
        session = self.session
        here = session.moment_to_leave()
        if argument == "break":
            if not session.breakpoints:
                raise Impossible("No breakpoint is set. For instance: break MulBackward0")
            session.past = self._stop_among(range(here - 1, -1, -1), session.breakpoints)
        elif argument == "nan":
            session.past = self._stop_among(range(here), {0: c.NonFiniteBreakpoint(id=0)})
        elif argument and not argument.isdigit():
            session.within(last_write(session, argument))
        else:
            session.past = max(here - number_of(argument, 1), 0)
        self.display.show()

    def _stop_among(self, moments: range, breakpoints: Mapping[int, c.Breakpoint]) -> int:
        """Return the first of these moments at which one of the breakpoints stops.

        Raises: Impossible where there is none.
        """
        number, hit = past_stops.find(self.session, moments, breakpoints)
        if hit:
            return number
        if 0 in breakpoints:
            raise Impossible("No value that is not finite came before this moment.")
        # The moment that one is at; none after the end of the program.
        here = range(len(self.session.history.moments))[moments.start + 1 : moments.start + 2]
        _, is_stop = past_stops.find(self.session, here, breakpoints)
        at = "This moment is at a breakpoint. " if is_stop else ""
        raise Impossible(f"{at}Before this moment the program was at no breakpoint.")

    def forward(self, argument: str) -> None:
        """Move so many steps forward in the recorded past, at most to where the program is."""
        if self.session.past is None:
            raise Impossible("This is now. `step` goes on.")
        for _ in range(number_of(argument, 1)):
            if self.session.past is not None:
                self._forward("moment")
        self.display.show()

    def now(self, argument: str) -> None:
        """Return from the past to where the program is."""
        self.session.past = None
        if self.session.over:
            self.screen.say("The program is over. `restart` begins again.", style="quiet")
        self.display.show()

    def restart(self, argument: str) -> None:
        """Start the program again, with the same seed, breakpoints and watches."""
        self.session.start()
        self.display.show()


def number_of(text: str, default: int | None) -> int:
    if not text and default is not None:
        return default
    if not text.isdigit() or len(text) > 15:
        raise Impossible(f"{text!r} is not a number." if text else "A number is needed.")
    return int(text)
