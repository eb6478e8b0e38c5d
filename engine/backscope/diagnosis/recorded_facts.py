"""Names, lines and identities of tensors and nodes, as the diagnosis of an error shows them."""

from __future__ import annotations

from backscope.autograd.node import Node
from backscope.diagnosis.recorded_run import RecordedRun
from backscope.tensor.tensor import Tensor


def node_ids(node: Node | None) -> list[int]:
    """Return the identity of a node in a list, which is empty where the node was not recorded."""
    return [node.token.node] if node is not None and node.token is not None else []


def tensor_ids(tensor: Tensor | None) -> list[int]:
    """Return the identity of a tensor in a list, which is empty where it was not recorded or is an edge alone."""
    return [tensor._token.tensor] if tensor is not None and tensor._token is not None else []


def name_of(recorder: RecordedRun, number: int | None, otherwise: str) -> str:
    """Return the program's name for the tensor with an identity, or `otherwise`."""
    return recorder.names.get(number, otherwise) if number is not None else otherwise


def called(recorder: RecordedRun, tensor: Tensor | None, otherwise: str) -> str:
    """Return the program's name for a tensor, or `otherwise`."""
    return name_of(recorder, next(iter(tensor_ids(tensor)), None), otherwise)


def formula_name(node: Node) -> str:
    """Return a node's name without C++ namespaces."""
    return str(node.name().removeprefix(node.prefix))


def known_lines(*lines: int | None) -> list[int]:
    """Return the lines that are known, each once."""
    return [x for x in dict.fromkeys(lines) if x is not None]


def at_line(line: int | None) -> str:
    """Return " at line 4", or nothing where the line is unknown."""
    return "" if line is None else f" at line {line}"
