"""Breakpoints on names that nothing has so far: a note for the user, with the name that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from backscope.autograd.node import Node
from backscope.debugger.source_names import SourceNames
from backscope.diagnosis.misspelling import nearest
from backscope.ops.core.declaration import Op
from backscope.protocol import commands as c
from backscope.runtime.passive import class_name
from backscope.runtime.spelling import spellings
from backscope.tensor.tensor import Tensor

_ROOT = re.compile(r"\w*")
_LONGEST_SHOWN = 60


class Pending:
    """Finds the breakpoints on names that neither the program's source nor its run so far has.

    They are set all the same: a program can make names that its source does not show.
    """

    def __init__(self, source: str, bound: Mapping[str, int]) -> None:
        """`bound` has the tensors of the program's variables so far."""
        self._source = source
        self._bound = bound

    @cached_property
    def _names(self) -> SourceNames:
        return SourceNames(self._source)

    def note(self, b: c.Breakpoint) -> str | None:
        """Return what to say of a breakpoint on an unknown name, None for any other breakpoint."""
        if isinstance(b, c.OpBreakpoint):
            return self._op(b.name)
        if isinstance(b, c.TensorBreakpoint) and isinstance(b.tensor, str):
            return self._tensor(b.tensor)
        if isinstance(b, c.FreedBreakpoint) and b.name is not None:
            return self._unknown("grad_fn", b.name, self._nodes())
        if isinstance(b, c.HookBreakpoint) and b.name not in (None, "<lambda>"):
            return self._unknown("hook", b.name, {*self._names.functions, *self._names.classes, *self._names.imported})
        if isinstance(b, c.ExceptionBreakpoint) and b.type is not None:
            exceptions = {class_name(kind) for kind in _subclasses(BaseException)} | {"BaseException"}
            return self._unknown("exception", b.type, exceptions | self._names.classes | self._names.imported)
        return None

    @staticmethod
    def file_note(name: str | None) -> str:
        """Return what to say of a breakpoint in a file that has not been imported so far."""
        return f"{name} has not been imported so far; the breakpoint waits for that."

    def _op(self, name: str) -> str | None:
        nodes = self._nodes()
        # A node is named as its custom Function, with this ending.
        ops = {"detach", *(one.removesuffix("Backward") for one in nodes), *self._known_ops()}
        if name in ops or (name.endswith("_") and (name[:-1] in ops or hasattr(Tensor, name))):
            return None
        if "." in name and name.partition(".")[0] in self._names.variables:  # A module, whose path it may become.
            return None
        unknown = self._unknown("op or grad_fn", name, ops | nodes)
        if unknown is None or name not in self._names.variables:
            return unknown
        line = self._names.functions.get(name)
        other = (
            "a variable: break at its tensor" if line is None else f"a function: break at a line of it, from {line} on"
        )
        return f"{_none('op or grad_fn', name)} {name} is {other}."

    def _nodes(self) -> set[str]:
        """Return the names of nodes, with those of the program's custom Functions."""
        return self._known_nodes() | {f"{name}Backward" for name in self._names.classes}

    def _known_ops(self) -> set[str]:
        """Return the names of ops, with which a program may have others."""
        ops: set[str] = set()
        for kind in _subclasses(Node):
            op = kind.__dict__.get("op")
            if isinstance(op, Op):
                ops |= {op.name, op.torch_name}
        return ops

    def _known_nodes(self) -> set[str]:
        """Return the names of nodes, with which a program may have others."""
        return {class_name(kind) for kind in _subclasses(Node)}

    def _tensor(self, name: str) -> str | None:
        bound, variables = self._bound, self._names.variables
        root = _ROOT.match(name)[0]  # type: ignore[index]
        inside = [one for one in bound if one.startswith((f"{root}.", f"{root}["))]
        if (
            any(one in bound or one in self._names.attributes for one in spellings(name))
            or (name == root and root in variables)
            # A path such as net.fc.weight, before the module is made.
            or (root in variables and not inside and not name.endswith(".grad"))
        ):
            return None
        if name.endswith(".grad"):
            instead = f"Break at {name.removesuffix('.grad')}, where its gradient comes or .grad is updated."
            return f"{_none('variable', name)} {instead}"
        return self._unknown("variable", name, inside or {*variables, *bound})

    def _unknown(self, what: str, name: str, known: Iterable[str]) -> str | None:
        """Return the note on a name that is not among those that are known."""
        known = set(known)
        if name in known:
            return None
        meant = f"{name}0" if f"{name}0" in known else nearest(name, sorted(known))
        return f"{_none(what, name)}{'' if meant is None else f' Did you mean {meant}?'}"


def _none(what: str, name: str) -> str:
    shown = name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}..."
    return f"No {what} is named {shown} so far; the breakpoint waits for one."


def _subclasses(kind: type) -> Iterator[type]:
    """Yield the classes that derive from a class, without calling metaclasses."""
    waiting, seen = [kind], {kind}
    while waiting:
        below: list[type] = type.__subclasses__(waiting.pop())
        for one in below:
            if one not in seen:
                seen.add(one)
                waiting.append(one)
                yield one
