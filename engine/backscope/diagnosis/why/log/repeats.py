"""The ops that checkpoints apply again, each with the event of its first time."""

from __future__ import annotations

from collections.abc import Iterator

from backscope.protocol import events as ev


class Repeats:
    """Pairs the ops of recomputations with those of the forward pass, in their order."""

    def __init__(self) -> None:
        self.found: dict[int, tuple[str, ev.OpApplied]] = {}
        """By the seq of an op that was applied again: the function under its checkpoint, and the first time."""
        self._first: dict[int, list[ev.OpApplied]] = {}
        self._under: list[int] = []
        """The checkpoints that are under way, innermost last."""
        self._again: Iterator[ev.OpApplied] | None = None
        """What a recomputation that is under way has to apply; None outside of any."""
        self._function = ""

    def entered(self, event: ev.CheckpointEntered) -> None:
        """Note that what follows is under a checkpoint."""
        self._under.append(event.checkpoint)

    def left(self, event: ev.CheckpointLeft) -> None:
        """Note that a checkpoint, and those in it, are over."""
        if event.checkpoint in self._under:
            del self._under[self._under.index(event.checkpoint) :]

    def begin(self, entered: ev.CheckpointEntered) -> None:
        """Begin the recomputation of a checkpoint."""
        self._again = iter(self._first.get(entered.checkpoint, ()))
        self._function = entered.function

    def end(self, _event: ev.RecomputationFinished) -> None:
        """End it."""
        self._again = None

    def op(self, event: ev.OpApplied) -> None:
        """Take an op, the first time or again."""
        if self._again is not None:
            if (first := next(self._again, None)) is not None and first.op == event.op:
                self.found[event.seq] = self._function, first
        else:
            for checkpoint in self._under:  # That around another one applies the ops of both again.
                self._first.setdefault(checkpoint, []).append(event)
