"""One form of the events of both recordings: what is compared of them, and identities by where they first appear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from backscope.protocol.op_names import name_of

Event = dict[str, Any]

COMPARED: dict[str, tuple[str, ...]] = {
    "program_finished": ("status",),
    "error_raised": ("line", "stage", "type", "message", "node", "traceback"),
    "op_applied": ("line", "op", "node", "in_place", "is_view", "during"),
    "node_created": ("line", "node", "name"),
    "graph_rebased": ("line", "node"),
    "backward_started": (
        "line", "call", "api", "parent", "root_nodes", "gradients", "implicit_gradient", "retain_graph", "create_graph",
    ),
    "node_started": ("call", "node", "gradients"),
    "gradient_sent": ("call", "node", "input_nr", "to_node", "output_nr", "value", "reduced_from", "total"),
    "node_finished": ("call", "node"),
    "backward_finished": ("line", "call", "failed"),
    "grad_accumulated": ("call", "node", "before", "added", "after", "in_place"),
    "gradient_captured": ("call", "node", "into", "value"),
    "grad_cleared": ("line", "how", "by", "value"),
    "optimizer_stepped": ("line", "optimizer", "number", "groups", "updates"),
    "buffer_freed": ("node", "slot", "nbytes"),
    "module_entered": ("line", "path", "times"),
    "module_hook_registered": ("line", "where", "hook", "module"),
    "checkpoint_entered": ("line", "function", "reentrant"),
    "recomputation_started": ("line", "call"),
}  # fmt: skip
"""The kinds that are compared, with their fields: the graph, backward passes, gradients, what is freed, and errors."""

NOT_COMPARED = {
    "op_applied of ops without a node": "the recorder tells the ops that PyTorch runs, the engine those of its API",
    "tensor, storage": "which tensor it is: nodes say it of what is saved and accumulated",
    "attributes": "the engine and PyTorch save numbers of formulas under names of their own",
    "the callers in the traceback of an error that was caught": "the engine's begins where it was caught",
    "the node of an error outside of passes": "PyTorch reads attributes of nodes in C, which names no node",
    "change": "it is the difference of what is compared",
    "the order in which a pass captures the results of autograd.grad()": "PyTorch gives them all at its end",
    "the order in which a node saves and frees its tensors": "the engine's is that of its formulas",
    "what a CopySlices saves": "PyTorch has the node of the op inside it, which Python cannot reach",
}
"""What else there is in these events, and why it is left out."""

COPY_SLICES = "CopySlices"

VIEW = "ViewBackward0"
ONE_NAME = {"ReshapeAliasBackward0": VIEW}
"""Nodes of the same op: where a dispatch mode is on, as in a recording, PyTorch's reshape() calls view()."""

_NODES = ("node", "to_node", "during", "root_nodes")
_CALLS = ("call", "parent")
_LEFT_OUT = ("tensor", "storage", "attributes", "change", "file")


class Renaming:
    """Names nodes by their class and calls of backward() by their number, in the order in which they appear."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._counts: Counter[str] = Counter()
        self._passes = 0

    def named(self, number: int, kind: str) -> str:
        """Return the name of an identity; a new one is a `kind`, and is counted among these."""
        name = self._names.get(number)
        if name is None:
            self._counts[kind] += 1
            name = self._names[number] = f"{kind}#{self._counts[kind]}"
        return name

    def _saved(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return a node's info with its saved tensors in the order of their slots."""
        saved = [] if node["name"] == COPY_SLICES else sorted(node["saved"], key=lambda s: s["slot"])
        return {**node, "saved": saved}

    def event(self, event: Event) -> Event | None:
        """Return what is compared of an event, None where that is nothing."""
        kind = event["kind"]
        node = event.get("node")
        if isinstance(node, dict) and node["name"] in ONE_NAME:
            event = {**event, "node": {**node, "name": ONE_NAME[node["name"]]}}
        if kind not in COMPARED or (kind == "op_applied" and event["node"] is None):
            return None
        if kind == "op_applied":
            event = {**event, "op": "view" if event["node"]["name"] == VIEW else name_of(event["op"])}
        if kind in ("op_applied", "graph_rebased"):
            self.named(event["node"]["node"], event["node"]["name"])
            event = {**event, "node": self._saved(event["node"])}
        elif kind == "node_created":
            self.named(event["node"], event["name"])
        elif kind == "error_raised" and event["stage"] == "engine":
            node = event["node"] if self._passes else None
            event = {**event, "traceback": event["traceback"][-1:], "node": node}
        elif kind in ("backward_started", "backward_finished"):
            self._passes += 1 if kind == "backward_started" else -1
        return {"kind": kind, **{name: self._renamed(name, event[name]) for name in COMPARED[kind]}}

    # Any: a part of an event.
    def _renamed(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: self._renamed(k, v) for k, v in value.items() if k not in _LEFT_OUT}
        if isinstance(value, list):
            return [self._renamed(key, v) for v in value]
        if key in _NODES and isinstance(value, int):
            return self.named(value, "node")
        if key in _CALLS and isinstance(value, int):
            return self.named(value, "call")
        return value


def canonical(events: list[Event]) -> list[Event]:
    """Return what is compared of a run."""
    renaming = Renaming()
    found = [one for event in events if (one := renaming.event(event)) is not None]
    found = [e for e in found if e["kind"] != "buffer_freed" or not e["node"].startswith(COPY_SLICES)]
    found = list(_captured_last(found))
    return [one for _, group in groupby(found, key=_unordered) for one in sorted(group, key=_slot)]


def _captured_last(events: list[Event]) -> Iterator[Event]:
    """Yield the results of each pass right before its end, by the names of their nodes."""
    waiting: dict[str, list[Event]] = {}
    for event in events:
        if event["kind"] == "gradient_captured" and event["into"] == "result":
            waiting.setdefault(event["call"], []).append(event)
            continue
        if event["kind"] == "backward_finished":
            yield from sorted(waiting.pop(event["call"], []), key=_captured)
        yield event


def _captured(event: Event) -> str:
    return str(event["node"])


def _unordered(event: Event) -> tuple[Any, ...]:
    """Return what neighbours have in common whose order is not compared."""
    return (event["kind"], event["node"]) if event["kind"] == "buffer_freed" else (id(event),)


def _slot(event: Event) -> str:
    return str(event.get("slot", ""))
