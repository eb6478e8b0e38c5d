"""The numbers of tensors and nodes in a recording, and the facts that are recorded when one is first met."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, AccumulateGrad
from backscope.autograd.saved.saved_tensors import SavedList
from backscope.recorder import narration as say
from backscope.recorder.identity import NodeToken, Token, new_node_token, new_token
from backscope.recorder.journal import Journal
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.narration.code_location import Location
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.tensor_slots import base_of, data_of, grad_fn_of, requires_grad_of, token_of, version_of
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.ops.core.declaration import Op

PLAIN = say.PLAIN


class Identities:
    """Gives numbers to tensors and nodes, and records those that have none yet.

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
        """Return a new number."""
        self.count += 1
        return self.count

    def token(self, tensor: Tensor, line: Location, origin: str) -> Token:
        """Return a tensor's token; record one without a token as a tensor_created of `origin`."""
        token: Token | None = tensor._token if type(tensor) is Tensor else token_of(tensor)
        if token is None or token.identities is not self:
            base = base_of(tensor)
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
        """Return what a TensorInfo is made from."""
        base = base_of(tensor)
        whole = None if base is None else token_of(base)
        return (
            token.tensor,
            token.storage,
            +version_of(tensor),
            requires_grad_of(tensor),
            grad_fn_of(tensor) is None,
            None if whole is None else whole.tensor,
            self.values.value(data_of(tensor)),
        )

    def node_id(self, node: Node, line: Location) -> int:
        """Return a node's number; record a node that has none yet."""
        token: NodeToken | None = node.token
        if token is not None and token.identities is self:
            return token.node
        number = self.identity()
        new_node_token(self, node, number, line)
        if node.__class__ is AccumulateGrad:
            variable: Tensor = node.variable
            token_of_leaf: Token | None = variable._token if type(variable) is Tensor else token_of(variable)
            if token_of_leaf is None or token_of_leaf.identities is not self:
                token_of_leaf = self.token(variable, line, "leaf")
            leaf = token_of_leaf.tensor
            self.journal.add(say.node_created, line, number, "AccumulateGrad", leaf)
        else:
            self.nodes_without_op.add(number)
            self.journal.add(say.node_created, line, number, node.name().removeprefix(node.prefix), None)
        return number

    def order(self, node: Node) -> int:
        """Return a node's sequence number, counted from the program's first; that of an AccumulateGrad is fixed."""
        number = node.sequence_nr
        return number if number == ACCUMULATE_SEQUENCE_NR else number - self.journal.first_sequence_nr

    def node_info(self, node: Node, line: Location, op: Op | None = None) -> tuple[Any, ...]:
        """Return what a NodeInfo is made from; give the node its number, and reserve one for each of its own storages.

        Attributes of `op` that the program did not give are the engine's own and cannot change.
        """
        edges: list[int | None] = []
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
        versions: Any = node.versions
        if saved:
            kept = True
            for e in saved:  # `None in saved` would call Tensor.__eq__.
                if e is None:
                    kept = tuple([e is not None for e in saved])
                elif type(e) is SavedList:  # A class of the program may define `__class__`.
                    versions = _versions(node)
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
            versions,
            attrs,
        )


# Any: the version of a tensor, or those of a list of them.
def _versions(node: Node) -> tuple[Any, ...]:
    """Return the versions of what a node saved, with a tuple of them for each list."""
    saved = node.saved or ()
    own = node.versions or (0,) * len(saved)
    return tuple([s.versions if type(s) is SavedList else v for s, v in zip(saved, own, strict=True)])
