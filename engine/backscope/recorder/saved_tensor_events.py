"""Recording what becomes of saved tensors between their op and its backward (hooks, checkpoints), and tangents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Register
from backscope.runtime.passive import class_name
from backscope.tensor.tensor import Tensor


class Retention(Register):
    """Each method is something that the engine tells."""

    __slots__ = ()

    @guarded
    def packed(self, node: Any, slot: str, hook: str, given: Tensor, handle: Any) -> None:
        """A pack hook turned what `node` saves in `slot` into `handle`; told once the op that made the node is."""
        packed = say.frozen(handle) if type(handle) in say.PLAIN else say.Shown(class_name(type(handle)))
        self.packs.append((say.saved_tensor_packed, self.line(), node, slot, hook, self.value(given._data), packed))

    def tell_packs(self) -> None:
        """Tell of the packs that came with the op just told."""
        for build, line, node, *rest in self.packs:
            self.moments.append((build, line, self.node_id(node, line), *rest))
        self.packs.clear()

    @guarded
    def unpacked(self, node: Any, slot: str, hook: str, tensor: Tensor) -> None:
        """An unpack hook gave back what `node` needs from `slot`."""
        line = self.line()
        call = self.calls[-1] if self.calls else None
        self.add(say.saved_tensor_unpacked, line, call, self.node_id(node, line), slot, hook, self.value(tensor._data))

    def checkpoint_entered(self, function: str, reentrant: bool, selective: bool = False) -> int:
        """A function begins to run under a checkpoint; returns the checkpoint's identity."""
        number = self.identity()
        self.add(say.checkpoint_entered, self.line(), number, function, reentrant, selective)
        return number

    @guarded
    def checkpoint_left(self, checkpoint: int, kept: Sequence[Any] = ()) -> None:
        """The forward pass of a checkpointed function is over; its policy kept the tensors of these tokens."""
        numbers = list(dict.fromkeys([token.tensor for token in kept if token.recorder is self]))
        self.add(say.checkpoint_left, self.line(), checkpoint, numbers)

    @guarded
    def recomputation_started(self, checkpoint: int, node: Any = None) -> None:
        """A checkpointed function runs again, for `node` or else the node that is running."""
        line = self.line()
        node = node or (self.running[-1] if self.running else None)
        number = None if node is None else self.node_id(node, line)
        self.add(say.recomputation_started, line, self.calls[-1] if self.calls else None, checkpoint, number)

    @guarded
    def recomputation_finished(self, checkpoint: int) -> None:
        """A recomputation is over."""
        self.add(say.recomputation_finished, self.line(), checkpoint)

    @guarded
    def tangent_computed(self, tensor: Tensor, level: int, op: str | None, tangent: Tensor) -> None:
        """A tensor got a tangent, from `op` or from the user."""
        line = self.line()
        number = self.token(tensor, line, "tensor").tensor
        self.add(say.tangent_computed, line, number, level, op, self.value(tangent._data))
