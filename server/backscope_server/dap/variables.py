"""Variables as an editor shows them: scopes, tensors by rows, containers by their items."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from backscope.diagnosis.why.answer import in_full
from backscope.diagnosis.why.log.facts import incoming
from backscope.protocol import commands as c
from backscope_server.dap import requests as r, tensor_memory
from backscope_server.dap.debuggee import NODE_FRAME, Debuggee
from backscope_server.terminal.debug_session import Impossible
from backscope_server.terminal.view import described

_MOST = 1000
"""Items that are given at once where the editor asks for no part."""
_LONGEST = 500
_ATTRIBUTES = ("grad", "grad_fn", "_version")
_MODULE = (
    "'\\n'.join([*dict(({0}).named_children()), *dict(({0}).named_parameters(recurse=False)),"
    " *dict(({0}).named_buffers(recurse=False))])"
)
_NAME = re.compile(r"[^\W\d]\w*")

Children = Callable[[r.Variables], list[dict[str, Any]]]


class _Held(NamedTuple):
    """What an editor opens by a reference: its variables, and what makes the expression of one by its name."""

    children: Children
    path: Callable[[str], str]


class VariableReferences:
    """Gives references to scopes and variables that have others inside; they hold until the program moves."""

    def __init__(self, debuggee: Debuggee) -> None:
        self._debuggee = debuggee
        self._held: list[_Held] = []

    def forget(self) -> None:
        """Drop all references: the moment that is inspected has changed."""
        self._held.clear()

    def scopes(self, frame: int) -> list[dict[str, Any]]:
        """Return the scopes of a frame, by its id."""
        if frame >= NODE_FRAME:
            node = frame - NODE_FRAME
            return [
                self._scope("Saved tensors", lambda _: self._saved(node)),
                self._scope("Incoming gradient", lambda _: self._incoming(node)),
                self._scope("Gradients (.grad)", lambda _: self._gradients()),
            ]
        number = self._debuggee.number_of_frame(frame)
        local = self._scope("Locals", lambda _: self._locals(number))
        return [{**local, "presentationHint": "locals"}, self._scope("Gradients (.grad)", lambda _: self._gradients())]

    def inside(self, asked: r.Variables) -> list[dict[str, Any]]:
        """Return the variables inside of a reference, or a part of them.

        Raises: Impossible.
        """
        return self._of(asked.variables_reference).children(asked)

    def expression(self, reference: int, name: str) -> str:
        """Return the expression of a variable inside of a reference.

        Raises: Impossible.
        """
        return self._of(reference).path(name)

    def shown(self, name: str, look: c.Look, path: str, frame: int) -> dict[str, Any]:
        """Return a value as a variable; `path` is an expression for it in a frame."""
        text = look.text if "\n" not in look.text else " ".join(look.text.split())
        shown: dict[str, Any] = {
            "name": name,
            "value": text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...",
            "type": look.type,
            "evaluateName": path,
            "variablesReference": 0,
        }
        if look.tensor is not None and look.value is not None:
            shape = list(look.value.shape)
            if in_full(look.value) is None:
                shown["value"] = f"{shape} {look.value.dtype}, norm {_number(look.value.norm)}"
            shown["memoryReference"] = tensor_memory.reference(look.tensor)
            children = self._tensor(look.tensor, shape, [], path, frame)
            shown |= self._reference(children, partial(_child, path))
            shown |= {"indexedVariables": shape[0] if shape else 0, "namedVariables": len(_ATTRIBUTES)}
        elif look.type in ("list", "tuple", "dict") and look.text not in ("[]", "()", "{}"):
            shown |= self._reference(self._items(path, look.type, frame), lambda child: f"{path}{child}")
        elif "\n" in look.text and re.match(r"\w+\(\n", look.text):  # As a module with others inside prints itself.
            shown |= self._reference(self._module(path, frame), partial(_child, path))
        return shown

    def evaluated(self, expression: str, frame: int) -> c.Evaluated:
        """Return the value of an expression in a frame at the moment that is inspected.

        Raises: Impossible.
        """
        answer: c.Evaluated = self._debuggee.look(c.Evaluate(id=0, expression=expression, frame=frame))
        return answer

    def _of(self, reference: int) -> _Held:
        if not 0 < reference <= len(self._held):
            raise Impossible("The program has moved on: look at its variables again.")
        return self._held[reference - 1]

    def _reference(self, children: Children, path: Callable[[str], str]) -> dict[str, Any]:
        self._held.append(_Held(children, path))
        return {"variablesReference": len(self._held)}

    def _scope(self, name: str, children: Children) -> dict[str, Any]:
        return {"name": name, "expensive": False, **self._reference(children, lambda child: child)}

    def _locals(self, frame: int) -> list[dict[str, Any]]:
        listed: c.LocalsListed = self._debuggee.look(c.ListLocals(id=0, frame=frame))
        shown = [self.shown(v.name, v.look, v.name, frame) for v in listed.variables]
        if listed.omitted:
            shown.append(_plain(f"({listed.omitted} more)", ""))
        return shown

    def _gradients(self) -> list[dict[str, Any]]:
        """Return the `.grad` of each variable that has one, as the log has it at the moment."""
        tape, seq = self._debuggee.history.tape, self._debuggee.seq
        shown = []
        for name in sorted(tape.bound):
            number = tape.find(name, seq)
            value = None if number is None else tape.grad(number, seq)
            if value is not None:
                shown.append({**_plain(f"{name}.grad", described(value)), "evaluateName": f"{name}.grad"})
        return shown

    def _saved(self, node: int) -> list[dict[str, Any]]:
        """Return what a node has saved: the value of what it keeps, and which are freed."""
        tape, seq = self._debuggee.history.tape, self._debuggee.seq
        facts = tape.nodes.get(node)
        if facts is None or facts.info is None:
            return []
        kept = {saved.slot for saved in facts.kept(seq)}
        shown = []
        for saved in facts.info.saved:
            slot = saved.slot.removeprefix("_saved_")
            value = None if saved.tensor is None else tape.value(saved.tensor, facts.seq)
            text = "a number" if value is None else described(value)
            shown.append(_plain(slot, text if saved.slot in kept else "freed"))
        return shown

    def _incoming(self, node: int) -> list[dict[str, Any]]:
        debuggee = self._debuggee
        tape = debuggee.history.tape
        facts = tape.nodes.get(node)
        call = debuggee.paused.call if debuggee.live and debuggee.paused is not None else None
        if facts is not None and call is None:
            runs = [run for run in facts.runs if run.seq <= debuggee.seq]
            call = runs[-1].call if runs else None
        value = None if facts is None or call is None else incoming(facts, call)
        if value is not None:
            return [_plain("gradient", described(value))]
        arrived = [] if facts is None or call is None else facts.arrived_in(call, debuggee.seq)
        return [_plain(f"from #{sent.node}", described(sent.value)) for sent in arrived]

    def _tensor(self, tensor: int, shape: list[int], at: list[int], path: str, frame: int) -> Children:
        def children(asked: r.Variables) -> list[dict[str, Any]]:
            shown: list[dict[str, Any]] = []
            if not at and asked.filter != "indexed":
                for attribute in _ATTRIBUTES:
                    try:
                        look = self.evaluated(f"({path}).{attribute}", frame).look
                    except Impossible:
                        continue
                    shown.append(self.shown(attribute, look, _child(path, attribute), frame))
            if asked.filter == "named" or len(at) == len(shape):
                return shown
            first = min(asked.start, shape[len(at)])
            last = min(first + (asked.count or _MOST), shape[len(at)])
            if len(at) + 1 < len(shape):
                for n in range(first, last):
                    inner = [*at, n]
                    row = f"{path}[{n}]"
                    rest = self._reference(self._tensor(tensor, shape, inner, row, frame), partial(_child, row))
                    rest["indexedVariables"] = shape[len(inner)]
                    shown.append({**_plain(f"[{n}]", str(shape[len(inner) :])), **rest})
                return shown
            begin, end = [*at, first], [*(i + 1 for i in at), last]
            read = self._debuggee.read(c.ReadTensor(id=0, tensor=tensor, begin=begin, end=end))
            return shown + [_plain(f"[{first + n}]", _element(value)) for n, value in enumerate(read.values)]

        return children

    def _items(self, path: str, kind: str, frame: int) -> Children:
        def children(asked: r.Variables) -> list[dict[str, Any]]:
            count = int(self.evaluated(f"len({path})", frame).look.text)
            last = min(asked.start + (asked.count or _MOST), count)
            shown = []
            for n in range(asked.start, last):
                key = f"[{n}]"
                if kind == "dict":
                    key = f"[{self.evaluated(f'[*{path}][{n}]', frame).look.text}]"
                shown.append(self.shown(key, self.evaluated(f"({path}){key}", frame).look, f"{path}{key}", frame))
            return shown

        return children

    def _module(self, path: str, frame: int) -> Children:
        def children(_: r.Variables) -> list[dict[str, Any]]:
            names = ast.literal_eval(self.evaluated(_MODULE.format(path), frame).look.text).split("\n")
            paths = [_child(path, name) for name in names if name]
            looks = [self.evaluated(one, frame).look for one in paths]
            return [
                self.shown(one[len(path) :].lstrip("."), look, one, frame)
                for one, look in zip(paths, looks, strict=True)
            ]

        return children


def _child(path: str, name: str) -> str:
    """Return the expression of an attribute, an item or a module inside of `path`."""
    if name.startswith("["):
        return f"{path}{name}"
    return f"{path}.{name}" if _NAME.fullmatch(name) else f"{path}[{name}]"


def _plain(name: str, value: str) -> dict[str, Any]:
    return {"name": name, "value": value, "variablesReference": 0}


def _element(value: Any) -> str:
    return f"{value[0]}{value[1]:+}j" if isinstance(value, (list, tuple)) else str(value)


def _number(value: float | str | None) -> str:
    return "unknown" if value is None else value if isinstance(value, str) else f"{value:.4g}"
