"""The breakpoints of an editor, kind by kind, as those of the debugger."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from backscope.protocol import commands as c
from backscope_server.dap import requests as r
from backscope_server.dap.debuggee import Debuggee
from backscope_server.terminal import grammar
from backscope_server.terminal.debug_session import Impossible

FILTERS: list[dict[str, Any]] = [
    {
        "filter": "nan",
        "label": "NaN or infinity from finite numbers",
        "description": "Stops at the op or the node that makes it.",
        "default": True,
    },
    {
        "filter": "exception",
        "label": "Raised exceptions",
        "description": "Stops where an exception leaves a function or is caught, while its frame exists.",
        "supportsCondition": True,
        "conditionDescription": "the name of a type, as ValueError",
    },
    {
        "filter": "norm",
        "label": "Gradient norm above 1000, or a bound",
        "description": "Stops after a node or a leaf got a gradient with a larger 2-norm.",
        "supportsCondition": True,
        "conditionDescription": "a number, as 1e3",
    },
    {
        "filter": "freed",
        "label": "Saved tensors freed",
        "description": "Stops after a node freed what it saved.",
        "supportsCondition": True,
        "conditionDescription": "the name of a node, as MulBackward0",
    },
    {
        "filter": "hook",
        "label": "Hooks",
        "description": "Stops after a hook ran.",
        "supportsCondition": True,
        "conditionDescription": "the name of a hook",
    },
]
"""The exception filters that an editor offers."""

_NORM = 1000.0
_KINDS = ("line", "function", "data", "exception", "instruction")
_ROOM = 1 << 28
"""Each kind has so many numbers: that of a breakpoint says which kind it is."""
_OWN = 1 << 14
"""The numbers of each kind that are one editor's, by chance: several may be attached to a run."""
_WHEN = {"accumulated": "its .grad is updated", "changed": "its memory is changed in place"}

Setting = Callable[[Callable[[Any], None]], None]
"""Sets breakpoints in the program, and gives its argument the body of the response, at once or when it has come."""

REASONS = {
    "line": "breakpoint",
    "function": "function breakpoint",
    "data": "data breakpoint",
    "exception": "exception",
    "instruction": "instruction breakpoint",
}
"""The reason that the protocol has for a stop, by the kind of breakpoint."""


def kind_of(number: int) -> str:
    """Return the kind of the breakpoint with this number."""
    return _KINDS[number // _ROOM - 1]


class _Wanted(msgspec.Struct):
    """A breakpoint of the editor: that of the debugger, or why there is none, and the message that it logs."""

    breakpoint: c.Breakpoint | None
    reason: str = ""
    log: str | None = None


class BreakpointRequests:
    """Keeps the breakpoints of an editor, sets them in the program, and says what became of each.

    `logs` has the messages of those that log instead of stopping, by number.
    """

    def __init__(self, debuggee: Callable[[], Debuggee | None], changed: Callable[[dict[str, Any]], None]) -> None:
        self._debuggee = debuggee
        self._changed = changed
        self._groups: dict[tuple[str, str], dict[int, _Wanted]] = {}
        self._next = dict.fromkeys(_KINDS, random.randrange(_OWN) * _OWN)
        self._told: dict[int, dict[str, Any]] = {}

    @property
    def wanted(self) -> dict[int, c.Breakpoint]:
        """All breakpoints that can be set, by number."""
        return {
            number: one.breakpoint
            for group in self._groups.values()
            for number, one in group.items()
            if one.breakpoint is not None
        }

    @property
    def stopping(self) -> dict[int, c.Breakpoint]:
        """The breakpoints that stop the program instead of logging a message, by number."""
        logs = self.logs
        return {number: one for number, one in self.wanted.items() if number not in logs}

    @property
    def logs(self) -> dict[int, str]:
        """The messages of breakpoints that log, by number."""
        return {n: one.log for group in self._groups.values() for n, one in group.items() if one.log is not None}

    def of_file(self, asked: r.SetBreakpoints) -> Setting:
        """Replace the breakpoints on lines of a file."""
        debuggee = self._debuggee()
        path = asked.source.path or asked.source.name or ""
        file = None if debuggee is None else debuggee.file_at(path)
        made = [self._made(c.LineBreakpoint, one, line=one.line, file=file) for one in asked.breakpoints]
        return self._replace(("line", path), made)

    def of_functions(self, asked: r.SetFunctionBreakpoints) -> Setting:
        """Replace the breakpoints on ops, nodes and modules."""
        return self._replace(
            ("function", ""), [self._made(c.OpBreakpoint, one, name=one.name.strip()) for one in asked.breakpoints]
        )

    def of_data(self, asked: r.SetDataBreakpoints) -> Setting:
        """Replace the breakpoints on tensors."""
        made = []
        for one in asked.breakpoints:
            name, _, when = one.data_id.rpartition("|")
            made.append(self._made(c.TensorBreakpoint, one, tensor=name, when=when))
        return self._replace(("data", ""), made)

    def of_nodes(self, asked: r.SetInstructionBreakpoints) -> Setting:
        """Replace the breakpoints on nodes."""
        made = []
        for one in asked.breakpoints:
            try:
                node = int(one.instruction_reference, 0) + one.offset
            except ValueError:
                made.append(_Wanted(None, f"{one.instruction_reference!r} is no node."))
                continue
            made.append(self._made(c.NodeBreakpoint, one, node=node))
        return self._replace(("instruction", ""), made)

    def of_filters(self, asked: r.SetExceptionBreakpoints) -> Setting:
        """Replace the exception filters."""
        chosen: dict[str, str | None] = dict.fromkeys(asked.filters)
        chosen |= {one.filter_id: (one.condition or "").strip() or None for one in asked.filter_options}
        return self._replace(("exception", ""), [self._filter(name, given) for name, given in chosen.items()])

    def data_info(self, name: str) -> dict[str, Any]:
        """Return what can be watched of a variable: its memory, or, of `x.grad`, its updates."""
        when = "accumulated" if name.endswith(".grad") else "changed"
        tensor = name.removesuffix(".grad")
        return {
            "dataId": f"{tensor}|{when}",
            "description": f"{tensor}: stops when {_WHEN[when]}",
            "accessTypes": ["write"],
            "canPersist": True,
        }

    def clear(self) -> None:
        """Remove all breakpoints."""
        self._groups.clear()
        self._told.clear()
        self._set(lambda _: None)

    def set_again(self) -> None:
        """Set all breakpoints in a program that has begun, and report those that have changed."""
        debuggee = self._debuggee()
        if debuggee is not None and debuggee.paused is not None:
            self._report(debuggee.ask(c.SetBreakpoints(id=0, breakpoints=list(self.wanted.values()))))

    def _filter(self, name: str, given: str | None) -> _Wanted:
        if name == "norm":
            try:
                return _Wanted(c.GradientNormBreakpoint(id=0, above=_NORM if given is None else float(given)))
            except ValueError:
                return _Wanted(None, f"{given!r} is not a number; for instance 1e3.")
        made: dict[str, Callable[[], c.Breakpoint]] = {
            "nan": lambda: c.NonFiniteBreakpoint(id=0),
            "exception": lambda: c.ExceptionBreakpoint(id=0, type=given),
            "freed": lambda: c.FreedBreakpoint(id=0, name=given),
            "hook": lambda: c.HookBreakpoint(id=0, name=given),
        }
        return _Wanted(made[name]()) if name in made else _Wanted(None, f"There is no filter {name!r}.")

    @staticmethod
    def _made(kind: type[Any], asked: r.Asked, **fields: Any) -> _Wanted:
        """Return a breakpoint of this kind with what was asked of it, or why it cannot be."""
        hits = re.sub(r"^\s*>=?\s*", "", asked.hit_condition or "") or "1"
        if not hits.strip().isdigit() or int(hits) < 1:
            return _Wanted(None, f"The hit count {asked.hit_condition!r} is not a number from 1 on.")
        condition = (asked.condition or "").strip() or None
        try:
            if condition is not None:
                grammar.check_condition(condition)
            given = {"on": kind.__struct_config__.tag, "id": 0, "condition": condition, "hits": int(hits), **fields}
            made: c.Breakpoint = msgspec.convert(given, c.Breakpoint)
        except grammar.NotUnderstood as error:
            return _Wanted(None, str(error))
        except ValueError as error:
            return _Wanted(None, f"{error}.")
        return _Wanted(made, log=asked.log_message or None)

    def _replace(self, group: tuple[str, str], made: Sequence[_Wanted]) -> Setting:
        """Replace a group of breakpoints."""
        kind = group[0]
        before = {self._key(one): number for number, one in self._groups.get(group, {}).items()}
        found: dict[int, _Wanted] = {}
        for one in made:
            number = before.pop(self._key(one), None)
            if number is None:
                self._next[kind] += 1
                number = (_KINDS.index(kind) + 1) * _ROOM + self._next[kind]
            if one.breakpoint is not None:
                one.breakpoint = msgspec.structs.replace(one.breakpoint, id=number)
            found[number] = one
        self._groups[group] = found

        def carry_out(respond: Callable[[Any], None]) -> None:
            self._set(lambda answer: respond({"breakpoints": self._states(found, answer)}))

        return carry_out

    @staticmethod
    def _key(one: _Wanted) -> object:
        return (
            one.reason if one.breakpoint is None else msgspec.structs.replace(one.breakpoint, id=0),
            one.log is not None,
        )

    def _set(self, done: Callable[[c.BreakpointsSet | None], None]) -> None:
        """Set all breakpoints, and give `done` the answer, None where there is no program to set them in."""
        debuggee = self._debuggee()
        command = c.SetBreakpoints(id=0, breakpoints=list(self.wanted.values()))
        if debuggee is not None and debuggee.going:
            debuggee.while_running(command, lambda reply: done(reply if isinstance(reply, c.BreakpointsSet) else None))
        elif debuggee is not None and debuggee.paused is not None:
            answer: c.BreakpointsSet | None = None
            try:
                answer = debuggee.ask(command)
            except Impossible as error:
                debuggee.screen.say(str(error))
            done(answer)
        else:
            done(None)

    def _states(self, group: dict[int, _Wanted], answer: c.BreakpointsSet | None) -> list[dict[str, Any]]:
        """Return the state of each breakpoint of a group."""
        told = {number: self._state(number, one, answer) for number, one in group.items()}
        self._told |= told
        return list(told.values())

    def _report(self, answer: c.BreakpointsSet) -> None:
        for group in self._groups.values():
            for number, one in group.items():
                state = self._state(number, one, answer)
                if state != self._told.get(number):
                    self._told[number] = state
                    self._changed(state)

    def _state(self, number: int, one: _Wanted, answer: c.BreakpointsSet | None) -> dict[str, Any]:
        if one.breakpoint is None:
            return {"id": number, "verified": False, "message": one.reason, "reason": "failed"}
        if answer is None:
            return {"id": number, "verified": False, "message": "It waits for a restart.", "reason": "pending"}
        if (unusable := next((u.reason for u in answer.unusable if u.id == number), None)) is not None:
            return {"id": number, "verified": False, "message": unusable, "reason": "failed"}
        if (note := next((p.note for p in answer.pending if p.id == number), None)) is not None:
            return {"id": number, "verified": False, "message": note, "reason": "pending"}
        place = next((p for p in answer.places if p.id == number), None)
        return {"id": number, "verified": True, **({} if place is None or place.line is None else {"line": place.line})}
