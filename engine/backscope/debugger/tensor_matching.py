"""Which breakpoints on tensors are reached: tensors go by an identity or by a variable, and may not be there yet."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

from backscope.debugger.breakpoint import Armed, Reached
from backscope.recorder.memory_sharing import overlap
from backscope.recorder.recorder import Recorder
from backscope.tensor.tensor import Tensor


class TensorMatching:
    """The breakpoints on tensors; `reached` collects the breakpoints that moments reach.

    `soon` is called when something outside of any moment reaches one.
    """

    def __init__(self, recorder: Recorder, soon: Callable[[], None]) -> None:
        self.recorder = recorder
        self.reached: list[Reached] = []
        self._soon = soon
        self._tensors: dict[str, list[tuple[int | str, Armed]]] = {}
        self._made: dict[int | str, list[Armed]] = {}
        self._sources: dict[int, Callable[[], Any] | None] = {}
        """The node where the gradient of a tensor is complete, which outlives it, by the tensor's identity."""
        self._bound: dict[str, int | None] = {}
        self._followed: dict[int, Callable[[], Tensor | None]] = {}
        self._nameless: dict[int, Callable[[], Tensor | None]] = {}
        self._watched: dict[int, tuple[list[Armed], weakref.ref[Tensor]]] = {}
        """What is to be noticed when it is gone, and what waits for that, by identity."""

    def reach(self, found: Iterable[Armed], note: str | None = None) -> None:
        """These are reached."""
        self.reached += [(armed, note) for armed in found]

    def _is(self, tensor: Any, wanted: int | str) -> bool:
        token = tensor._token
        if token is None or token.identities is not self.recorder.identities:
            return False
        return bool(token.tensor == (self.recorder.names.bound.get(wanted) if isinstance(wanted, str) else wanted))

    def _meant(self, when: str) -> bool:
        """Whether there is a tensor by now that breakpoints of a kind are about."""
        bound, count = self.recorder.names.bound, self.recorder.identities.count
        for wanted, _ in self._tensors.get(when, ()):
            if wanted in bound if isinstance(wanted, str) else wanted <= count:
                return True
        return False

    def _tensor(self, wanted: int | str) -> Tensor | None:
        """A tensor by its identity or its variable's name, None where it is not there."""
        number = self.recorder.names.bound.get(wanted) if isinstance(wanted, str) else wanted
        if number is None:
            return None
        known = self._followed.get(number)
        if known is None:
            found = find_tensor(self.recorder, number)
            known = self._followed[number] = weakref.ref(found) if found is not None else _gone
        return known()

    def _source(self, wanted: int | str) -> Any:
        """Where the gradient of a tensor is complete, also once the tensor is gone; None where it is unknown."""
        tensor = self._tensor(wanted)
        if tensor is not None:
            return tensor._grad_fn
        known = None if isinstance(wanted, str) else self._sources.get(wanted)
        return None if known is None else known()

    def _about(self, when: str, tensor: Any) -> None:
        self.reach(armed for wanted, armed in self._tensors.get(when, ()) if self._is(tensor, wanted))

    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """A tensor over the memory of another came to be."""
        self._came(tensor)

    def _came(self, tensor: Any) -> None:
        """A tensor came to be, which happens once: a Function's results may be told of by what made them inside."""
        token = tensor._token
        if token is None:
            return
        if found := self._made.pop(token.tensor, None):
            self.reach(found)
        if "released" in self._tensors:
            self.follow(tensor)
        if token.tensor in self._sources and tensor._grad_fn is not None:
            self._sources[token.tensor] = weakref.ref(tensor._grad_fn)
            self._followed[token.tensor] = weakref.ref(tensor)

    def named(self, name: str, value: Any, line: int) -> None:
        """A variable was bound: a tensor's, or that of what may hold tensors, which have names of their own then."""
        of_tensor, new = isinstance(value, Tensor), False
        for one in (name,) if of_tensor else tuple(self._bound):
            number = self.recorder.names.bound.get(one)
            if number is not None and one in self._bound and self._bound[one] != number:
                self._bound[one], new = number, True
                self.reach(armed for wanted, armed in self._tensors.get("created", ()) if wanted == one)
        if "released" in self._tensors:
            if of_tensor:
                self.follow(value)
            elif new:
                self.follow_known()

    def follow(self, tensor: Tensor) -> None:
        """Notice when a tensor is gone, if a breakpoint asks for it."""
        for wanted, armed in self._tensors.get("released", ()):
            if self._is(tensor, wanted):
                token: Any = tensor._token
                if token.tensor not in self._watched:
                    waiting: list[Armed] = []
                    self._watched[token.tensor] = waiting, weakref.ref(tensor, self._released(waiting))
                waiting = self._watched[token.tensor][0]
                if armed not in waiting:
                    waiting.append(armed)

    def follow_known(self) -> None:
        """The same for tensors that are there already."""
        for wanted, _ in self._tensors.get("released", ()):
            number = self.recorder.names.bound.get(wanted) if isinstance(wanted, str) else wanted
            if number is not None and number <= self.recorder.identities.count:
                tensor = find_tensor(self.recorder, number)
                if tensor is not None:
                    self.follow(tensor)

    def _released(self, waiting: list[Armed]) -> Callable[[Any], None]:
        def gone(_: Any) -> None:
            self.reach(waiting, "The tensor was released.")
            self._soon()

        return gone

    def met(self, tensor: Tensor) -> None:
        """The recorder met a tensor that no op and no creation function made."""
        self._came(tensor)
        if self.reached:
            self._soon()

    def _sees(self, number: int, tensor: Tensor, told: list[Tensor]) -> bool:
        """Whether a tensor that no change is told of, having no name, shares what was changed."""
        if number > self.recorder.identities.count or number in [other._token.tensor for other in (tensor, *told)]:
            return False
        if number not in self._nameless:
            found = find_tensor(self.recorder, number)
            self._nameless[number] = _gone if found is None else weakref.ref(found)
        other = self._nameless[number]()
        return (
            other is not None and other._token.storage == tensor._token.storage and overlap(other._data, tensor._data)
        )


def _gone() -> None:
    return None


def find_tensor(recorder: Recorder, number: int) -> Tensor | None:
    """The tensor with this identity, searched for among all objects."""
    import gc

    for found in gc.get_objects():
        if isinstance(found, Tensor):
            token = found._token
            if token is not None and token.tensor == number and token.identities is recorder.identities:
                return found
    return None
