"""Records what happens to tensors outside of ops: their creation, their requires_grad and their `.grad`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.identity import Token, new_token
from backscope.recorder.journal import Journal
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.tensor_slots import data_of, grad_of, requires_grad_of, token_of
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node


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
        """Record a tensor that a creation function made."""
        self.identities.token(tensor, self.code.location(), origin)

    @guarded
    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """Record a tensor off the tape that was made over the memory of `source`."""
        line = self.code.line()
        whole = self.identities.token(source, line, "tensor")
        token = new_token(self.identities, tensor, self.identities.identity(), whole.storage, line)
        self.sharing.shares(whole)
        self.journal.add(say.tensor_created, line, origin, self.identities.info(tensor, token))

    @guarded
    def requires_grad_changed(self, tensor: Tensor) -> None:
        """Record that a tensor's requires_grad was set."""
        line = self.code.line()
        number = self.identities.token(tensor, line, "tensor").tensor
        self.journal.add(say.requires_grad_changed, line, number, requires_grad_of(tensor))

    @guarded
    def rebased(self, tensor: Tensor, node: Node) -> None:
        """Record that an in-place change gave a tensor a new grad_fn."""
        line = self.code.line()
        number = self.identities.token(tensor, line, "tensor").tensor
        self.journal.add(say.graph_rebased, line, number, self.identities.node_info(node, line))

    @guarded
    def grad_cleared(self, tensor: Tensor, how: str, by: str = "user") -> None:
        """Record that `.grad` was emptied or assigned."""
        line = self.code.location()
        plain = type(tensor) is Tensor
        grad = tensor._grad if plain else grad_of(tensor)
        value = None if grad is None else self.values.value(data_of(grad))
        token: Token | None = tensor._token if plain else token_of(tensor)
        if token is None or token.identities is not self.identities:
            token = self.identities.token(tensor, line, "tensor")
        self.journal.add(say.grad_cleared, line, token.tensor, how, by, value)
