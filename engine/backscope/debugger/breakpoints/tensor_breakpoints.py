"""Breakpoints on tensors: each names a tensor by its identity or by a variable, and the tensor may not exist yet."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TypeAlias

from backscope.autograd.node import Node
from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.debugger.tensor_search import find_tensor
from backscope.recorder.memory_sharing import overlap
from backscope.recorder.recorder import Recorder
from backscope.runtime.spelling import spellings
from backscope.tensor.tensor import Tensor

TensorKey: TypeAlias = int | str
"""A tensor's identity in the recording, or the name of a variable that holds it."""


class TensorBreakpoints:
    """`by_event` has the breakpoints by what happens to the tensor, such as "created" or "changed".

    `awaited` has those on the creation of an identity that is not given yet.  `variables` has what each name was bound
    to last.  `stop_soon` is called when a breakpoint is reached outside of any moment.
    """

    def __init__(self, recorder: Recorder, reached: ReachedBreakpoints, stop_soon: Callable[[], None]) -> None:
        self.by_event: dict[str, list[tuple[TensorKey, Armed]]] = {}
        self.awaited: dict[int, list[Armed]] = {}
        self.variables: dict[str, int | None] = {}
        self._recorder = recorder
        self._reached = reached
        self._stop_soon = stop_soon
        self._producers: dict[int, Callable[[], Node | None] | None] = {}
        """By a tensor's identity, the node where its gradient is complete, which outlives the tensor."""
        self._by_number: dict[int, Callable[[], Tensor | None]] = {}
        self._nameless: dict[int, Callable[[], Tensor | None]] = {}
        self._released: dict[int, tuple[list[Armed], weakref.ref[Tensor]]] = {}
        """By identity, the breakpoints on a tensor's release, and the reference that notices it."""

    def add(self, armed: Armed, tensor: TensorKey, when: str) -> None:
        """Add a breakpoint on the event `when` of a tensor."""
        entries = self.by_event.setdefault(when, [])
        if isinstance(tensor, str):
            for name in spellings(tensor):
                entries.append((name, armed))
                self.variables.setdefault(name, self._recorder.names.bound.get(name))
            return
        entries.append((tensor, armed))
        if when in ("created", "released"):
            waiting = self.awaited.setdefault(tensor, [])
            if when == "created":
                waiting.append(armed)
        if when == "gradient":
            self._producers.setdefault(tensor, None)

    @property
    def follows_creation(self) -> bool:
        """True if each new tensor has to be passed to came_to_be()."""
        return bool(self.awaited or self._producers)

    @property
    def follows_producers(self) -> bool:
        """True if the nodes of tensors are followed, also when an in-place op gives a tensor a new one."""
        return bool(self._producers)

    def keys(self, *events: str) -> set[TensorKey]:
        """Return the tensors that the breakpoints on some events name."""
        return {key for event in events for key, _ in self.by_event.get(event, ())}

    def concern(self, event: str) -> bool:
        """Return whether a tensor exists by now that has a breakpoint on `event`."""
        bound, count = self._recorder.names.bound, self._recorder.identities.count
        keys = [key for key, _ in self.by_event.get(event, ())]
        return any(key in bound if isinstance(key, str) else key <= count for key in keys)

    def happened(self, event: str, tensor: Tensor) -> None:
        """Reach the breakpoints on an event of a tensor."""
        self._reached.add(armed for key, armed in self.by_event.get(event, ()) if self._is(tensor, key))

    def producers(self) -> set[Node]:
        """Return the nodes where the gradients of tensors with a breakpoint are complete."""
        nodes = [self._producer(key) for key, _ in self.by_event.get("gradient", ())]
        return {node for node in nodes if node is not None}

    def before_node(self, node: Node) -> None:
        """Reach the breakpoints on tensors that have a complete gradient before `node` runs."""
        for key, armed in self.by_event.get("gradient", ()):
            if self._producer(key) is node:
                self._reached.add([armed])

    def changed(self, tensor: Tensor) -> None:
        """Reach the breakpoints on a tensor that changed in place, and on those that share its memory."""
        token = tensor._token
        if token is None:
            return
        self.happened("changed", tensor)
        others = self._recorder.changes.sharing.others(tensor, token.storage)
        for other in others:
            self.happened("changed", other)
        self._reached.add(
            armed
            for key, armed in self.by_event["changed"]
            if isinstance(key, int) and self._shares_unnamed(key, tensor, others)
        )

    def came_to_be(self, tensor: Tensor) -> None:
        """Reach the breakpoints on a new tensor; a second call for the same tensor does nothing."""
        token = tensor._token
        if token is None:
            return
        if found := self.awaited.pop(token.tensor, None):
            self._reached.add(found)
        if "released" in self.by_event:
            self.follow(tensor)
        if token.tensor in self._producers and tensor._grad_fn is not None:
            self._producers[token.tensor] = weakref.ref(tensor._grad_fn)
            self._by_number[token.tensor] = weakref.ref(tensor)

    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """Reach the breakpoints on a new tensor over the memory of `source`."""
        self.came_to_be(tensor)

    def introduced(self, tensor: Tensor) -> None:
        """Reach the breakpoints on a tensor that neither an op nor a creation function made."""
        self.came_to_be(tensor)
        if self._reached.entries:
            self._stop_soon()

    def named(self, name: str, value: object, line: int) -> None:
        """Reach the breakpoints on a variable that was bound; a container's tensors may have names too."""
        of_tensor, new = isinstance(value, Tensor), False
        for one in (name,) if of_tensor else tuple(self.variables):
            number = self._recorder.names.bound.get(one)
            if number is not None and one in self.variables and self.variables[one] != number:
                self.variables[one], new = number, True
                self._reached.add(armed for key, armed in self.by_event.get("created", ()) if key == one)
        if "released" in self.by_event:
            if isinstance(value, Tensor):
                self.follow(value)
            elif new:
                self.follow_existing()

    def follow(self, tensor: Tensor) -> None:
        """Notice the release of a tensor, if a breakpoint is on that."""
        for key, armed in self.by_event.get("released", ()):
            if self._is(tensor, key):
                number = tensor._token.tensor
                if number not in self._released:
                    waiting: list[Armed] = []
                    self._released[number] = waiting, weakref.ref(tensor, self._on_release(waiting))
                waiting = self._released[number][0]
                if armed not in waiting:
                    waiting.append(armed)

    def follow_existing(self) -> None:
        """Notice the release of tensors that exist already, if breakpoints are on that."""
        for key, _ in self.by_event.get("released", ()):
            number = self._number(key)
            if number is not None and number <= self._recorder.identities.count:
                tensor = find_tensor(self._recorder, number)
                if tensor is not None:
                    self.follow(tensor)

    def _on_release(self, waiting: list[Armed]) -> Callable[[weakref.ref[Tensor]], None]:
        def released(_: weakref.ref[Tensor]) -> None:
            self._reached.add(waiting, "The tensor was released.")
            self._stop_soon()

        return released

    def _number(self, key: TensorKey) -> int | None:
        return self._recorder.names.bound.get(key) if isinstance(key, str) else key

    def _is(self, tensor: Tensor, key: TensorKey) -> bool:
        token = tensor._token
        if token is None or token.identities is not self._recorder.identities:
            return False
        return bool(token.tensor == self._number(key))

    def _tensor(self, key: TensorKey) -> Tensor | None:
        """Return a tensor by its identity or its variable, or None where it does not exist."""
        number = self._number(key)
        if number is None:
            return None
        known = self._by_number.get(number)
        if known is None:
            found = find_tensor(self._recorder, number)
            known = self._by_number[number] = weakref.ref(found) if found is not None else _gone
        return known()

    def _producer(self, key: TensorKey) -> Node | None:
        """Return the node where a tensor's gradient is complete, also once the tensor is gone; None if unknown."""
        tensor = self._tensor(key)
        if tensor is not None:
            return tensor._grad_fn
        known = None if isinstance(key, str) else self._producers.get(key)
        return None if known is None else known()

    def _shares_unnamed(self, number: int, tensor: Tensor, others: list[Tensor]) -> bool:
        """Return whether a tensor shares the memory that changed, but the change is not recorded for it."""
        if number > self._recorder.identities.count or number in [o._token.tensor for o in (tensor, *others)]:
            return False
        if number not in self._nameless:
            found = find_tensor(self._recorder, number)
            self._nameless[number] = _gone if found is None else weakref.ref(found)
        other = self._nameless[number]()
        return (
            other is not None and other._token.storage == tensor._token.storage and overlap(other._data, tensor._data)
        )


def _gone() -> None:
    return None
