"""Values that are recorded and not yet written: held by reference, and captured before their memory changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.recorder.guarded import guarded
from backscope.recorder.journal import Journal
from backscope.recorder.narration.narrator import Captured
from backscope.recorder.tensor_slots import data_of
from backscope.runtime.given import Array
from backscope.runtime.listening import hub
from backscope.runtime.passive import is_a
from backscope.runtime.shared_memory import exposed, owner
from backscope.summary.summary import Held, capture, copied
from backscope.tensor.tensor import Tensor

ndarray = np.ndarray
float32, float64 = np.float32, np.float64
new: Callable[[Any], Any] = object.__new__

COPIED = 256
"""Elements up to which an array is copied."""

HELD_BYTES = 16 << 20
"""Bytes of memory that are held at most; an array above a quarter of that is captured at once."""


class PendingValues:
    """Holds arrays whose memory only the engine changes; others are captured at once.

    `held` has the held arrays by id, `views` those of them that are views by the id of the array with their memory.
    """

    __slots__ = ("held", "held_bytes", "journal", "views")

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.held: dict[int, Held] = {}
        self.views: dict[int, list[Held]] = {}
        self.held_bytes = 0
        journal.written = self.let_go

    def value(self, data: Array) -> Captured:
        """Return a raw value as it is now: captured, or held."""
        return self.array(data) if data.__class__ is ndarray else capture(data)

    def array(self, data: Array) -> Captured:
        """Return the value of an array: held, or a copy of a small one, which takes no more time."""
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
        # A timer may drain the journal between any two calls, which replaces these dictionaries.
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
            else:  # Several views keep the same memory, which counts once.
                held.keeps = nbytes = 0
                views.append(held)
                if self.views.get(number) is not views:
                    self.views[number] = [*self.views.get(number, ()), held]
        self.held_bytes += nbytes
        hub.keeper = self
        return held

    def gradient(self, gradient: Array | Tensor) -> Captured:
        """Return the value of a gradient, raw or Tensor, as it is now."""
        kind = type(gradient)
        if kind is ndarray:
            return self.array(gradient)
        if kind is float32 or kind is float64 or issubclass(kind, np.generic):
            return gradient
        return self.value(data_of(gradient)) if is_a(gradient, Tensor) else capture(gradient)

    def capture_all(self) -> None:
        """Capture all values that are held, so that their memory may be used again."""
        busy, self.journal.draining = self.journal.draining, True
        try:
            for held in self.held.values():
                held.capture()
            self.let_go()
        finally:
            self.journal.draining = busy

    @guarded
    def before_change(self, data: Array) -> None:
        """Capture what is held of an array's memory, before it is written to."""
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
        """Capture all values after a failure; one that cannot be captured loses its numbers."""
        for held in (*found, *self.held.values()):
            try:
                held.capture()
            except Exception:  # noqa: BLE001 - the first failure is reported, and others have the same cause
                held.lose()
        self.let_go()

    def holds(self, data: Array) -> bool:
        """Return True if an array is held, by one reference."""
        return id(data) in self.held

    def forget(self) -> None:
        """Drop all moments that were not written yet, and the values that are held for them."""
        self.journal.moments.clear()
        self.held.clear()
        self.views.clear()
        self.let_go()

    def let_go(self) -> None:
        """Drop values that were written; keep those of a moment that is still being recorded."""
        self.held = {number: held for number, held in self.held.items() if held.array is not None}
        self.views = {number: [v for v in views if v.array is not None] for number, views in self.views.items()}
        self.views = {number: views for number, views in self.views.items() if views}
        for views in self.views.values():
            if not any(v.keeps for v in views):
                views[0].keeps = owner(views[0].array).nbytes
        self.held_bytes = sum([held.keeps for held in self.held.values()])
        if not self.held and hub.keeper is self:
            hub.keeper = None
