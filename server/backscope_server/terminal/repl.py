"""`backscope debug FILE`: the table of commands, and the loop that reads and runs them."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from backscope.diagnosis.why import NotAsked
from backscope.diagnosis.why.answer import many
from backscope.protocol import commands as c, trace
from backscope_server.terminal import grammar, tensor_slices
from backscope_server.terminal.debug_session import DebugSession, Impossible
from backscope_server.terminal.inspection_commands import InspectionCommands
from backscope_server.terminal.local import read_program
from backscope_server.terminal.navigation_commands import number_of
from backscope_server.terminal.prompt import Prompt
from backscope_server.terminal.screen import Unwritable, discard_output
from backscope_server.terminal.shared_process import Receiver

_TURN_SECONDS = 0.2


class Command(NamedTuple):
    """A command: its name, its short names, its argument, its help text, and the method that carries it out."""

    name: str
    short: tuple[str, ...]
    argument: str
    help: str
    do: Callable[[Repl, str], None]


class Repl(InspectionCommands):
    """Reads commands and carries them out, until the user quits or there are no more.

    Breakpoints are numbered from the one after `numbers` on.
    """

    def __init__(self, session: DebugSession, commands_from: Path | None, numbers: int = 0) -> None:
        super().__init__(session)
        self.prompt = Prompt(commands_from, self.candidates)
        self.numbers = numbers
        self.done = False
        self._turn = threading.RLock()
        """Held while a command is carried out, and while what the page did is shown."""

    def run(self) -> int:
        """Run until the user quits; return the program's exit status, 0 where the program has not ended."""
        session = self.session
        try:
            session.start()
            self.display.show()
            if session.has_page:
                threading.Thread(target=self._follow_page, daemon=True).start()
            last = ""
            while not self.done:
                self.screen.fresh()
                try:
                    typed = self.prompt.read()
                    if typed is None:
                        self._no_more()
                        break
                    typed = typed.strip()
                    if typed.startswith("#") or not (typed or self.prompt.person):
                        continue
                    typed = typed or last
                    last = typed
                    self.carry_out(typed)
                except KeyboardInterrupt:
                    self.screen.line()
                    self.screen.say("`quit` or Ctrl-D leaves.", style="quiet")
            return session.exit_status
        finally:
            session.close()

    def carry_out(self, typed: str) -> None:
        """Carry out one command; print why where that is not possible."""
        word, _, rest = typed.partition(" ")
        if not self._turn.acquire(timeout=_TURN_SECONDS):
            self.screen.say("The program runs: the page has it go on. Pause it there, or wait.", style="error")
            return
        try:
            if typed:
                _find(word).do(self, rest.strip())
        except (Impossible, NotAsked, grammar.NotUnderstood, tensor_slices.NotThere) as error:
            self.screen.say(str(error), style="error")
        finally:
            self._turn.release()

    def _follow_page(self) -> None:
        """Show where the program stops each time that the page has it go on."""
        while True:
            self.session.page_went_on.acquire()
            with self._turn:
                self.screen.line()
                self.session.follow_page()
                self.display.show()
                self.prompt.again()

    def _no_more(self) -> None:
        """Handle the end of the commands: after those of a script the program runs to its end, a person quits."""
        if self.session.has_page and not self.prompt.person:
            self.screen.say("No more commands here; the page goes on. Ctrl-C leaves.", style="quiet")
            while not self.session.over:
                time.sleep(_TURN_SECONDS)
        elif not self.prompt.person and self.session.paused is not None:
            with contextlib.suppress(Impossible):
                self.session.go(c.Step(id=0, to="end"))

    def candidates(self, before: str) -> Iterable[str]:
        """Return the completions of the word that is being typed after `before`."""
        words = before.split()
        if not words:
            return [f"{command.name} " for command in COMMANDS]
        with contextlib.suppress(Impossible):
            name = _find(words[0]).name
            tape = self.session.history.tape
            variables = list(tape.bound)
            if name == "break":
                kinds = (
                    "line",
                    "op",
                    "grad_fn",
                    "module",
                    "node",
                    "tensor",
                    "nan",
                    "norm",
                    "freed",
                    "hook",
                    "exception",
                )
                if words[1:2] == ["tensor"]:
                    return (
                        variables if len(words) == 2 else ("created", "changed", "gradient", "accumulated", "released")
                    )
                files = [f"{file}:" for number, file in tape.files.names.items() if number]
                return [*kinds, *files, *{facts.name for facts in tape.nodes.values()}] if len(words) == 1 else ()
            if name == "help":
                return [command.name for command in COMMANDS]
            if name == "why":
                return ["error", "caught", *variables]
            if name in ("print", "values", "watch", "curve", "set", "graph"):
                return [*variables, *[f"{v}.grad" for v in variables]]
        return ()

    def quit(self, argument: str) -> None:
        """Leave; the program is ended."""
        self.done = True

    # Breakpoints

    def set_break(self, argument: str) -> None:
        """Set a breakpoint; without an argument, list them."""
        if not argument:
            self.breakpoints("")
            return
        session = self.session
        one = grammar.parse(argument, self.numbers + 1)
        session.set_breakpoints({**session.breakpoints, one.id: one})
        self.numbers += 1
        self._say_breakpoint(one)
        if (note := session.pending.get(one.id)) is not None:
            self.screen.say(note, style="quiet")

    def _say_breakpoint(self, one: c.Breakpoint, more: str = "") -> None:
        at = self.session.places.get(one.id)
        moved = ""
        if isinstance(one, c.LineBreakpoint) and at is not None and (at.line, at.file) != (one.line, one.file):
            moved = f" (stops at {f'line {at.line}' if at.file is None else f'{at.file}:{at.line}'})"
        self.screen.say(f"{one.id}: {grammar.words_of(one)}{moved}{more}")

    def breakpoints(self, argument: str) -> None:
        """List the breakpoints."""
        of_page = self.session.page_breakpoints
        for one in of_page.values():
            self._say_breakpoint(one, " (set in the page)")
        for one in self.session.breakpoints.values():
            self._say_breakpoint(one)
        if not (self.session.breakpoints or of_page):
            self.screen.say("No breakpoints. These can be typed:\n" + grammar.KINDS, style="quiet")

    def delete(self, argument: str) -> None:
        """Delete breakpoints by their numbers, or all."""
        session = self.session
        there = session.breakpoints.keys() | session.page_breakpoints.keys()
        gone = there if argument in ("", "all") else {number_of(word, None) for word in argument.split()}
        if unknown := gone - there:
            raise Impossible(f"There is no breakpoint {min(unknown)}.")
        session.delete_breakpoints(gone)
        self.screen.say(f"Deleted: {', '.join(map(str, sorted(gone))) or 'none'}.", style="quiet")

    def set(self, argument: str) -> None:
        """Change a variable, an attribute or elements."""
        session = self.session
        target, equals, expression = argument.partition("=")
        if not equals or not target.strip() or not expression.strip():
            raise Impossible("For instance: set w.grad[0] = 2.0")
        if session.past is not None:
            raise Impossible("The past cannot be changed. `now` returns.")
        target = target.strip()
        session.ask(c.Assign(id=0, target=target, expression=expression.strip(), frame=session.frame))
        session.shown = len(session.history.moments)
        self.display.show_value(target)

    def save(self, argument: str) -> None:
        """Write what has happened so far as a trace."""
        if not argument:
            raise Impossible("Where to? For instance: save run.backscope")
        events = self.session.history.lines
        try:
            trace.write(argument, events)
        except OSError as error:
            raise Impossible(f"Cannot write {argument}: {error.strerror or error}.") from None
        self.screen.say(
            f"{many(len(events), 'event')} in {argument}; `backscope open {argument}` shows them in the page."
        )

    def help(self, argument: str) -> None:
        """Print the commands."""
        if argument:
            command = _find(argument)
            self.screen.say(" ".join(filter(None, (command.name, command.argument))), style="strong")
            self.screen.say(command.help)
            if command.short:
                self.screen.say(f"short: {', '.join(command.short)}", style="quiet")
            if more := {"break": grammar.KINDS, "values": tensor_slices.KINDS}.get(command.name):
                self.screen.say(more)
            return
        for command in COMMANDS:
            typed = " ".join(filter(None, (command.name, command.argument)))
            short = next((one for one in command.short if len(one) <= 4), "")
            self.screen.line(self.screen.cut(f"  {typed:27} {short:4} {command.help}"))
        self.screen.say("An unambiguous beginning is enough; an empty line repeats. `help break` has the breakpoints.")


def _to(goal: str) -> Callable[[Repl, str], None]:
    return lambda loop, argument: loop.move(goal, argument)


def _frame(by: int) -> Callable[[Repl, str], None]:
    return lambda loop, _: loop.select(by)


COMMANDS = (
    Command("step", ("s",), "[N]", "go on by an op, a node or a leaf's .grad", _to("moment")),
    Command("next", ("n",), "[N]", "go on to the next line here or in the caller", _to("line")),
    Command("into", ("i",), "", "go on to the next line anywhere", _to("into")),
    Command("out", ("o",), "", "go on to the next line outside of this", _to("out")),
    Command("node", ("nd",), "[N]", "stop before the next node of a pass", _to("node")),
    Command("backward", ("bw",), "", "go on to the start of the next pass", _to("backward")),
    Command("continue", ("c",), "", "go on to the next breakpoint or the end", Repl.resume),
    Command("end", (), "", "go on to the end, past all breakpoints", Repl.end),
    Command("until", ("un",), "EVENT", "go on until that event is recorded", Repl.until),
    Command("back", ("k",), "[N | TO]", "move back: steps, to break, nan, a write", Repl.back),
    Command("forward", ("f",), "[N]", "move forward again in the past", Repl.forward),
    Command("now", (), "", "return from the past to where the program is", Repl.now),
    Command("goto", ("g",), "EVENT", "move to an event, or go on to it", Repl.goto),
    Command("break", ("b",), "[PLACE]", "stop at a line, op, node, tensor, NaN, ...", Repl.set_break),
    Command("breakpoints", ("bl",), "", "list the breakpoints", Repl.breakpoints),
    Command("delete", ("del", "clear"), "[NUMBER ...]", "delete breakpoints, or all", Repl.delete),
    Command("print", ("p", "pp"), "EXPRESSION", "the value of an expression, in this frame", Repl.print),
    Command("values", ("v",), "TENSOR [SLICE]", "elements: of w.grad[0:9, 1], #7, #7.self", Repl.values),
    Command("watch", ("display",), "[EXPRESSION]", "show an expression at each stop", Repl.watch),
    Command("unwatch", ("undisplay",), "[EXPRESSION]", "stop showing an expression, or all", Repl.unwatch),
    Command("curve", ("cu",), "EXPRESSION", "the values of an expression over the run", Repl.curve),
    Command("log", (), "LINE EXPRESSION", "its value each time before the line runs", Repl.log),
    Command("set", (), "TARGET = EXPRESSION", "change a variable, an attribute, elements", Repl.set),
    Command("why", (), "[NAME | error | caught]", "why .grad has its value, what went wrong", Repl.why),
    Command("where", ("w", "bt"), "", "the call stack", Repl.where),
    Command("up", ("u",), "", "select the frame that called this one", _frame(1)),
    Command("down", ("d",), "", "select the frame that this one called", _frame(-1)),
    Command("locals", (), "", "the variables of the selected frame", Repl.locals),
    Command("list", ("l",), "[LINE]", "the source around the line", Repl.listing),
    Command("graph", ("gr",), "[NAME | NODE]", "the graph as a tree, below a node", Repl.graph),
    Command("saved", (), "", "saved tensors by node, and their bytes", Repl.saved),
    Command("memory", ("m",), "", "bytes of values, saved tensors, gradients", Repl.memory),
    Command("events", (), "", "the events of this step", Repl.events),
    Command("save", (), "FILE", "write the run so far as a .backscope file", Repl.save),
    Command("restart", ("run",), "", "start again, same seed and breakpoints", Repl.restart),
    Command("help", ("h", "?"), "[COMMAND]", "this list, or one command", Repl.help),
    Command("quit", ("q", "exit"), "", "leave; the program is ended", Repl.quit),
)  # fmt: skip


def _find(word: str) -> Command:
    """Return the command of this name, or the only one that begins with it.

    Raises: Impossible.
    """
    exact = [command for command in COMMANDS if word == command.name or word in command.short]
    found = exact or [command for command in COMMANDS if command.name.startswith(word)]
    if len(found) == 1:
        return found[0]
    if found:
        raise Impossible(f"{word!r} may be {' or '.join(command.name for command in found)}.")
    raise Impossible(f"There is no command {word!r}. `help` lists them; `print {word}` shows a value.")


def debug(
    file: str,
    *,
    arguments: list[str],
    seed: int,
    commands_from: Path | None,
    torch: bool = False,
    page: Receiver | None = None,
) -> int:
    """Debug a program; returns its exit status, 0 where it was left before its end, 2 for what cannot be read.

    The status is 1 if the output cannot be written.  With `torch` the program runs on PyTorch, and
    a `page` is attached to it.
    """
    source = read_program(file)
    if source is None:
        return 2
    if torch:
        try:  # It is loaded here, so that each run of the program begins at once.
            importlib.import_module("backscope.pytorch.debugger.program")
        except ImportError as missing:
            print(f"backscope: {missing}", file=sys.stderr)
            return 2
    has_input = sys.stdin.isatty() or commands_from is not None
    session = DebugSession(file, source, arguments, seed, has_input=has_input, torch=torch, page=page)
    try:
        # The page numbers its breakpoints from 1 on, and has 1000 at most.
        debugging = Repl(session, commands_from, numbers=0 if page is None else 1000)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        print(f"backscope: cannot read {commands_from}: {reason}", file=sys.stderr)
        return 2
    try:
        return debugging.run()
    except Unwritable as error:
        print(f"backscope: cannot write what the debugger shows: {error}", file=sys.stderr)
        discard_output()
        return 1
