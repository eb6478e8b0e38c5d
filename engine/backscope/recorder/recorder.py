"""Listens to the engine and records its moments, from which the journal makes events.

On the hot path a moment is a small tuple with captured values; events are built and encoded when the journal drains.
"""

from __future__ import annotations

import sys
import traceback
from collections import deque
from collections.abc import Iterator
from types import FrameType
from typing import Any

from backscope.diagnosis import diagnose
from backscope.diagnosis.user_frame import Frame, ends
from backscope.recorder import narration as say
from backscope.recorder.backward_events import Passes
from backscope.recorder.guarded import guarded
from backscope.recorder.identity import new_token
from backscope.runtime import passive
from backscope.runtime.error_facts import node_of
from backscope.runtime.listening import hub
from backscope.runtime.passive import is_a, is_module, shown_name
from backscope.tensor.tensor import Tensor

MOST_NAMED = 100
"""Items of a list or a dict up to which these get the names of their places."""


class Recorder(Passes):
    """Each method is something that the engine tells, here or where the classes below it have it."""

    __slots__ = ()

    @guarded
    def created(self, tensor: Tensor, origin: str) -> None:
        """A creation function made a tensor."""
        self.token(tensor, self.spot(), origin)

    @guarded
    def named(self, name: str, value: Any, line: int) -> None:
        """A variable of the program was bound; tensors, and those in a short list, a dict or a module, get its name.

        What a handler of ops calls its arguments says nothing of them.
        """
        if hub.handlers:
            return
        kind = type(value)
        if name in self.modules.names and not is_module(value):
            self.name_given_up(name, line)
        if issubclass(kind, Tensor):
            token = value._token
            if token is None or token.recorder is not self:
                token = self.token(value, line, "alias")
            number = token.tensor
            known = self.names.get(number)
            if known == name and self.bound.get(name) == number:
                return
            if known is None or not self.keeps_name(value, number, known):
                self.names[number] = name
            elif self.bound.get(name) == number:
                return
            self.bound[name] = number
            self.known_as(name, token)
            self.add(say.tensor_named, line, number, name)
        elif issubclass(kind, (list, tuple)):
            held = list if issubclass(kind, list) else tuple
            for i, item in enumerate(held.__iter__(value) if held.__len__(value) <= MOST_NAMED else ()):
                self._named_inside(f"{name}[{i}]", item, line)
        elif issubclass(kind, dict):
            for key, item in dict.items(value) if dict.__len__(value) <= MOST_NAMED else ():
                self._named_inside(f"{name}[{say.text(key)}]", item, line)
        elif is_module(value):
            self.module_named(name, value, line)

    @guarded
    def kept(self, holder: str, container: Any, line: int) -> None:
        """A container of the program's took something in: told of the newest, if it is a tensor with a history."""
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
        if is_a(newest, Tensor) and newest._grad_fn is not None:
            self.add(say.tensor_kept, line, self.token(newest, line, "tensor").tensor, holder)

    def _named_inside(self, name: str, item: Any, line: int) -> None:
        """Something in a list or a dict: a name of its own comes before that of its place."""
        if is_a(item, Tensor):
            if item._token is None or item._token.tensor not in self.names:
                self.named(name, item, line)
        elif is_module(item):
            self.module_named(name, item, line)

    @guarded
    def mutated(self, tensor: Tensor, how: str) -> None:
        """A tensor's memory was replaced or changed other than by an op."""
        self.changed(how, tensor, self.line())

    @guarded
    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """A tensor over the memory of `source` came to be off the tape."""
        line = self.line()
        whole = self.token(source, line, "tensor")
        token = new_token(self, tensor, self.identity(), whole.storage, line)
        self.shares(whole)
        self.add(say.tensor_created, line, origin, self.info(tensor, token))

    @guarded
    def requires_grad_changed(self, tensor: Tensor) -> None:
        """A tensor's requires_grad was set."""
        line = self.line()
        self.add(say.requires_grad_changed, line, self.token(tensor, line, "tensor").tensor, tensor._requires_grad)

    @guarded
    def rebased(self, tensor: Tensor, node: Any) -> None:
        """An in-place change gave a tensor a new grad_fn."""
        line = self.line()
        self.add(say.graph_rebased, line, self.token(tensor, line, "tensor").tensor, self.node_info(node, line))

    @guarded
    def grad_cleared(self, tensor: Tensor, how: str, by: str = "user") -> None:
        """`.grad` was emptied or assigned."""
        line = self.spot()
        value = None if tensor._grad is None else self.value(tensor._grad._data)
        self.add(say.grad_cleared, line, self.token(tensor, line, "tensor").tensor, how, by, value)

    @guarded
    def backward_failed(self, error: BaseException) -> None:
        """A backward pass ends with an exception; `running` still has the node."""
        node = node_of(error) or (self.running[-1] if self.running else None)
        line = self.line()
        inner = self.frames(traceback.walk_tb(error.__traceback__))
        outer = self.frames(traceback.walk_stack(sys._getframe(1)))[::-1]
        trace = ends([*outer, *inner] if inner else [])
        own = inner[-1][0] if inner else line
        why = diagnose.explain(error, self, line)
        self.failed("engine", shown_name(type(error)), text_of(error), own, None, trace, node, why)
        self.reported = error

    def frames(self, walk: Iterator[tuple[FrameType, int]]) -> list[Frame]:
        """The frames of the user's code among those of a stack or a traceback."""
        return [(line, frame.f_code, line) for frame, line in walk if frame.f_globals is self.user_globals]


def text_of(error: BaseException, *, shown: bool = False) -> str:
    """An exception's text; where Python has not `shown` it, without running what the program does for it."""
    try:
        return str(error) if shown or passive.has_plain_text(error) else passive.text_of_error(error)
    except BaseException:  # noqa: BLE001 - the text of what it was made with may be the program's
        return "(its text could not be made)"
