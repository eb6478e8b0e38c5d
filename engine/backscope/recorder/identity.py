"""The identities that a recording gives to tensors and nodes; they also notice when these die.

A token is a weak reference that sits in a slot of what it refers to: at the end its callback, the `append` of the list
of moments, puts the token itself there, without a call into Python.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.recorder.identities import Identities
    from backscope.tensor.tensor import Tensor


class Token(weakref.ref[Any]):
    """A tensor's identity in a recording, its storage and the line that made it."""

    __slots__ = ("identities", "line", "storage", "tensor")

    identities: Identities
    tensor: int
    storage: int
    line: int | None


class NodeToken(weakref.ref[Any]):
    """A node's identity, and the lines that made it and freed what it saved."""

    __slots__ = ("freed", "identities", "line", "node")

    identities: Identities
    node: int
    line: int | None
    freed: int | None


def new_token(identities: Identities, tensor: Tensor, number: int, storage: int, line: int | None) -> Token:
    """Give a tensor its identity."""
    token = tensor._token = Token(tensor, identities.journal.died)
    token.identities = identities
    token.tensor = number
    token.storage = storage
    token.line = line
    return token


def new_node_token(identities: Identities, node: Node, number: int, line: int | None) -> NodeToken:
    """Give a node its identity."""
    token = node.token = NodeToken(node, identities.journal.died)
    token.identities = identities
    token.node = number
    token.line = line
    token.freed = None
    return token
