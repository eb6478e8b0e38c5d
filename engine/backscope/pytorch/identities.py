"""The numbers of PyTorch's tensors, storages and nodes in a recording, and what is recorded when one is first met."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.autograd.graph import Node

from backscope.pytorch.context import Context
from backscope.pytorch.values import Values, blank
from backscope.recorder import narration as say
from backscope.recorder.identity import NodeToken, Token
from backscope.recorder.memory_sharing import MemorySharing
from backscope.recorder.narration.code_location import Location

AS_LEAF = 2**64 - 1
"""The sequence number of an AccumulateGrad."""

KEY = "backscope"
"""The key of a node's `metadata` that has its Life."""


class Life:
    """Sits in the metadata of a node and dies with it; `token` has the node's number."""

    __slots__ = ("__weakref__", "token")

    token: NodeToken


class Identities:
    """Gives numbers to tensors, storages and nodes, and records those that have none yet.

    `leaves` has the AccumulateGrad of each leaf by the leaf's number: get_gradient_edge() would take a sequence number.
    `unfilled` are the storages whose memory is as it was found, which no value is told of.
    """

    def __init__(self, context: Context, values: Values, sharing: MemorySharing) -> None:
        self.context = context
        self.values = values
        self.sharing = sharing
        self.count = 0
        self.leaves: dict[int, int] = {}
        self.unfilled: set[int] = set()
        self.first_sequence_nr = 0
        self.node_tokens: dict[int, NodeToken] = {}
        self.node_names: dict[int, str] = {}
        self.released: Callable[[int], None] | None = None
        """Called with the number of each tensor that is released, where a debugger asks."""
        self._known: dict[int, Token] = {}
        self._keys: dict[int, int] = {}
        self._storages: dict[int, tuple[Any, int]] = {}
        self._first: dict[int, Token] = {}

    def identity(self) -> int:
        """Return a new number."""
        self.count += 1
        return self.count

    def token_of(self, t: torch.Tensor) -> Token | None:
        """Return the token of a tensor that has one."""
        token = self._known.get(id(t))
        return token if token is not None and token() is t else None

    def living(self) -> Iterator[tuple[int, torch.Tensor]]:
        """Yield the tensors that exist, with their numbers."""
        for token in list(self._known.values()):
            if (tensor := token()) is not None:
                yield token.tensor, tensor

    def find(self, number: int) -> torch.Tensor | None:
        """Return the tensor with a number, None where it is gone."""
        token = self._known.get(self._keys.get(number, 0))
        return token() if token is not None and token.tensor == number else None

    def token(self, t: torch.Tensor, line: Location, origin: str = "tensor") -> Token:
        """Return a tensor's token; record one without a token as a tensor_created of `origin`."""
        token = self.token_of(t)
        if token is None:
            self._base(t, line)
            token = self.introduce(t, line)
            self.context.add(say.tensor_created, line, origin, self.info(t, token))
        return token

    def introduce(self, t: torch.Tensor, line: Location) -> Token:
        """Give a tensor its token."""
        storage = self.storage(t)  # First: the engine counts the storage, then the tensor.
        token = Token(t, self._died)
        token.identities = self  # type: ignore[assignment] # Whose it is: compared, never called.
        token.tensor, token.storage, token.line = self.identity(), storage, line
        self._known[id(t)] = token
        self._keys[token.tensor] = id(t)
        first = self._first.setdefault(storage, token)
        if first is not token:
            self.sharing.shares(first)
        return token

    def _died(self, token: Any) -> None:
        key = self._keys.pop(token.tensor, None)
        if key is not None and self._known.get(key) is token:
            del self._known[key]
        storage = token.storage
        if storage in self._first and self._first[storage] is token:
            del self._first[storage]
        if self.released is not None:
            self.released(token.tensor)
        if self.context.open:
            self.context.journal.moments.append(token)

    def storage(self, t: torch.Tensor) -> int:
        """Return the number of a tensor's storage; a new one for a tensor that has none to be read."""
        with self.context.quiet:
            try:
                held = t.untyped_storage() if t.layout is torch.strided else None
            except (NotImplementedError, RuntimeError):  # A wrapper of torch.func, or of a subclass.
                held = None
        if held is None:
            return self.identity()
        key = held._cdata
        known = self._storages.get(key)
        if known is not None and known[0]() is held:
            return known[1]
        number = self.identity()

        def died(ref: Any) -> None:
            if (entry := self._storages.get(key)) is not None and entry[0] is ref:
                del self._storages[key]
            self.unfilled.discard(number)

        self._storages[key] = weakref.ref(held, died), number
        return number

    # Any: a captured value, as narration takes it.
    def value(self, t: torch.Tensor, storage: int) -> Any:
        """Return the value of a tensor as it is now, its geometry where its memory is as it was found."""
        if storage in self.unfilled:
            with self.context.quiet:
                return blank(t)
        return self.values.of(t)

    def info(self, t: torch.Tensor, token: Token) -> tuple[Any, ...]:
        """Return what a TensorInfo is made from."""
        base = self._base(t, token.line)
        with self.context.quiet:
            facts = version_of(t), t.requires_grad, grad_fn_of(t) is None
        return (token.tensor, token.storage, *facts, base, self.value(t, token.storage))

    def _base(self, t: torch.Tensor, line: Location) -> int | None:
        with self.context.quiet:
            base = t._base if t._is_view() else None
        return None if base is None or base is t else self.token(base, line, "base").tensor

    def begin_sequence(self) -> None:
        """Count sequence numbers from PyTorch's next one, which is read from a node made for that."""
        with torch.enable_grad(), torch._C.DisableTorchFunction():
            probe = torch.zeros((), requires_grad=True).view(()).grad_fn
        assert probe is not None
        self.first_sequence_nr = probe._sequence_nr() + 1

    def life(self, node: Node) -> NodeToken | None:
        """Return the token of a node that has one in this recording."""
        life = node.metadata.get(KEY)
        return life.token if life is not None and life.token.identities is self else None

    def node_token(self, node: Node, line: Location) -> NodeToken:
        """Give a node its token, if it has none, without recording it."""
        token = self.life(node)
        if token is not None:
            return token
        life = Life()
        token = NodeToken(life, self._node_died)
        token.identities = self  # type: ignore[assignment]
        token.node, token.line, token.freed = self.identity(), line, None
        life.token = token
        self.node_tokens[token.node] = token
        self.node_names[token.node] = name_of(node)
        node.metadata[KEY] = life
        return token

    def _node_died(self, token: Any) -> None:
        self.node_tokens.pop(token.node, None)
        self.node_names.pop(token.node, None)
        if self.context.open:
            self.context.journal.moments.append(token)

    def node_id(self, node: Node, line: Location) -> int:
        """Return a node's number; record a node that has none yet."""
        token = self.life(node)
        if token is not None:
            return token.node
        with self.context.quiet:
            leaf = getattr(node, "variable", None)
        on = None if leaf is None else self.token(leaf, line, "leaf").tensor
        number = self.node_token(node, line).node
        if on is not None:
            self.leaves[on] = number
        self.context.add(say.node_created, line, number, name_of(node), on)
        return number

    def node_of(self, t: torch.Tensor, line: Location) -> int | None:
        """Return the node that a tensor's gradient goes to, if one is known."""
        with self.context.quiet:
            node = grad_fn_of(t)
        if node is not None:
            return self.node_id(node, line)
        token = self.token_of(t)
        return None if token is None else self.leaves.get(token.tensor)

    def order(self, node: Node) -> int:
        """Return a node's sequence number, counted from the recording's first; that of an AccumulateGrad is fixed."""
        number: int = node._sequence_nr()
        return number if number == AS_LEAF else number - self.first_sequence_nr

    def edges(self, node: Node, line: Location) -> tuple[list[int | None], list[int]]:
        """Return the numbers of the nodes below one, and of their inputs."""
        below = node.next_functions
        return [None if b is None else self.node_id(b, line) for b, _ in below], [nr for _, nr in below]


def version_of(t: torch.Tensor) -> int:
    """Return a tensor's version; 0 for one of inference mode, which has none."""
    return 0 if t.is_inference() else t._version


def grad_fn_of(t: torch.Tensor) -> Node | None:
    """Return a tensor's node; None also for a view made without grad whose base was changed since, which has none."""
    try:
        return t.grad_fn
    except RuntimeError:
        return None


def name_of(node: Node) -> str:
    """Return the name of a node without its namespace."""
    name: str = node.name()
    return name.split("::")[-1]
