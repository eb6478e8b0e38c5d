"""The identities of a recording: which tensors and nodes were met, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, AccumulateGrad
from backscope.recorder import narration as say
from backscope.recorder.identity import NodeToken, Token, new_node_token, new_token
from backscope.recorder.journal import Journal
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.pending_values import PendingValues
from backscope.tensor.tensor import Tensor

PLAIN = say.PLAIN


class Identities:
    """Gives numbers to tensors and nodes, and introduces those that were not met before.

    `count` is the number given last; `nodes_without_op` are the numbers of nodes that no recorded op made.
    `on_introduced`, where it is set, is called with each tensor that token() introduces.
    """

    __slots__ = ("count", "journal", "nodes_without_op", "on_introduced", "sharing", "values")

    def __init__(
        self, journal: Journal, values: PendingValues, sharing: MemorySharing, nodes_without_op: set[int]
    ) -> None:
        self.journal = journal
        self.values = values
        self.sharing = sharing
        self.nodes_without_op = nodes_without_op
        self.count = 0
        self.on_introduced: Callable[[Tensor], None] | None = None

    def identity(self) -> int:
        """A fresh number."""
        self.count += 1
        return self.count

    def token(self, tensor: Tensor, line: int | None, origin: str) -> Token:
        """A tensor's token; one that was not seen before is introduced by a tensor_created of `origin`."""
        token: Token | None = tensor._token
        if token is None or token.identities is not self:
            base = tensor._view.base if tensor._view is not None else None
            whole = None if base is None else self.token(base, line, "base")
            storage = self.identity() if whole is None else whole.storage
            token = new_token(self, tensor, self.identity(), storage, line)
            if whole is not None:
                self.sharing.shares(whole)
            self.journal.add(say.tensor_created, line, origin, self.info(tensor, token))
            if self.on_introduced is not None:
                self.on_introduced(tensor)
        return token

    def info(self, tensor: Tensor, token: Token) -> tuple[Any, ...]:
        """What a TensorInfo is made from."""
        view, shared = tensor._view, tensor._shared
        base = None if view is None or view.base is None or view.base._token is None else view.base._token.tensor
        return (
            token.tensor,
            token.storage,
            0 if shared is None else +shared[0],
            tensor._requires_grad,
            tensor._grad_fn is None,
            base,
            self.values.value(tensor._data),
        )

    def node_id(self, node: Any, line: int | None) -> int:
        """A node's identity; an AccumulateGrad that was not seen before is introduced."""
        token: NodeToken | None = node.token
        if token is not None and token.identities is self:
            return token.node
        number = self.identity()
        new_node_token(self, node, number, line)
        if node.__class__ is AccumulateGrad:
            leaf = self.token(node.variable, line, "leaf").tensor
            self.journal.add(say.node_created, line, number, "AccumulateGrad", leaf)
        else:
            self.nodes_without_op.add(number)
            self.journal.add(say.node_created, line, number, node.name().removeprefix(node.prefix), None)
        return number

    def order(self, node: Any) -> int:
        """A node's place in the order of a backward pass, from the program's first on, or the last of all."""
        number: int = node.sequence_nr
        return number if number == ACCUMULATE_SEQUENCE_NR else number - self.journal.first_sequence_nr

    def node_info(self, node: Any, line: int | None, op: Any = None) -> tuple[Any, ...]:
        """What a NodeInfo is made from; gives the node its identity, and reserves one for each storage of its own.

        Attributes of `op` that the program did not give are the engine's own and stay as they are.
        """
        edges: list[Any] = []
        for below in node.next:
            if below is None:
                edges.append(None)
                continue
            known = below.token
            edges.append(known.node if known is not None and known.identities is self else self.node_id(below, line))
        token = node.token
        saved = node.saved
        if token is None or token.identities is not self:
            number = self.count + 1
            self.count = number + len(saved) if saved else number
            token = node.token = NodeToken(node, self.journal.died)
            token.identities = self
            token.node = number
            token.line = line
            token.freed = None
        kept: Any = None
        if saved:
            kept = True
            for e in saved:  # `None in saved` would ask each Tensor whether it equals None.
                if e is None:
                    kept = tuple([e is not None for e in saved])
                    break
        order = node.sequence_nr
        attrs = node.attrs
        if attrs and op is not None and node.__class__ is op.node:
            for i in op.given:
                if attrs[i].__class__ not in PLAIN:
                    attrs = say.frozen_all(attrs)
                    break
        elif attrs:
            attrs = say.frozen_all(attrs)
        return (
            token.node,
            node.__class__,
            order if order == ACCUMULATE_SEQUENCE_NR else order - self.journal.first_sequence_nr,
            edges,
            node.next_nr,
            kept,
            node.versions,
            attrs,
        )
