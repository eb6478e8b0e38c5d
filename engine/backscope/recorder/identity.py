"""The identities that a recording gives to tensors and nodes; they also notice when these die.

A token is a weak reference that sits in a slot of what it refers to: at the end its callback, the `append` of the list
of moments, puts the token itself there, without a call into Python.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.recorder.identities import Register
    from backscope.tensor.tensor import Tensor


class Token(weakref.ref[Any]):
    """A tensor's identity in a recording, its storage and the line that made it."""

    __slots__ = ("line", "recorder", "storage", "tensor")

    recorder: Register
    tensor: int
    storage: int
    line: int | None


class NodeToken(weakref.ref[Any]):
    """A node's identity, and the lines that made it and freed what it saved."""

    __slots__ = ("freed", "line", "node", "recorder")

    recorder: Register
    node: int
    line: int | None
    freed: int | None


def new_token(recorder: Register, tensor: Tensor, number: int, storage: int, line: int | None) -> Token:
    """Give a tensor its identity."""
    token = tensor._token = Token(tensor, recorder.died)
    token.recorder = recorder
    token.tensor = number
    token.storage = storage
    token.line = line
    return token


def new_node_token(recorder: Register, node: Node, number: int, line: int | None) -> NodeToken:
    """Give a node its identity."""
    token = node.token = NodeToken(node, recorder.died)
    token.recorder = recorder
    token.node = number
    token.line = line
    token.freed = None
    return token
