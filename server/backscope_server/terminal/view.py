"""Prints views of a program at any moment: source, stack, graph, saved tensors, memory."""

from __future__ import annotations

from collections.abc import Iterator

from backscope.caption import Naming, State, content, gradient, held_bytes
from backscope.diagnosis.why.answer import amount, in_full, many
from backscope.diagnosis.why.graph_memory.saved_bytes import kept_bytes, whole_bytes
from backscope.diagnosis.why.log.facts import NodeFacts, incoming, last, until
from backscope.protocol import commands as c, events as ev
from backscope.protocol.file_lines import MOST_LINES, file_of
from backscope_server.terminal.history import NODE_RUNS, History
from backscope_server.terminal.repeated_frames import group_frames
from backscope_server.terminal.screen import Screen, clean

DEEPEST = 5
"""Levels of the graph that are shown at once."""
MOST_NODES = 40


class View:
    """Prints a run at the moment `seq` on a screen."""

    def __init__(self, screen: Screen, history: History, seq: int) -> None:
        self.screen = screen
        self.history = history
        self.tape = history.tape
        self.seq = seq
        self.naming = Naming(State(history, seq))

    def text(self, line: int | None) -> str:
        """Return the text of a line."""
        return clean(self.tape.files.text(line))

    def listing(self, first: int, last_line: int, now: int | None, stops: set[int]) -> None:
        """Print lines of a file, that of `last_line`, and mark the current one and those with breakpoints."""
        file = file_of(last_line)
        begin = file * MOST_LINES
        source = self.tape.files.sources.get(file, [])
        end = min(last_line - begin, len(source))
        width = len(str(last_line - begin))
        if not source and file:
            self.screen.say("The source was left out of this recording.", style="quiet")
        for number in range(max(1, first - begin), end + 1):
            mark = "->" if begin + number == now else " *" if begin + number in stops else "  "
            line = self.screen.cut(f"{mark} {number:{width}}  {source[number - 1].expandtabs(4)}")
            self.screen.line(self.screen.style(line, "now") if begin + number == now else line)

    def stack(self, place: ev.Paused, selected: int) -> None:
        """Print the frames, outermost first."""
        stack = place.stack
        if place.frames_left_out:
            count = place.frames_left_out
            self.screen.say(f"  {count:,} frame{'s' * (count > 1)} around these left out", style="quiet")
        chosen = len(stack) - 1 - selected
        for at, frames, times in group_frames(stack):
            size = len(frames)
            # Of a group, the repetition with the selected frame is printed.
            shown = {0, min(max(chosen - at, 0) // size, times - 1)}
            for one in sorted(shown):
                for nr, frame in enumerate(frames):
                    number = len(stack) - 1 - at - one * size - nr
                    mark = "->" if number == selected else "  "
                    line = f"{mark} {number}  line {frame.line} in {frame.function}    {frame.text}"
                    self.screen.line(self.screen.cut(line))
            if times > len(shown):
                again = "this frame" if size == 1 else f"these {size} frames"
                self.screen.say(f"     {again} {times} times in all", style="quiet")

    def variables(self, answer: c.LocalsListed) -> None:
        """Print the variables of a frame."""
        self.screen.say(f"{answer.function}, line {answer.line}:", style="quiet")
        for variable in answer.variables:
            self.look(variable.name, variable.look)
        if answer.omitted:
            self.screen.say(f"  and {answer.omitted} more", style="quiet")
        if not answer.variables:
            self.screen.say("  no variables")

    def look(self, name: str, look: c.Look, *, whole: bool = False) -> None:
        """Print a value, in one line or whole."""
        lead = f"{name} = " if name else ""
        text = look.text
        fits = "\n" not in text and len(lead) + len(text) + 3 < self.screen.width
        if not whole and not fits and look.value is not None and in_full(look.value) is None:
            value = look.value
            norm = (
                ""
                if value.norm is None
                else f", norm {value.norm:.4g}"
                if not isinstance(value.norm, str)
                else f", norm {value.norm}"
            )
            bad = f", {value.nan_count} NaN" if value.nan_count else ""
            text = f"{look.type} {value.shape} {value.dtype}{norm}{bad}"
        if whole:
            for line in clean(f"{lead}{text}").split("\n"):
                self.screen.line(line)
        else:
            self.screen.line(self.screen.cut(f"  {lead}{text}"))

    def recorded(self, name: str, *, whole: bool = False) -> bool:
        """Print a variable, or its .grad, as the log has it at the moment; return False if it does not.

        With `whole`, for watched expressions, it also returns False if the log may lack a part of the value.
        """
        number = self.tape.find(name.removesuffix(".grad"), self.seq)
        if number is None:
            return False
        if name.endswith(".grad"):
            value = self.tape.grad(number, self.seq)
            text = "None" if value is None else described(value)
        else:
            value = self.tape.value(number, self.seq)
            text = "unknown" if value is None else described(value)
        if whole and (in_full(value, 300) is None if value is not None else not name.endswith(".grad")):
            return False
        if whole and not self.tape.tensors[number].alive(self.seq):
            return False  # The variable may hold another value by now, which is not in the log.
        self.screen.say(f"{name} = {text}", indent="  " if whole else "")
        return True

    def current(self) -> int | None:
        """Return the node of the moment: one that runs, that of the last op, or of the last pass."""
        for moment in reversed(self.history.moments[: self.history.index(self.seq) + 1]):
            main = moment.main
            if isinstance(main, ev.OpApplied):
                if main.node is not None:
                    return main.node.node
            elif isinstance(main, ev.BackwardStarted):
                return main.root_nodes[0] if main.root_nodes else None
            elif isinstance(main, NODE_RUNS):
                return main.node
        return None

    def about_to_run(self, node: int, call: int | None) -> str:
        """Return the sentence about a node that the program is stopped before."""
        facts = self.tape.nodes.get(node)
        if facts is None:
            return "A node is about to run."
        name = facts.name if facts.leaf is None else f"{facts.name} of {self.naming.tensor(facts.leaf)}"
        made = "" if facts.line is None or facts.leaf is not None else f", made at line {facts.line},"
        arriving = None if call is None else self._arriving(facts, call)
        return f"#{node} {name}{made} is about to run{'' if arriving is None else f' on {gradient(arriving)}'}."

    def _arriving(self, facts: NodeFacts, call: int) -> ev.Summary | None:
        """Return the gradient that a node runs with in a pass, or that has arrived at it so far."""
        given = incoming(facts, call)
        started = self.tape.passes[call].started if call in self.tape.passes else None
        if given is None and started is not None and facts.number in started.root_nodes:
            return started.gradients[started.root_nodes.index(facts.number)]
        arrived = facts.arrived_in(call, self.seq)
        if given is not None or not arrived:
            return given
        return arrived[-1].value if arrived[-1].total is None else arrived[-1].total

    def graph(self, root: int, now: int | None) -> None:
        """Print the graph below a node as a tree; a node that two edges lead to is printed once."""
        seen: set[int] = set()
        shown = 0
        waiting: list[tuple[int, str, str]] = [(root, "", "")]
        while waiting:
            number, lead, below = waiting.pop()
            if shown == MOST_NODES:
                self.screen.say("... more; `graph NUMBER` begins at another node", style="quiet")
                return
            shown += 1
            facts = self.tape.nodes.get(number)
            if facts is None:
                continue
            line = self.screen.cut(f"{lead}{self._node(facts)}{' (see above)' if number in seen else ''}")
            self.screen.line(self.screen.style(line, "now") if number == now else line)
            if number in seen:
                continue
            seen.add(number)
            inner = [n for n in facts.below if n in self.tape.nodes]
            if len(below) >= 3 * DEEPEST and inner:
                self.screen.line(f"{below}...")
                continue
            for place, child in reversed(list(enumerate(inner))):
                is_last = place == len(inner) - 1
                waiting.append(
                    (child, f"{below}{'`- ' if is_last else '|- '}", f"{below}{'   ' if is_last else '|  '}")
                )

    def _node(self, facts: NodeFacts) -> str:
        parts = [f"#{facts.number} {facts.name}"]
        if facts.leaf is not None:
            name = self.naming.tensor(facts.leaf)
            grad = self.tape.grad(facts.leaf, self.seq) if facts.leaf in self.tape.tensors else None
            parts.append(f"-> {name}.grad = {'None' if grad is None else gradient(grad)}")
        elif facts.outputs:
            name = self.tape.name(facts.outputs[0], self.seq)
            if not name.startswith("the "):
                parts.append(f"made {name}")
        if facts.line is not None and facts.leaf is None:
            parts.append(f"line {facts.line}")
        ran, now = last(facts.runs, self.seq), self._under_way()
        if ran is not None and now in (None, ran.call):  # A leaf's node also ran in the passes before.
            parts.append("has run")
        held, freed = self.held(facts)
        if held:
            parts.append(f"saves {amount(held_bytes(held))}")
        elif freed:
            parts.append("freed")
        return "  ".join(parts)

    def _under_way(self) -> int | None:
        """Return the innermost pass that is running at the moment; None if there is none."""
        found = [
            p.started.call for p in self.tape.passes.values() if p.started.seq <= self.seq and not p.over(self.seq)
        ]
        return found[-1] if found else None

    def held(self, facts: NodeFacts) -> tuple[list[ev.SavedTensor], list[ev.BufferFreed]]:
        """Return the tensors that a node holds at the moment, and those that it has freed."""
        return facts.kept(self.seq) if facts.alive(self.seq) else [], until(facts.freed, self.seq)

    def nodes(self) -> Iterator[NodeFacts]:
        """Return the nodes that exist at the moment."""
        return (facts for facts in self.tape.nodes.values() if facts.alive(self.seq))

    def saved(self) -> None:
        """Print saved tensors by node, with their bytes; the sum counts each storage once, as in `memory`."""
        total = 0
        found = [(facts, self.held(facts)[0]) for facts in self.nodes()]
        for facts, slots in [(facts, slots) for facts, slots in found if slots]:
            total += 1
            if total <= MOST_NODES:
                parts = [
                    f"{s.slot.removeprefix('_saved_')}"
                    f"{'' if s.tensor is None else ' = ' + self.naming.tensor(s.tensor)} {amount(s.nbytes)}"
                    for s in slots
                ]
                line = self.screen.cut(f"  #{facts.number} {facts.name}  line {facts.line}  {', '.join(parts)}")
                self.screen.line(self.screen.style(line, "saved"))
        if total > MOST_NODES:
            self.screen.say(f"  and {many(total - MOST_NODES, 'node')} more", style="quiet")
        nbytes = kept_bytes(self.tape, [facts.number for facts in self.nodes()], self.seq)
        freed = whole_bytes(self.tape, (f for facts in self.tape.nodes.values() for f in self.held(facts)[1]))
        held = (
            f"{many(total, 'node')} hold{'s' if total == 1 else ''} {amount(nbytes)}"
            if total
            else "No node holds a saved tensor"
        )
        counted = (
            "" if nbytes == sum(s.nbytes for _, slots in found for s in slots) else ", what shares memory counted once"
        )
        self.screen.say(f"{held}{counted}; {amount(freed)} freed so far.")

    def memory(self) -> None:
        """Print the bytes of values, saved tensors and gradients; each storage counts once."""
        saved = {s.storage for facts in self.nodes() for s in self.held(facts)[0]}
        held = kept_bytes(self.tape, [facts.number for facts in self.nodes()], self.seq)
        sums = {"saved": held, "gradients": 0, "values": 0}
        seen: set[int] = set()
        for facts in self.tape.tensors.values():
            storage = facts.info.storage
            if storage in saved or storage in seen or not facts.alive(self.seq):
                continue
            seen.add(storage)
            owner = self.tape.grad_of.get(facts.number)
            kind = "values" if owner is None else "gradients"
            sums[kind] += self.tape.storage_bytes.get(storage, facts.info.value.nbytes)
        for kind, count in sums.items():
            self.screen.line(f"  {kind:10} {amount(count):>10}")
        self.screen.line(f"  {'together':10} {amount(sum(sums.values())):>10}")


def described(value: ev.Summary) -> str:
    """Return a value as the log has it: its elements if it has all of them, else its shape and norm."""
    shown = in_full(value, 300)
    if shown is not None:
        return f"{shown}  ({value.dtype})"
    norm = (
        ""
        if value.norm is None
        else f", norm {value.norm if isinstance(value.norm, str) else format(value.norm, '.4g')}"
    )
    return f"{content(value)}, {value.dtype}{norm}"
