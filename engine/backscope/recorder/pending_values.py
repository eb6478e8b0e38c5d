"""Values that were recorded and are not written yet: held by reference, captured before their memory changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.recorder.guarded import guarded
from backscope.recorder.journal import Journal
from backscope.runtime.listening import hub
from backscope.runtime.shared_memory import exposed, owner
from backscope.summary.summary import Held, capture, copied
from backscope.tensor.tensor import Tensor

ndarray = np.ndarray
new: Callable[[Any], Any] = object.__new__

COPIED = 256
"""Elements up to which an array is copied."""

HELD_BYTES = 16 << 20
"""How much memory is held at most; an array above a quarter of it is captured at once."""


class PendingValues:
    """Holds the arrays whose changes the engine sees; others are captured at once."""

    __slots__ = ("held", "held_bytes", "journal", "views")

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.held: dict[int, Held] = {}
        self.views: dict[int, list[Held]] = {}
        self.held_bytes = 0
        journal.written = self.let_go

    def value(self, data: Any) -> Any:
        """A raw value as it is now, or a reference that stands for it."""
        return self.array(data) if data.__class__ is ndarray else capture(data)

    def array(self, data: Any) -> Any:
        """The value of an array: a copy of a small one, which costs no more than a reference."""
        if data.size <= COPIED:
            return copied(data)
        number = id(data)
        held = self.held.get(number)
        if held is not None:
            return held
        memory = data.base
        if memory is None:
            memory = data
        elif memory.__class__ is not ndarray or memory.base is not None:
            memory = owner(data)
            if not isinstance(memory, ndarray):
                return capture(data)
        nbytes = memory.nbytes
        if nbytes > HELD_BYTES >> 2 or (exposed and id(memory) in exposed):
            return capture(data)
        if self.held_bytes + nbytes > HELD_BYTES:
            self.capture_all()
        # The timer may ask to drain between any two calls, which puts other dictionaries in the place of these.
        held = new(Held)
        held.array = data
        held.keeps = nbytes
        held.change = None
        self.held[number] = held
        if memory is not data:
            number = id(memory)
            views = self.views.get(number)
            if views is None:
                self.views[number] = [held]
            else:  # Their memory is kept once, and counted once.
                held.keeps = nbytes = 0
                views.append(held)
                if self.views.get(number) is not views:
                    self.views[number] = [*self.views.get(number, ()), held]
        self.held_bytes += nbytes
        hub.keeper = self
        return held

    def gradient(self, gradient: Any) -> Any:
        """A gradient, raw or Tensor, as it is now."""
        if gradient.__class__ is ndarray:
            return self.array(gradient)
        if isinstance(gradient, np.generic):
            return gradient
        return self.value(gradient._data) if isinstance(gradient, Tensor) else capture(gradient)

    def capture_all(self) -> None:
        """Hold nothing any more: the memory may be used again."""
        busy, self.journal.draining = self.journal.draining, True
        try:
            for held in self.held.values():
                held.capture()
            self.let_go()
        finally:
            self.journal.draining = busy

    @guarded
    def before_change(self, data: Any) -> None:
        """The memory of an array is about to be written to."""
        if data.__class__ is not ndarray:
            return
        busy, self.journal.draining = self.journal.draining, True
        found: list[Held] = []
        try:
            memory = data if data.base is None else owner(data)
            whole = self.held.pop(id(memory), None)
            if whole is not None:
                self.held_bytes -= whole.keeps
                found.append(whole)
            for view in self.views.pop(id(memory), ()):
                if view.array is not None:
                    self.held.pop(id(view.array), None)
                    self.held_bytes -= view.keeps
                    found.append(view)
            for held in found:
                held.capture()
        except BaseException:
            self._give_up(found)
            raise
        finally:
            self.journal.draining = busy

    def _give_up(self, found: list[Held]) -> None:
        """Hold nothing any more, after a failure: what cannot be captured is told without its numbers."""
        for held in (*found, *self.held.values()):
            try:
                held.capture()
            except Exception:  # noqa: BLE001 - the first failure is reported, and others have the same cause
                held.lose()
        self.let_go()

    def holds(self, data: Any) -> bool:
        """Whether an array is held, by one reference."""
        return id(data) in self.held

    def forget(self) -> None:
        """Drop all moments that were not told yet, and what is held for them."""
        self.journal.moments.clear()
        self.held.clear()
        self.views.clear()
        self.let_go()

    def let_go(self) -> None:
        """Drop values that are in events; keep those of a moment that is still being recorded."""
        self.held = {number: held for number, held in self.held.items() if held.array is not None}
        self.views = {number: [v for v in views if v.array is not None] for number, views in self.views.items()}
        self.views = {number: views for number, views in self.views.items() if views}
        for views in self.views.values():
            if not any(v.keeps for v in views):
                views[0].keeps = owner(views[0].array).nbytes
        self.held_bytes = sum([held.keeps for held in self.held.values()])
        if not self.held and hub.keeper is self:
            hub.keeper = None
