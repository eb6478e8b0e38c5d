"""The requests that look at the program at the moment that is inspected, and those that change a value in it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from backscope.diagnosis.why import NotAsked
from backscope.program.explanation import explain
from backscope.protocol import commands as c
from backscope.protocol.file_lines import line_in_file
from backscope_server.dap import completion, console, requests as r, tape_listing, tensor_memory
from backscope_server.dap.debuggee import NODE_FRAME, Debuggee
from backscope_server.dap.variables import VariableReferences
from backscope_server.terminal.debug_session import Impossible

Body = dict[str, Any]


class LookingRequests:
    """Answers what an editor asks of a program; each method returns the body of the response."""

    def __init__(self, program: Debuggee) -> None:
        self._program = program
        self.references = VariableReferences(program)

    def stack(self, asked: r.StackTrace) -> Body:
        """Return the frames, innermost first; above them the node that runs, at the line that made it."""
        program = self._program
        frames: list[Body] = []
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
                    **program.place_of(facts.line),
                }
            )
        only_top = asked.levels == 1 and not asked.start_frame and bool(frames)
        if not only_top:  # Below a node of the past the program has to run again for its stack.
            place = None
            with contextlib.suppress(Impossible):
                place = program.place()
            for number, frame in enumerate(reversed([] if place is None else place.stack)):
                frames.append({"id": number + 1, "name": frame.function, "column": 1, **program.place_of(frame.line)})
        last = asked.start_frame + asked.levels if asked.levels else len(frames)
        return {"stackFrames": frames[asked.start_frame : last], "totalFrames": len(frames) + only_top}

    def scopes(self, asked: r.Scopes) -> Body:
        """Return the scopes of a frame."""
        return {"scopes": self.references.scopes(asked.frame_id)}

    def variables(self, asked: r.Variables) -> Body:
        """Return what is inside of a scope or a variable."""
        return {"variables": self.references.inside(asked)}

    def evaluate(self, asked: r.Evaluate) -> Body:
        """Return the value of an expression, or what a command of the console prints."""
        frame = self._program.number_of_frame(asked.frame_id)
        typed = asked.expression.strip()
        if asked.context == "repl" and (given := console.command(typed)) is not None:
            return {"result": console.carry_out(self._program, *given, frame), "variablesReference": 0}
        if not typed:
            raise Impossible("An expression is needed.")
        evaluated = self.references.evaluated(typed, frame)
        shown = self.references.shown(typed, evaluated.look, typed, frame)
        result = evaluated.look.text if asked.context in ("repl", "clipboard") else shown["value"]
        kept = {key: value for key, value in shown.items() if key not in ("name", "value", "evaluateName")}
        return {"result": evaluated.output + result, **kept}

    def exception(self, _: r.Arguments) -> Body:
        """Return the error that the program is stopped at, or the last one before, and why it happened."""
        program = self._program
        note = (program.paused.note if program.paused is not None else None) or ""
        text = note
        with contextlib.suppress(NotAsked):
            text = f"{note}\n\n{explain(program.history.tape, program.seq, None)}".strip()
        error = next((one for one in reversed(program.history.tape.errors) if one.seq <= program.seq), None)
        name = note.split(" ")[0] if " was raised" in note else "stop" if error is None else error.type
        text = text or "No exception has been raised."
        return {"exceptionId": name, "description": text, "breakMode": "always"}

    def sources(self, _: r.Arguments) -> Body:
        """Return the files of the program so far."""
        program = self._program
        names = program.history.tape.files.names
        paths = [Path(program.file), *(program.folder / name for number, name in names.items() if number)]
        return {"sources": [{"name": path.name, "path": str(path)} for path in paths]}

    def disassemble(self, asked: r.Disassemble) -> Body:
        """Return rows of the tape."""
        return {"instructions": tape_listing.rows(self._program, asked)}

    def memory(self, asked: r.ReadMemory) -> Body:
        """Return bytes of a tensor."""
        return tensor_memory.read(self._program, asked)

    def completions(self, asked: r.Completions, columns_from: int) -> Body:
        """Return what may follow what is typed."""
        return {"targets": completion.targets(self._program, asked, columns_from)}

    def tensor_named(self, asked: r.DataBreakpointInfo) -> str | None:
        """Return the expression of a variable that holds a recorded tensor, or of its `.grad`; None for another."""
        name = asked.name
        if asked.variables_reference:
            name = self.references.expression(asked.variables_reference, name)
        found = self._program.history.tape.find(name.removesuffix(".grad"), self._program.seq)
        return None if found is None else name

    def set_variable(self, asked: r.SetVariable) -> Body:
        """Change a variable inside of a scope or another variable."""
        return self._assign(self.references.expression(asked.variables_reference, asked.name), asked.value, None)

    def set_expression(self, asked: r.SetExpression) -> Body:
        """Assign a value to an expression, such as w[0, 1]."""
        return self._assign(asked.expression, asked.value, asked.frame_id)

    def _assign(self, target: str, value: str, frame_id: int | None) -> Body:
        program = self._program
        if not program.live:
            raise Impossible("The past cannot be changed. Continue to return to where the program is.")
        frame = program.number_of_frame(frame_id)
        program.ask(c.Assign(id=0, target=target, expression=value, frame=frame))
        shown = self.references.shown(target, self.references.evaluated(target, frame).look, target, frame)
        return {key: shown[key] for key in ("value", "type", "variablesReference")}
