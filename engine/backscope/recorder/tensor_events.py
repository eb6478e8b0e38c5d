"""Recording what happens to tensors outside of ops: how they are made, what they require, their `.grad`."""

from __future__ import annotations

from typing import Any

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.identity import new_token
from backscope.recorder.journal import Journal
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.tensor.tensor import Tensor


class TensorEvents(Listener):
    """Records the moments whose methods it overrides."""

    __slots__ = ("code", "identities", "journal", "sharing", "values")

    def __init__(
        self, journal: Journal, code: UserCode, values: PendingValues, identities: Identities, sharing: MemorySharing
    ) -> None:
        self.journal = journal
        self.code = code
        self.values = values
        self.identities = identities
        self.sharing = sharing

    @guarded
    def created(self, tensor: Tensor, origin: str) -> None:
        """A creation function made a tensor."""
        self.identities.token(tensor, self.code.spot(), origin)

    @guarded
    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """A tensor over the memory of `source` came to be off the tape."""
        line = self.code.line()
        whole = self.identities.token(source, line, "tensor")
        token = new_token(self.identities, tensor, self.identities.identity(), whole.storage, line)
        self.sharing.shares(whole)
        self.journal.add(say.tensor_created, line, origin, self.identities.info(tensor, token))

    @guarded
    def requires_grad_changed(self, tensor: Tensor) -> None:
        """A tensor's requires_grad was set."""
        line = self.code.line()
        self.journal.add(
            say.requires_grad_changed, line, self.identities.token(tensor, line, "tensor").tensor, tensor._requires_grad
        )

    @guarded
    def rebased(self, tensor: Tensor, node: Any) -> None:
        """An in-place change gave a tensor a new grad_fn."""
        line = self.code.line()
        self.journal.add(
            say.graph_rebased,
            line,
            self.identities.token(tensor, line, "tensor").tensor,
            self.identities.node_info(node, line),
        )

    @guarded
    def grad_cleared(self, tensor: Tensor, how: str, by: str = "user") -> None:
        """`.grad` was emptied or assigned."""
        line = self.code.spot()
        value = None if tensor._grad is None else self.values.value(tensor._grad._data)
        self.journal.add(say.grad_cleared, line, self.identities.token(tensor, line, "tensor").tensor, how, by, value)
