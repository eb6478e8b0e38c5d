"""Prints the state of a debugging session: where the program is stopped, watched expressions, values."""

from __future__ import annotations

from pathlib import Path

from backscope.caption import sentence
from backscope.diagnosis.why.answer import many
from backscope.protocol import commands as c, events as ev
from backscope.protocol.file_lines import line_in_file, name_of
from backscope_server.terminal import grammar
from backscope_server.terminal.debug_session import DebugSession, Impossible, Refused


class SessionDisplay:
    """Prints the state of a session at the moment that the user inspects."""

    def __init__(self, session: DebugSession) -> None:
        self.session = session

    def show(self) -> None:
        """Print the place of the program, or the past moment that the user inspects."""
        session = self.session
        if session.past is not None:
            self._show_past(session.past)
            return
        stopped = session.paused
        if stopped is None:
            return
        new = session.history.moments[session.shown :]
        session.shown = len(session.history.moments)
        last = new[-1].main if new else None
        if stopped.where == "before node" and isinstance(last, ev.NodeStarted) and last.node == stopped.node:
            new.pop()  # It is printed below as the node that runs next.
            session.shown -= 1
        if new and not isinstance(new[-1].main, ev.OutputPrinted):  # Output has been printed already.
            if len(new) > 1:
                session.screen.say(f"... {many(len(new) - 1, 'step')} before it", style="quiet")
            session.screen.say(sentence(session.history, new[-1]))
        if stopped.where == "before node" and stopped.node is not None:
            session.screen.say(session.view().about_to_run(stopped.node, stopped.call))
        if stopped.note:
            session.screen.say(stopped.note, style="strong")
        stack = stopped.stack
        where = name_of(stopped.line, Path(session.file).name)
        where += f":{line_in_file(stopped.line)}" if stopped.line is not None else ""
        if stack and stack[-1].function != "<module>":
            where += f" in {stack[-1].function}"
        met = list(dict.fromkeys(stopped.breakpoints))
        known = {**session.page_breakpoints, **session.breakpoints}
        reasons = [grammar.words_of(known[b]) for b in met if b in known]
        because = f", breakpoint {', '.join(map(str, met))} ({'; '.join(reasons)})" if reasons else ""
        because += ", paused" if stopped.reason == "pause" and len(session.history.events) > 2 else ""
        session.screen.say(f"{where}, event {len(session.history.events) - 1}{because}", style="quiet")
        if stopped.line is not None:
            session.view().listing(stopped.line, stopped.line, stopped.line, set())
        self.show_watches()

    def _show_past(self, number: int) -> None:
        session = self.session
        moment = session.history.moments[number]
        session.screen.say(sentence(session.history, moment))
        line = session.line()
        events = f"event {moment.last}" if moment.first == moment.last else f"events {moment.first} to {moment.last}"
        events = events if session.inner_seq is None else f"event {session.inner_seq} of {events}"
        where = "" if line is None else f"line {line}, "
        session.screen.say(
            f"the past: {where}{events}, step {number + 1} of {len(session.history.moments)}; `now` returns",
            style="second",
        )
        if line is not None:
            session.view().listing(line, line, line, set())
        self.show_watches()

    def show_watches(self) -> None:
        """Print the values of the watched expressions at the moment that the user inspects."""
        session = self.session
        for expression in session.watches:
            self.show_value(expression, watched=True)

    def show_value(self, expression: str, *, watched: bool = False) -> None:
        """Print the value of an expression in the selected frame at the moment that the user inspects.

        If the program cannot be read, a variable or its .grad is printed as the log has it.  The past value of a
        watched expression comes from the log if that has all of it.
        """
        session = self.session
        view = session.view()
        if watched and not session.live and session.frame == 0 and view.recorded(expression, whole=True):
            return
        try:
            answer = session.look(c.Evaluate(id=0, expression=expression, frame=session.frame))
        except Impossible as error:
            if watched:
                session.screen.say(f"  {expression}: {error}", style="quiet")
                return
            if not session.live and not isinstance(error, Refused) and view.recorded(expression):
                session.screen.say(f"The log has that much. {error}", style="quiet")
                return
            raise
        if watched:
            view.look(expression, answer.look)
            return
        if answer.output:
            session.screen.say(answer.output.rstrip("\n"))
        view.look("", answer.look, whole=True)
