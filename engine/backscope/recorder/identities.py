"""The register of a recording: which tensors and nodes were met, under which identity, and what they are told as."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, AccumulateGrad
from backscope.recorder import narration as say
from backscope.recorder.identity import NodeToken, Token, new_node_token, new_token
from backscope.recorder.pending_values import Holding
from backscope.summary.summary import capture
from backscope.tensor.tensor import Tensor

ndarray = np.ndarray
PLAIN = say.PLAIN

MOST_SHARING = 16
"""Tensors over one memory of which a change is told."""

COMPARED = 1000
"""Steps that are taken to find out whether two tensors have an element in common; after them they are taken to."""


class Register(Holding):
    """Introduces what was not seen before, and captures values as they are now."""

    __slots__ = ("_sharing", "_sharing_most")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._sharing: dict[int, tuple[Token, dict[str, Token]]] = {}
        self._sharing_most = 1024

    def shares(self, first: Token) -> None:
        """Another tensor shares the memory of one: changes are told of the first one and of those with a name."""
        if first.storage in self._sharing:
            return
        if len(self._sharing) >= self._sharing_most:
            self._sharing = {
                storage: (oldest, named)
                for storage, (oldest, named) in self._sharing.items()
                if oldest() is not None or any(token() is not None for token in named.values())
            }
            self._sharing_most = max(1024, 2 * len(self._sharing))
        self._sharing[first.storage] = first, {}

    def known_as(self, name: str, token: Token) -> None:
        """A variable or a module has a tensor; places in a container are too many to tell of each."""
        found = self._sharing.get(token.storage)
        if found is not None and token is not found[0] and "[" not in name:
            found[1][name] = token

    def sharing(self, tensor: Tensor, storage: int) -> list[Tensor]:
        """The others that are told of when a tensor's memory changes: the first over it, then those with a name."""
        found: list[Tensor] = []
        if storage not in self._sharing:
            return found
        first, named = self._sharing[storage]
        for token in (first, *named.values()):
            other = token()
            if other is None or other is tensor or any(other is known for known in found):
                continue
            if overlap(other._data, tensor._data):
                found.append(other)
                if len(found) == MOST_SHARING:
                    break
        return found

    def token(self, tensor: Tensor, line: int | None, origin: str) -> Token:
        """A tensor's token; one that was not seen before is introduced by a tensor_created of `origin`."""
        token: Token | None = tensor._token
        if token is None or token.recorder is not self:
            base = tensor._view.base if tensor._view is not None else None
            whole = None if base is None else self.token(base, line, "base")
            storage = self.identity() if whole is None else whole.storage
            token = new_token(self, tensor, self.identity(), storage, line)
            if whole is not None:
                self.shares(whole)
            self.add(say.tensor_created, line, origin, self.info(tensor, token))
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
            self.value(tensor._data),
        )

    def node_id(self, node: Any, line: int | None) -> int:
        """A node's identity; an AccumulateGrad that was not seen before is introduced."""
        token: NodeToken | None = node.token
        if token is not None and token.recorder is self:
            return token.node
        number = self.identity()
        new_node_token(self, node, number, line)
        if node.__class__ is AccumulateGrad:
            leaf = self.token(node.variable, line, "leaf").tensor
            self.add(say.node_created, line, number, "AccumulateGrad", leaf)
        else:
            self.strangers.add(number)
            self.add(say.node_created, line, number, node.name().removeprefix(node.prefix), None)
        return number

    def order(self, node: Any) -> int:
        """A node's place in the order of a backward pass, from the program's first on, or the last of all."""
        number: int = node.sequence_nr
        return number if number == ACCUMULATE_SEQUENCE_NR else number - self.first_sequence_nr

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
            edges.append(known.node if known is not None and known.recorder is self else self.node_id(below, line))
        token = node.token
        saved = node.saved
        if token is None or token.recorder is not self:
            number = self.count + 1
            self.count = number + len(saved) if saved else number
            token = node.token = NodeToken(node, self.died)
            token.recorder = self
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
            order if order == ACCUMULATE_SEQUENCE_NR else order - self.first_sequence_nr,
            edges,
            node.next_nr,
            kept,
            node.versions,
            attrs,
        )

    def gradient(self, gradient: Any) -> Any:
        """A gradient, raw or Tensor, as it is now."""
        if gradient.__class__ is ndarray:
            return self.array(gradient)
        if isinstance(gradient, np.generic):
            return gradient
        return self.value(gradient._data) if isinstance(gradient, Tensor) else capture(gradient)


def overlap(first: Any, second: Any) -> bool:
    """Whether two arrays have an element in common, or may have one where that takes long to find out."""
    try:
        return np.shares_memory(first, second, max_work=COMPARED)  # type: ignore[arg-type] # Any number will do.
    except np.exceptions.TooHardError:
        return True
