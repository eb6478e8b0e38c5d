"""Records calls of modules: ops run in the innermost of them."""

from __future__ import annotations

import sys
import weakref
from contextlib import suppress
from types import FrameType
from typing import Any

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.journal import Journal
from backscope.recorder.module_path import children
from backscope.recorder.names import Names
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.runtime.passive import class_name, is_a, own_dict
from backscope.tensor.tensor import Tensor


def calling() -> FrameType | None:
    """Return the frame that calls the module which is entered; listeners may have put others between."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "_call_impl":
        frame = frame.f_back
    return None if frame is None else frame.f_back


class Place:
    """A module with the path by which one caller reaches it: the names of a `way` from that caller's module.

    `inside` has the places of the modules that its forward() calls; `times` counts the calls of this module within the
    caller's call `caller`.
    """

    __slots__ = ("caller", "inside", "known", "module", "number", "path", "times", "way")

    def __init__(self, module: object, number: int, path: str, way: tuple[str, ...] | None, known: int) -> None:
        self.module = weakref.ref(module)
        self.number = number
        self.path = path
        self.way = way
        self.known = known
        self.inside: dict[int, Place] = {}
        self.caller = self.times = 0


class ModuleCalls(Listener):
    """Records the moments whose methods it overrides.

    `entered` are the calls that have not returned: number, module, place and line.
    """

    __slots__ = ("code", "described", "entered", "identities", "journal", "names", "outermost")

    def __init__(self, journal: Journal, code: UserCode, identities: Identities, names: Names) -> None:
        self.journal = journal
        self.code = code
        self.identities = identities
        self.names = names
        self.entered: list[tuple[int, Any, Place, int | None]] = []
        self.outermost: dict[int, Place] = {}
        self.described: dict[int, tuple[Any, int]] = {}

    @guarded
    def module_entered(self, module: object) -> None:
        """Record that a module is called."""
        called = self.code.line_in(calling())
        entered = self.entered
        if entered:
            caller, outer, around, line = entered[-1]
            if called is not None:
                line = called
            place = around.inside.get(id(module))
        else:
            caller, outer, around = 0, None, None
            line = called if called is not None else self.code.line()
            place = self.outermost.get(id(module))
        if place is None or place.module() is not module:
            place = self._place(module, outer, around, line)
        elif not self._holds(place, outer, module):
            before, place = place, self._place(module, outer, around, line)
            place.caller, place.times = before.caller, before.times
        if place.caller == caller:
            place.times += 1
        else:
            place.caller = caller
            place.times = 1
        self.identities.count = call = self.identities.count + 1
        entered.append((call, module, place, line))
        self.journal.moments.append(
            (say.module_entered, line, call, place.number, place.path, caller or None, place.times)
        )

    @guarded
    def module_left(self) -> None:
        """Record that the module entered last has returned or raised."""
        self.journal.moments.append((say.module_left, None, self.entered.pop()[0]))

    def _holds(self, place: Place, outer: object, module: object) -> bool:
        """Return True if a module still has the path that it had before."""
        way = place.way
        if way is None:
            return place.known == self.names.modules.bindings
        at = outer
        for name in way:
            at = children(at).get(name)
            if at is None:
                return False
        return at is module

    def _place(self, module: object, outer: object, around: Place | None, line: int | None) -> Place:
        """Return the place of a module that is called here for the first time, or with another path than before."""
        way = None if outer is None else self.names.modules.way(outer, module)
        path = self.names.modules.of(module, outer, None if around is None else around.path)
        known = self.described.get(id(module))
        number = known[1] if known is not None and known[0]() is module else self._describe(module, path, line)
        place = Place(module, number, path, way, self.names.modules.bindings)
        (self.outermost if around is None else around.inside)[id(module)] = place
        return place

    def _describe(self, module: object, path: str, line: int | None) -> int:
        """Record a module that is called for the first time; return its number."""
        number = self.identities.identity()
        self.described[id(module)] = weakref.ref(module), number
        own = (own_dict(module).get("_parameters") or {}).items()
        parameters = [(name, self.identities.token(p, line, "leaf").tensor) for name, p in own if is_a(p, Tensor)]
        for name, parameter in parameters:
            if parameter not in self.names.by_tensor:  # No recorded variable holds the module.
                self.names.place(parameter, f"{path}.{name}", module)
                self.journal.add(say.tensor_named, line, parameter, self.names.by_tensor[parameter])
        text = _extra_repr(module)
        self.journal.add(say.module_described, line, number, class_name(type(module)), path, text, parameters)
        return number

    def path_of(self, module: object) -> str:
        """Return the path of a module, whether a call of it is running or not."""
        for _, at, place, _ in reversed(self.entered):
            if at is module:
                return str(place.path)
        return self.names.modules.of(module, None, None)


def _extra_repr(module: Any) -> str:
    """Return the text of a module's options where the engine makes it, empty where code of the program would run."""
    kind: Any = type(module)
    if not kind.extra_repr.__module__.startswith("backscope.") or kind.__getattribute__ is not object.__getattribute__:
        return ""
    with suppress(Exception):  # The program may have changed the attributes.
        return str(module.extra_repr())
    return ""
