"""The declarations of ops for answers: an index over the catalogue, by names of ops and of nodes."""

from __future__ import annotations

from functools import cache
from typing import Any

Entry = dict[str, Any]


@cache
def _index() -> tuple[dict[str, Entry], dict[str, list[Entry]]]:
    from backscope.ops.names.all import catalogue

    names: dict[str, Entry] = {}
    nodes: dict[str, list[Entry]] = {}
    for entry in catalogue():
        names.setdefault(entry["name"], entry)
        if entry["grad_fn"] is not None:
            nodes.setdefault(entry["grad_fn"], []).append(entry)
    return names, nodes


def entry_of(op: str) -> Entry | None:
    """Return the entry of an op by its name."""
    return _index()[0].get(op)


def entry_of_node(op: str, grad_fn: str) -> Entry | None:
    """Return the entry of a node's op; among ops that share a grad_fn, that of the op that was called."""
    called = op.removesuffix("_")
    same = _index()[1].get(grad_fn, [])
    named = next((entry for entry in same if entry["name"] == called), None)
    return named or (same[0] if same else entry_of(called))
