"""Recording what becomes of saved tensors between their op and its backward (hooks, checkpoints), and tangents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.journal import Journal
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.runtime.passive import class_name
from backscope.tensor.tensor import Tensor


class SavedTensorEvents(Listener):
    """Records the moments whose methods it overrides.

    `packs` are the packs that wait until the op is recorded that they come with.
    """

    __slots__ = ("code", "identities", "journal", "packs", "passes", "values")

    def __init__(
        self, journal: Journal, code: UserCode, values: PendingValues, identities: Identities, passes: Passes
    ) -> None:
        self.journal = journal
        self.code = code
        self.values = values
        self.identities = identities
        self.passes = passes
        self.packs: list[tuple[Any, ...]] = []

    @guarded
    def packed(self, node: Any, slot: str, hook: str, given: Tensor, handle: Any) -> None:
        """A pack hook turned what `node` saves in `slot` into `handle`; told once the op that made the node is."""
        packed = say.frozen(handle) if type(handle) in say.PLAIN else say.Shown(class_name(type(handle)))
        self.packs.append(
            (say.saved_tensor_packed, self.code.line(), node, slot, hook, self.values.value(given._data), packed)
        )

    def record_packs(self) -> None:
        """Record the packs that came with the op recorded last."""
        for build, line, node, *rest in self.packs:
            self.journal.moments.append((build, line, self.identities.node_id(node, line), *rest))
        self.packs.clear()

    @guarded
    def unpacked(self, node: Any, slot: str, hook: str, tensor: Tensor) -> None:
        """An unpack hook gave back what `node` needs from `slot`."""
        line = self.code.line()
        call = self.passes.calls[-1] if self.passes.calls else None
        self.journal.add(
            say.saved_tensor_unpacked,
            line,
            call,
            self.identities.node_id(node, line),
            slot,
            hook,
            self.values.value(tensor._data),
        )

    def checkpoint_entered(self, function: str, reentrant: bool, selective: bool = False) -> int:
        """A function begins to run under a checkpoint; returns the checkpoint's identity."""
        number = self.identities.identity()
        self.journal.add(say.checkpoint_entered, self.code.line(), number, function, reentrant, selective)
        return number

    @guarded
    def checkpoint_left(self, checkpoint: int, kept: Sequence[Any] = ()) -> None:
        """The forward pass of a checkpointed function is over; its policy kept the tensors of these tokens."""
        numbers = list(dict.fromkeys([token.tensor for token in kept if token.identities is self.identities]))
        self.journal.add(say.checkpoint_left, self.code.line(), checkpoint, numbers)

    @guarded
    def recomputation_started(self, checkpoint: int, node: Any = None) -> None:
        """A checkpointed function runs again, for `node` or else the node that is running."""
        line = self.code.line()
        node = node or (self.passes.running[-1] if self.passes.running else None)
        number = None if node is None else self.identities.node_id(node, line)
        self.journal.add(
            say.recomputation_started, line, self.passes.calls[-1] if self.passes.calls else None, checkpoint, number
        )

    @guarded
    def recomputation_finished(self, checkpoint: int) -> None:
        """A recomputation is over."""
        self.journal.add(say.recomputation_finished, self.code.line(), checkpoint)

    @guarded
    def tangent_computed(self, tensor: Tensor, level: int, op: str | None, tangent: Tensor) -> None:
        """A tensor got a tangent, from `op` or from the user."""
        line = self.code.line()
        number = self.identities.token(tensor, line, "tensor").tensor
        self.journal.add(say.tangent_computed, line, number, level, op, self.values.value(tangent._data))
