"""The commands of the debugger that go on, and those that move through the recorded past."""

from __future__ import annotations

from typing import Any

from backscope.protocol import commands as c, events as ev
from backscope_server.terminal.session import Impossible, Session


class Moves:
    """Moves a session; `argument` is what follows a command."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.screen = session.screen

    def move(self, to: str, argument: str) -> None:
        """Step so many times."""
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
        session.show()

    def _forward(self, to: str) -> None:
        session = self.session
        moments = session.history.moments
        here = session.past or 0
        line = session.history.line_of(moments[here])
        for number in range(here + 1, len(moments)):
            main = moments[number].main
            if (
                to == "moment"
                or (to == "node" and isinstance(main, (ev.NodeStarted, ev.GradAccumulated)))
                or (to == "backward" and isinstance(main, ev.BackwardStarted))
                or (to in ("line", "into", "out") and session.history.line_of(moments[number]) != line)
            ):
                session.past = number
                break
        else:
            session.past = None
        if session.past == len(moments) - 1:
            session.past = None
            self.screen.say("Back to now.", style="quiet")

    def resume(self, argument: str) -> None:
        """Go on to the next breakpoint or the end."""
        self._run_on(c.Resume(id=0))

    def end(self, argument: str) -> None:
        """Go on to the end, past all breakpoints."""
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
        session.show()

    def until(self, argument: str) -> None:
        """Go on until an event is recorded."""
        seq = number_of(argument, None)
        self.session.past = None
        self.session.go(c.Step(id=0, to="seq", seq=seq))
        self.session.show()

    def goto(self, argument: str) -> None:
        """Look at an event: of the past, or once it is recorded."""
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
        session.show()

    def back(self, argument: str) -> None:
        """Look at the past, so many steps before what is looked at."""
        session = self.session
        moments = session.history.moments
        if not moments:
            raise Impossible("Nothing has happened yet.")
        here = len(moments) - (0 if session.over else 1) if session.past is None else session.past
        if here == 0:
            raise Impossible("This is the first step.")
        session.past = max(here - number_of(argument, 1), 0)
        session.show()

    def forward(self, argument: str) -> None:
        """Look at a later step of the past, as far as now."""
        if self.session.past is None:
            raise Impossible("This is now. `step` goes on.")
        for _ in range(number_of(argument, 1)):
            if self.session.past is not None:
                self._forward("moment")
        self.session.show()

    def now(self, argument: str) -> None:
        """Look at where the program is."""
        self.session.past = None
        if self.session.over:
            self.screen.say("The program is over. `restart` begins again.", style="quiet")
        self.session.show()

    def restart(self, argument: str) -> None:
        """Start the program again, with the same seed, breakpoints and watches."""
        self.session.start()
        self.session.show()


def number_of(text: str, default: int | None) -> int:
    if not text and default is not None:
        return default
    if not text.isdigit() or len(text) > 15:
        raise Impossible(f"{text!r} is not a number." if text else "A number is needed.")
    return int(text)
