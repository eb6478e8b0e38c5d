"""The register of a recording: which tensors and nodes were met, under which identity, and what they are told as."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope import narration as say
from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, AccumulateGrad
from backscope.holding import Holding
from backscope.identity import NodeToken, Token, new_node_token, new_token
from backscope.summary import capture
from backscope.tensor import Tensor

ndarray = np.ndarray


class Register(Holding):
    """Introduces what was not seen before, and captures values as they are now."""

    def token(self, tensor: Tensor, line: int | None, origin: str) -> Token:
        """A tensor's token; one that was not seen before is introduced by a tensor_created of `origin`."""
        token: Token | None = tensor._token
        if token is None or token.recorder is not self:
            base = tensor._view.base if tensor._view is not None else None
            storage = self.token(base, line, "base").storage if base is not None else self.identity()
            token = new_token(self, tensor, self.identity(), storage, line)
            self.add(say.tensor_created, line, origin, self.info(tensor, token))
        return token

    def info(self, tensor: Tensor, token: Token) -> tuple[Any, ...]:
        """What a TensorInfo is made from."""
        view, shared = tensor._view, tensor._shared
        base = None if view is None or view.base is None or view.base._token is None else view.base._token.tensor
        return (
            token.tensor,
            token.storage,
            0 if shared is None else shared[0],
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

    def node_info(self, node: Any, line: int | None) -> tuple[Any, ...]:
        """What a NodeInfo is made from; gives the node its identity, and reserves one for each storage of its own."""
        edges: list[Any] = []
        for below in node.next:
            if below is None:
                edges.append(None)
                continue
            known = below.token
            edges.append(known.node if known is not None and known.recorder is self else self.node_id(below, line))
        token = node.token
        fresh = token is None or token.recorder is not self
        if fresh:
            self.count = number = self.count + 1
            token = new_node_token(self, node, number, line)
        saved = node.saved
        kept = None
        if saved:
            if fresh:
                self.count += len(saved)
            kept = True if None not in saved else tuple([e is not None for e in saved])
        return (
            token.node,
            node.__class__,
            self.order(node),
            edges,
            node.next_nr,
            kept,
            node.versions,
            say.frozen_all(node.attrs) if node.attrs else (),
        )

    def gradient(self, gradient: Any) -> Any:
        """A gradient, raw or Tensor, as it is now."""
        if gradient.__class__ is ndarray:
            return self.array(gradient)
        if isinstance(gradient, np.generic):
            return gradient
        return self.value(gradient._data) if isinstance(gradient, Tensor) else capture(gradient)
