"""Recording where ops run: in which call of which module."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from contextlib import suppress
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.hooks_and_modes import Surroundings
from backscope.recorder.module_path import OWN, ModulePaths, Scope, children, tensors
from backscope.runtime.passive import class_name, own_dict
from backscope.tensor.tensor import Tensor


def calling() -> FrameType | None:
    """The frame that calls the module which is entered; of those between, how many depends on who listens."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "_call_impl":
        frame = frame.f_back
    return None if frame is None else frame.f_back


class Place:
    """A module as one caller reaches it, by the names of a `way` from that caller's module.

    `inside` has the places of what its forward() calls; `times` counts the calls within the caller's call `caller`.
    """

    __slots__ = ("caller", "inside", "known", "module", "number", "path", "times", "way")

    def __init__(self, module: Any, number: int, path: str, way: tuple[str, ...] | None, known: int) -> None:
        self.module = weakref.ref(module)
        self.number = number
        self.path = path
        self.way = way
        self.known = known
        self.inside: dict[int, Place] = {}
        self.caller = self.times = 0


class Whereabouts(Surroundings):
    """Each method is something that the engine tells."""

    __slots__ = ("described", "entered", "modules", "outermost", "placed")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.modules = ModulePaths()
        self.entered: list[tuple[int, Any, Place, int | None]] = []
        self.outermost: dict[int, Place] = {}
        self.described: dict[int, tuple[Any, int]] = {}
        self.placed: dict[int, Any] = {}
        """The module by whose path a tensor goes, for each that goes by one."""

    def module_named(self, name: str, module: Any, line: int | None) -> None:
        """A variable was bound to a module: its parameters and buffers get paths, if it is the first to hold it."""
        for path, moved in self.modules.bind((name, self._scope()), module, self._is_running):
            self._place_tensors(path, moved, line)

    @guarded
    def name_given_up(self, name: str, line: int | None) -> None:
        """A variable that held a module was deleted, or holds something else."""
        for path, module in self.modules.unbind((name, self._scope()), self._is_running):
            self._place_tensors(path, module, line)

    def _place_tensors(self, path: str, module: Any, line: int | None) -> None:
        """The parameters and buffers of a module go by this path, but for those that another module holds as well."""
        for names, tensor in tensors(module):
            token = self.token(tensor, line, "leaf")
            known = self.names.get(token.tensor)
            name = ".".join((path, *names))
            self.bound[name] = token.tensor
            if known is None or known.startswith(OWN) or (known != name and self._gives_way(token.tensor, module)):
                self.names[token.tensor] = name
                self.placed[token.tensor] = weakref.ref(module)
                self.known_as(name, token)
                self.add(say.tensor_named, line, token.tensor, name)

    def _gives_way(self, tensor: int, module: Any) -> bool:
        """Whether a tensor goes by the path of a module that is this one, is inside it, or has no name any more."""
        ref = self.placed.get(tensor)
        if ref is None:
            return False
        home = ref()
        if home is None or home is module or self.modules.way(module, home) is not None:
            return True
        return self.modules.root(home) is None

    def _user_frames(self) -> Iterator[FrameType]:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_globals is self.user_globals:
                yield frame
            frame = frame.f_back

    def _scope(self) -> Scope:
        """Whose variables are bound here."""
        frame = next(self._user_frames(), None)
        if frame is None or not frame.f_code.co_flags & CO_OPTIMIZED:
            return None
        return id(frame), frame.f_code

    def _is_running(self, scope: Scope) -> bool:
        """Whether the call of a function is not over."""
        return scope is None or any(id(f) == scope[0] and f.f_code is scope[1] for f in self._user_frames())

    def keeps_name(self, tensor: Tensor, number: int, known: str) -> bool:
        """Whether a tensor goes by its known name whatever it is bound to later: parameters, and what modules hold."""
        return not known.startswith(OWN) and (number in self.placed or (tensor._requires_grad and tensor.is_leaf))

    @guarded
    def module_entered(self, module: Any) -> None:
        """A module is called."""
        called = self.called_from()
        entered = self.entered
        if entered:
            caller, outer, around, line = entered[-1]
            if called is not None:
                line = called
            place = around.inside.get(id(module))
        else:
            caller, outer, around = 0, None, None
            line = called if called is not None else self.line()
            place = self.outermost.get(id(module))
        if place is None or place.module() is not module or not self._holds(place, outer, module):
            place = self._place(module, outer, around, line)
        if place.caller == caller:
            place.times += 1
        else:
            place.caller = caller
            place.times = 1
        self.count = call = self.count + 1
        entered.append((call, module, place, line))
        self.moments.append((say.module_entered, line, call, place.number, place.path, caller or None, place.times))

    def called_from(self) -> int | None:
        """The user's line that calls the module which is entered, None where it is not the user who does."""
        frame = calling()
        return frame.f_lineno if frame is not None and frame.f_globals is self.user_globals else None

    @guarded
    def module_left(self) -> None:
        """The module entered last has returned, or raised."""
        self.moments.append((say.module_left, None, self.entered.pop()[0]))

    @guarded
    def module_hook_registered(self, where: str, hook: str, module: Any) -> None:
        """The user hung a hook on a module."""
        line = self.line()
        own = (own_dict(module).get("_parameters") or {}).values()
        parameters = [self.token(p, line, "leaf").tensor for p in own if isinstance(p, Tensor)]
        self.add(say.module_hook_registered, line, where, hook, self.path_of(module), parameters)

    @guarded
    def transform_entered(self, transform: str, depth: int) -> None:
        """A transform of functions runs one, at `depth` transforms in each other."""
        self.add(say.transform_entered, self.line(), transform, depth)

    @guarded
    def transform_left(self, depth: int) -> None:
        """The transform entered last is done."""
        self.add(say.transform_left, self.line(), depth)

    def _holds(self, place: Place, outer: Any, module: Any) -> bool:
        """Whether a module still has the path that it had before."""
        way = place.way
        if way is None:
            return place.known == self.modules.bindings
        at = outer
        for name in way:
            at = children(at).get(name)
            if at is None:
                return False
        return at is module

    def _place(self, module: Any, outer: Any, around: Place | None, line: int | None) -> Place:
        """The place of a module that is called here for the first time, or came here by another way before."""
        way = None if outer is None else self.modules.way(outer, module)
        path = self.modules.of(module, outer, None if around is None else around.path)
        known = self.described.get(id(module))
        number = known[1] if known is not None and known[0]() is module else self._describe(module, path, line)
        place = Place(module, number, path, way, self.modules.bindings)
        (self.outermost if around is None else around.inside)[id(module)] = place
        return place

    def _describe(self, module: Any, path: str, line: int | None) -> int:
        """Introduce a module that is called for the first time; its identity."""
        number = self.identity()
        self.described[id(module)] = weakref.ref(module), number
        own = (own_dict(module).get("_parameters") or {}).items()
        parameters = [(name, self.token(p, line, "leaf").tensor) for name, p in own if isinstance(p, Tensor)]
        for name, parameter in parameters:
            if parameter not in self.names:  # No variable that is seen holds the module.
                self.names[parameter] = f"{path}.{name}"
                self.placed[parameter] = weakref.ref(module)
                self.add(say.tensor_named, line, parameter, self.names[parameter])
        text = ""
        if type(module).extra_repr.__module__.startswith("backscope."):
            with suppress(Exception):  # Of a module whose attributes are not what they were.
                text = module.extra_repr()
        self.add(say.module_described, line, number, class_name(type(module)), path, text, parameters)
        return number

    def path_of(self, module: Any) -> str:
        """The path of a module, under way or not."""
        for _, at, place, _ in reversed(self.entered):
            if at is module:
                return str(place.path)
        return self.modules.of(module, None, None)
