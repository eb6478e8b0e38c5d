"""Records the names of tensors and modules: variables of the program, and paths of parameters."""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

from backscope.recorder import narration as say
from backscope.recorder.framework import ENGINE, Framework
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.journal import Journal
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.module_path import OWN, ModulePaths, Scope, tensors
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.sweep import Sweep
from backscope.recorder.user_code import UserCode
from backscope.runtime.listening import hub

MOST_NAMED = 100
"""Items of a list or a dict up to which these get the names of their places."""


class Names(ProgramListener):
    """Records the moments whose methods it overrides.

    `by_tensor` has the name of a tensor by its number, `bound` the number of a tensor by each name that it has,
    `placed` the module whose path a tensor has, for each that has one.  The entries of tensors that no longer exist are
    removed from `by_tensor` by the journal, from the others by a sweep.
    """

    __slots__ = (
        "_kept_last", "_sweep", "bound", "by_tensor", "code", "framework", "identities", "journal", "modules", "placed",
        "sharing",
    )  # fmt: skip

    def __init__(
        self,
        journal: Journal,
        code: UserCode,
        identities: Identities,
        sharing: MemorySharing,
        by_tensor: dict[int, str],
        framework: Framework = ENGINE,
    ) -> None:
        self.journal = journal
        self.code = code
        self.identities = identities
        self.sharing = sharing
        self.by_tensor = by_tensor
        self.framework = framework
        self.bound: dict[str, int] = {}
        self.modules = ModulePaths()
        self.placed: dict[int, weakref.ref[Any]] = {}
        self._kept_last: tuple[int, str] | None = None
        self._sweep = Sweep(journal.live_tensors, (self.placed,), self.bound)

    # Any: a variable has a value of any type.
    @guarded
    def named(self, name: str, value: Any, line: int) -> None:
        """Record the name of a variable that was bound to a tensor, a module, or a short list or dict of these.

        Within `__torch_function__` or `__torch_dispatch__` nothing is recorded: it has its own names for arguments.
        """
        if hub.handlers:
            return
        kind = type(value)
        framework = self.framework
        if name in self.modules.names and not framework.is_module(value):
            self.name_given_up(name, line)
        if issubclass(kind, framework.tensor):
            token = framework.token_of(value)
            if token is None or token.identities is not self.identities:
                token = self.identities.token(value, line, "alias")
            number = token.tensor
            known = self.by_tensor.get(number)
            if known == name and self.bound.get(name) == number:
                return
            if known is None or not self.keeps_name(value, number, known):
                self.by_tensor[number] = name
            elif self.bound.get(name) == number:
                return
            self.bound[name] = number
            self.sharing.known_as(name, token)
            self.journal.add(say.tensor_named, line, number, name)
            self._sweep.run_if_due()
        elif issubclass(kind, (list, tuple)):
            held = list if issubclass(kind, list) else tuple
            for i, item in enumerate(held.__iter__(value) if held.__len__(value) <= MOST_NAMED else ()):
                self._named_inside(f"{name}[{i}]", item, line)
        elif issubclass(kind, dict):
            for key, item in dict.items(value) if dict.__len__(value) <= MOST_NAMED else ():
                self._named_inside(f"{name}[{say.text(key)}]", item, line)
        elif framework.is_module(value):
            self.module_named(name, value, line)

    # Any: a variable has a value of any type.
    @guarded
    def kept(self, holder: str, container: Any, line: int) -> None:
        """Record that a container of the program keeps its newest item, if that is a tensor with a grad_fn."""
        kind = type(container)
        try:
            if kind is list or kind is deque:
                newest = container[-1]
            elif kind is dict:
                newest = next(reversed(container.values()))
            else:
                return
        except (IndexError, StopIteration):
            return
        if self.framework.is_tensor(newest) and self.framework.grad_fn_of(newest) is not None:
            kept = self.identities.token(newest, line, "tensor").tensor, holder
            if kept != self._kept_last:  # The frame of the method and that of its caller may both show it.
                self._kept_last = kept
                self.journal.add(say.tensor_kept, line, *kept)

    def _named_inside(self, name: str, item: object, line: int) -> None:
        """Name an item of a list or dict by its place, if it is a module or a tensor without a name."""
        if self.framework.is_tensor(item):
            token = self.framework.token_of(item)
            if token is None or token.tensor not in self.by_tensor:
                self.named(name, item, line)
        elif self.framework.is_module(item):
            self.module_named(name, item, line)

    def module_named(self, name: str, module: object, line: int | None) -> None:
        """Record the paths of the parameters and buffers of a module that a variable was bound to, if they changed."""
        for path, moved in self.modules.bind((name, self._scope()), module, self._is_running):
            self._place_tensors(path, moved, line)
        self._sweep.run_if_due()

    @guarded
    def name_given_up(self, name: str, line: int | None) -> None:
        """Record the new paths of the tensors of a module after a variable that held it was deleted or bound anew."""
        for path, module in self.modules.unbind((name, self._scope()), self._is_running):
            self._place_tensors(path, module, line)

    def _place_tensors(self, path: str, module: object, line: int | None) -> None:
        """Give the parameters and buffers of a module this path, except those that another module holds as well."""
        for names, tensor in tensors(module, self.framework.tensor):
            token = self.identities.token(tensor, line, "leaf")
            known = self.by_tensor.get(token.tensor)
            name = ".".join((path, *names))
            self.bound[name] = token.tensor
            if known is None or known.startswith(OWN) or (known != name and self._gives_way(token.tensor, module)):
                self.place(token.tensor, name, module)
                self.sharing.known_as(name, token)
                self.journal.add(say.tensor_named, line, token.tensor, name)

    def place(self, tensor: int, name: str, module: object) -> None:
        """Give a tensor, by its number, the path inside a module as its name."""
        self.by_tensor[tensor] = name
        self.placed[tensor] = weakref.ref(module)
        self._sweep.run_if_due()

    def _gives_way(self, tensor: int, module: object) -> bool:
        """Return True if a tensor has the path of a module that is this one, is inside it, or has lost its name."""
        ref = self.placed.get(tensor)
        if ref is None:
            return False
        home = ref()
        if home is None or home is module or self.modules.way(module, home) is not None:
            return True
        return self.modules.root(home) is None

    def _frames(self) -> Iterator[FrameType]:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self.code.owns(frame):
                yield frame
            frame = frame.f_back

    def _scope(self) -> Scope:
        """Return the innermost frame of the program, the one that binds variables now; None at module level."""
        frame = next(self._frames(), None)
        if frame is None or not frame.f_code.co_flags & CO_OPTIMIZED:
            return None
        return id(frame), frame.f_code

    def _is_running(self, scope: Scope) -> bool:
        """Return True if the call of a function has not returned."""
        return scope is None or any(id(f) == scope[0] and f.f_code is scope[1] for f in self._frames())

    # Any: a tensor of the framework.
    def keeps_name(self, tensor: Any, number: int, known: str) -> bool:
        """Return True if a tensor keeps its name when it is bound to another: a parameter, or a tensor of a module."""
        if known.startswith(OWN):
            return False
        framework = self.framework
        return number in self.placed or (framework.requires_grad_of(tensor) and framework.grad_fn_of(tensor) is None)
