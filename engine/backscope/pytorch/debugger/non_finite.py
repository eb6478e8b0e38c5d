"""Breakpoints on the first NaN or infinity in a program on PyTorch: what made it, not what it spoils afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.pytorch.debugger.finiteness import FINITE, Finiteness, finiteness, of_number
from backscope.pytorch.identities import Identities
from backscope.pytorch.values import capture

_NOT_MADE = ("leaf", "base", "alias", "grad", "full")
"""Origins of tensors that the recording has met, and of those that were filled with a number of the program's."""


class NonFinite:
    """`armed` are the breakpoints; `reported` is True once one was reached.

    A NaN that follows from an infinity is not reported again.
    """

    def __init__(self, reached: ReachedBreakpoints, identities: Identities) -> None:
        self.armed: list[Armed] = []
        self.reported = False
        self._reached = reached
        self._identities = identities
        self._tensors: dict[int, Finiteness] = {}
        """The tensors that are not finite."""
        self._storages: dict[int, Finiteness] = {}
        """The storages that a change in place has left not finite."""
        self._spoiled: set[int] = set()
        """Nodes that saved a tensor which is not finite."""
        self._arrived: dict[int, Finiteness] = {}
        self._changed: str | None = None
        """While an op in place is recorded: the note on the change that it made."""

    def computed(
        self,
        name: str,
        inputs: Sequence[tuple[str, int | None, Any]],
        infos: Sequence[tuple[Any, ...]],
        node: tuple[Any, ...] | None,
        *,
        in_place: bool,
    ) -> None:
        """Reach the breakpoints where an op made a NaN or an infinity."""
        given = [of_number(value) if number is None else self._of(number) for _, number, value in inputs]
        made = [self._note(info) for info in infos]
        if node is not None and any(number is not None and not self._of(number).finite for _, number, *_ in node[5]):
            self._spoiled.add(node[0])
        if in_place:
            outputs = {info[0] for info in infos}
            own = [one for one, (_, number, _) in zip(given, inputs, strict=True) if number not in outputs]
            self._take_back(all(one.finite for one in own))
            return
        if all(one.finite for one in made):
            return
        if all(one.finite for one in given):
            self._report(f"The op {name} made a NaN or an infinity of finite numbers.")
        elif not self.reported and any(one.nan for one in made) and not any(one.nan for one in given):
            self._report(f"The op {name} made a NaN of an infinity.")

    def created(self, origin: str, info: tuple[Any, ...]) -> None:
        """Reach the breakpoints where a function made a tensor that is not finite."""
        if not self._note(info).finite and origin not in _NOT_MADE:
            self._report(f"{origin} made a tensor with a NaN or an infinity.")

    # Any: a captured value, as narration takes it.
    def changed(self, tensor: int, storage: int, how: str, value: Any) -> None:
        """Reach the breakpoints where a change in place left a NaN or an infinity where there was none."""
        now, before = finiteness(value), self._of(tensor, storage)
        self._set(self._tensors, tensor, now)
        self._set(self._storages, storage, now)
        if not now.finite and before.finite:
            self._changed = f"{how} left a NaN or an infinity in memory."
            self._report(self._changed)

    def _take_back(self, made: bool) -> None:
        """Keep what a change in place has reached if the op `made` it, and was not given it."""
        note, self._changed = self._changed, None
        if note is not None and not made:
            entries = self._reached.entries
            entries[:] = [one for one in entries if one[1] != note]

    def arriving(self, node: int, gradients: Sequence[Any]) -> None:
        """Note what arrives at a node that is about to run."""
        found = [finiteness(value) for value in gradients]
        self._arrived[node] = Finiteness(any(f.nan for f in found), any(f.infinite for f in found))

    def sent(self, node: int, name: str, gradients: Sequence[Any]) -> None:
        """Reach the breakpoints where a node made a NaN or an infinity of a finite gradient."""
        arrived = self._arrived.pop(node, FINITE)
        if not arrived.finite or all(finiteness(value).finite for value in gradients):
            return
        if self.reported and node in self._spoiled:
            return  # The forward pass has made it.
        self._report(f"{name} made a NaN or an infinity of a finite gradient.")

    def _report(self, note: str) -> None:
        self.reported = True
        self._reached.add(self.armed, note)

    def _note(self, info: tuple[Any, ...]) -> Finiteness:
        """Note whether a tensor is finite, by its info."""
        found = finiteness(info[-1])
        self._set(self._tensors, info[0], found)
        return found

    @staticmethod
    def _set(known: dict[int, Finiteness], number: int, found: Finiteness) -> None:
        if found.finite:
            known.pop(number, None)
        else:
            known[number] = found

    def _of(self, tensor: int, storage: int | None = None) -> Finiteness:
        known = self._tensors.get(tensor)
        if known is None and storage is not None:
            known = self._storages.get(storage)
        return known or FINITE

    def look(self) -> None:
        """Note which of the tensors that exist already are not finite."""
        with self._identities.context.quiet:
            for number, tensor in self._identities.living():
                self._set(self._tensors, number, finiteness(capture(tensor)))
