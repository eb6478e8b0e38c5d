"""Records saved tensors between their op and its backward (hooks and checkpoints), and tangents."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.identity import Token
from backscope.recorder.journal import Journal
from backscope.recorder.narration.code_location import Location
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.tensor_slots import data_of
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.runtime.passive import class_name
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node

_Pack = tuple[Callable[..., Any], Location, "weakref.ref[Node]", str, str, object, object]


class SavedTensorEvents(Listener):
    """Records the moments whose methods it overrides.

    `packs` are moments of pack hooks that are added after the op that saved what they packed.
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
        self.packs: list[_Pack] = []

    @guarded
    def packed(self, node: Node, slot: str, hook: str, given: Tensor, handle: object) -> None:
        """Keep that a pack hook turned what `node` saves in `slot` into `handle`, until the op is recorded."""
        packed = say.frozen(handle) if type(handle) in say.PLAIN else say.Shown(class_name(type(handle)))
        value = self.values.value(data_of(given))
        self.packs.append((say.saved_tensor_packed, self.code.line(), weakref.ref(node), slot, hook, value, packed))

    def record_packs(self) -> None:
        """Record the packs of the op recorded last."""
        later: list[_Pack] = []
        for pack in self.packs:
            build, line, ref, *rest = pack
            node = ref()
            token = None if node is None else node.token
            if token is not None and token.identities is self.identities:
                self.journal.moments.append((build, line, token.node, *rest))
            elif node is not None:  # The op ran within the hook of another one, which is still to come.
                later.append(pack)
        self.packs[:] = later

    @guarded
    def unpacked(self, node: Node, slot: str, hook: str, tensor: Tensor) -> None:
        """Record that an unpack hook gave back what `node` saved in `slot`."""
        line = self.code.line()
        number = self.identities.node_id(node, line)
        value = self.values.value(data_of(tensor))
        self.journal.add(say.saved_tensor_unpacked, line, self.passes.call, number, slot, hook, value)

    def checkpoint_entered(self, function: str, reentrant: bool, selective: bool = False) -> int:
        """Record that a function begins to run under a checkpoint; return the checkpoint's number."""
        number = self.identities.identity()
        self.journal.add(say.checkpoint_entered, self.code.line(), number, function, reentrant, selective)
        return number

    @guarded
    def checkpoint_left(self, checkpoint: int, kept: Sequence[Token] = ()) -> None:
        """Record the end of a checkpointed function's forward pass, and the tensors that its policy kept."""
        numbers = list(dict.fromkeys([token.tensor for token in kept if token.identities is self.identities]))
        self.journal.add(say.checkpoint_left, self.code.line(), checkpoint, numbers)

    @guarded
    def recomputation_started(self, checkpoint: int, node: Node | None = None) -> None:
        """Record that a checkpointed function runs again, for `node` or else for the node that is running."""
        line = self.code.line()
        node = node or self.passes.node
        number = None if node is None else self.identities.node_id(node, line)
        self.journal.add(say.recomputation_started, line, self.passes.call, checkpoint, number)

    @guarded
    def recomputation_finished(self, checkpoint: int) -> None:
        """Record the end of a recomputation."""
        self.journal.add(say.recomputation_finished, self.code.line(), checkpoint)

    @guarded
    def tangent_computed(self, tensor: Tensor, level: int, op: str | None, tangent: Tensor) -> None:
        """Record that a tensor got a tangent, from `op` or from the user (None)."""
        line = self.code.line()
        number = self.identities.token(tensor, line, "tensor").tensor
        self.journal.add(say.tangent_computed, line, number, level, op, self.values.value(data_of(tangent)))
