"""The tokens by which a recording identifies tensors and nodes, and notices that they were released.

A token is a weak reference that sits in a slot of the object it refers to.  When that object dies, Python calls the
token's callback, the `append` of the list of moments, which puts the token itself into the list without running any
Python code.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from backscope.recorder.narration.code_location import Location
from backscope.recorder.tensor_slots import set_token

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.recorder.identities import Identities
    from backscope.tensor.tensor import Tensor


class Token(weakref.ref[Any]):
    """A tensor's number in a recording, its storage and the line that made it."""

    __slots__ = ("identities", "line", "storage", "tensor")

    identities: Identities
    tensor: int
    storage: int
    line: Location


class NodeToken(weakref.ref[Any]):
    """A node's number in a recording, the line that made it, and the line that freed its saved tensors."""

    __slots__ = ("freed", "identities", "line", "node")

    identities: Identities
    node: int
    line: Location
    freed: Location


def new_token(identities: Identities, tensor: Tensor, number: int, storage: int, line: Location) -> Token:
    """Give a tensor its token."""
    token = Token(tensor, identities.journal.died)
    token.identities = identities
    token.tensor = number
    token.storage = storage
    token.line = line
    set_token(tensor, token)
    return token


def new_node_token(identities: Identities, node: Node, number: int, line: Location) -> NodeToken:
    """Give a node its token."""
    token = node.token = NodeToken(node, identities.journal.died)
    token.identities = identities
    token.node = number
    token.line = line
    token.freed = None
    return token
