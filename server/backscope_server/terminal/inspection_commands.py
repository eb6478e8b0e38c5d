"""Commands of the terminal debugger that print something about the program and change nothing in it."""

from __future__ import annotations

import contextlib
import re

from backscope.program.explanation import explain
from backscope.protocol import commands as c, events as ev
from backscope.protocol.file_lines import file_of
from backscope_server.session.past.repeated_stops import MOST_STOPS
from backscope_server.terminal import grammar, tensor_slices
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.navigation_commands import NavigationCommands, number_of
from backscope_server.terminal.plot import Plot

_AROUND = 5
"""Lines that `list` shows on either side."""
_VARIABLE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[[^\[\]]+\])*")
"""A variable, an attribute, or an element of a container, as Python writes them."""


class InspectionCommands(NavigationCommands):
    """The methods that carry out these commands; `argument` is the text after the command."""

    def print(self, argument: str) -> None:
        """Print the value of an expression."""
        if not argument:
            raise Impossible("An expression is needed. For instance: print w.grad")
        self.display.show_value(argument)

    def values(self, argument: str) -> None:
        """Print elements of a tensor, all or a slice."""
        session = self.session
        name, command, made = tensor_slices.parse(argument, session.history.tape, session.inspected_seq)
        read = session.read(command, made)
        bounds = zip(command.begin, command.end, strict=True)
        when = "" if made is None else f", as it was at event {made}"
        part = f"[{', '.join(f'{a}:{b}' for a, b in bounds)}] of " if command.begin else ""
        self.screen.say(f"{name}: {part}{read.whole}, {read.dtype}{when}", style="quiet")
        for line in tensor_slices.written(read, self.screen.width - 1).split("\n"):
            self.screen.line(line)

    def watch(self, argument: str) -> None:
        """Print an expression at each stop from now on; without an argument, print those that are watched."""
        if argument and argument not in self.session.watches:
            self.session.watches.append(argument)
        if not self.session.watches:
            self.screen.say("Nothing is watched. For instance: watch w.grad")
        self.display.show_watches()

    def curve(self, argument: str) -> None:
        """Print the values of an expression at all moments so far."""
        if not argument:
            raise Impossible("An expression is needed. For instance: curve w.grad.norm()")
        session = self.session
        curve = session.curve(argument)
        if curve.unusable is not None:
            raise Impossible(curve.unusable)
        Plot(self.screen, len(session.history.events) - 1, session.history.line_at).show(argument, curve.points)
        if curve.refusal is not None:
            self.screen.say(curve.refusal, style="error")

    def log(self, argument: str) -> None:
        """Print an expression each time that the program came to a line, as if it had printed it there."""
        session = self.session
        place, _, expression = argument.partition(" ")
        at = grammar.parse(place, 0) if place else None
        if not isinstance(at, c.LineBreakpoint) or not expression.strip():
            raise Impossible("A line and an expression are needed. For instance: log 12 loss.item()")
        history = session.history
        passes = session.stops([at], len(history.events) - 1, expression.strip())
        if not passes:
            raise Impossible(f"The program was not at line {place} so far.")
        for one in passes:
            self.screen.line(self.screen.cut(f"  step {history.index(one.seq) + 1:<6} {' '.join(one.text.split())}"))
        if len(passes) == MOST_STOPS:
            self.screen.say("Later ones are left out.", style="quiet")

    def unwatch(self, argument: str) -> None:
        """Stop watching an expression; without an argument, all of them."""
        if argument and argument not in self.session.watches:
            raise Impossible(f"{argument} is not watched.")
        self.session.watches = [one for one in self.session.watches if argument and one != argument]

    def why(self, argument: str) -> None:
        """Print why a `.grad` has its value, or why an error happened."""
        session = self.session
        about: str | int | None = argument or None
        if argument in ("", "error") and (raised := self._unrecorded_error()) is not None:
            self.screen.say(f"{raised}\n`why` works once it is caught or ends the program: `next`, then `why`.")
            return
        if argument.startswith("#") and argument[1:].isdigit():
            facts = session.history.tape.nodes.get(int(argument[1:]))
            if facts is None:
                raise Impossible(f"There is no node {argument}.")
            about = facts.leaf or next(iter(facts.outputs), None)
        elif _VARIABLE.fullmatch(argument.removesuffix(".grad")) and session.live:
            about = self._held(argument.removesuffix(".grad")) or argument
        self.screen.say(explain(session.history.tape, session.seq, about))

    def _unrecorded_error(self) -> str | None:
        """Return the note on the exception that the program is stopped at, if the log does not have that one yet."""
        session, stopped = self.session, self.session.paused
        if not session.live or stopped is None or " was raised" not in (stopped.note or ""):
            return None
        errors = session.history.tape.errors[-1:]
        known = any(e.line == stopped.line and (stopped.note or "").startswith(f"{e.type} ") for e in errors)
        return None if known else stopped.note

    def _held(self, variable: str) -> int | None:
        """Return the number of the tensor that a variable of the selected frame holds; None where it holds none."""
        held: int | None = None
        with contextlib.suppress(Impossible):
            held = self.session.look(c.Evaluate(id=0, expression=variable, frame=self.session.frame)).look.tensor
        return held

    def where(self, argument: str) -> None:
        """Print the call stack."""
        self.session.view().stack(self.session.place(), self.session.frame)

    def select(self, by: int) -> None:
        """Select another frame."""
        session = self.session
        stack = session.stack()
        wanted = session.frame + by
        if not 0 <= wanted < len(stack):
            raise Impossible("This is the outermost frame." if by > 0 else "This is the innermost frame.")
        session.frame = wanted
        frame = stack[-1 - wanted]
        self.screen.say(f"line {frame.line} in {frame.function}", style="quiet")
        session.view().listing(frame.line, frame.line, frame.line, set())

    def locals(self, argument: str) -> None:
        """Print the variables of the selected frame; where the program cannot be read, those in the log."""
        session = self.session
        view = session.view()
        try:
            view.variables(session.look(c.ListLocals(id=0, frame=session.frame)))
        except Impossible as error:
            if session.live:
                raise
            for name in session.history.tape.bound:
                view.recorded(name)
            self.screen.say(f"The log has that much. {error}", style="quiet")

    def listing(self, argument: str) -> None:
        """Print the source around the current line, or around the line in the argument."""
        session = self.session
        now = session.line()
        around = now or 1
        if argument:
            name, _, number = argument.rpartition(":")
            around = self._line_in(name.strip(), number_of(number.strip(), None), now)
        session.view().listing(around - _AROUND, around + _AROUND, now, session.lines_with_breakpoints())

    def _line_in(self, name: str, number: int, now: int | None) -> int:
        """Return a line of the file with this name; without one, of the file that the program is in.

        Raises: Impossible.
        """
        files = self.session.history.tape.files
        if not name:
            return files.line(number, file_of(now)) or number
        line = files.line_of(number, name)
        if line is None:
            known = ", ".join(files.names[one] for one in sorted(files.names))
            raise Impossible(f"The run has no file {name} so far; it has {known}.")
        return line

    def graph(self, argument: str) -> None:
        """Print the graph below a node, a variable or the current node."""
        view = self.session.view()
        tape = self.session.history.tape
        now = view.current()
        root = now
        word = argument.removeprefix("#")
        if word.isdigit():
            root = int(word)
        elif word:
            number = tape.find(word, self.session.seq)
            root = None if number is None else tape.tensors[number].receiver(self.session.seq)
            if root is None:
                raise Impossible(
                    f"{word} has no node: " + ("no such variable." if number is None else "it has no graph.")
                )
        elif self.session.history.steps.calls:
            started = tape.passes[self.session.history.steps.calls[-1]].started
            root = started.root_nodes[0] if started.root_nodes and self.session.past is None else now
        if root is None or root not in tape.nodes:
            raise Impossible("There is no graph yet." if not word else f"There is no node {word}.")
        view.graph(root, now)

    def saved(self, argument: str) -> None:
        """Print saved tensors and the bytes that they hold."""
        self.session.view().saved()

    def memory(self, argument: str) -> None:
        """Print the bytes of values, saved tensors and gradients."""
        self.session.view().memory()

    def events(self, argument: str) -> None:
        """Print the events of the current step."""
        session = self.session
        if not session.history.moments:
            raise Impossible("Nothing has happened yet.")
        moment = session.history.moments[-1 if session.past is None else session.past]
        for event in session.history.inside(moment):
            if isinstance(event, (ev.Paused, ev.Resumed)):
                continue
            line = "" if event.line is None else f"line {event.line}"
            self.screen.line(self.screen.cut(f"  {event.seq:6}  {line:9} {type(event).__name__}"))
