"""Finds the nodes that lessons name in the recording of a program."""

from __future__ import annotations

from backscope.caption import Run
from backscope.moments.moment_search import NotFound
from backscope.protocol import events as ev
from backscope.runtime.known_names import one_of
from backscope_server.lessons import node_name
from backscope_server.lessons.lesson import NamedNode


def find(run: Run, seq: int, text: str) -> NamedNode:
    """Return the node that is meant at the moment after the event `seq`.

    Raises: NotFound; NotAName.
    """
    name = node_name.parse(text)
    started = _started(run, seq)
    if name.form == "next":
        coming = next((one.node for one in started if one.seq > seq), None)
        if coming is None:
            raise NotFound("There is no next node: none runs after this moment.")
        return _node(run, coming, started)
    if name.form == "class":
        nodes = list(dict.fromkeys(one.node for one in started))
        like = [node for node in nodes if run.tape.nodes[node].name == name.name]
        if name.number <= len(like):
            return _node(run, like[name.number - 1], started)
        classes = list(dict.fromkeys(run.tape.nodes[node].name for node in nodes))
        if not classes:
            raise NotFound(f"There is no node {text!r}: no backward pass runs at this moment or after it.")
        if like:
            raise NotFound(f"There is no node {text!r}: the pass runs {len(like)} of that class.")
        raise NotFound(f"There is no node {text!r} in the pass. {one_of(name.name, classes)}")
    tensor = run.tape.find(name.name, seq)
    if tensor is None:
        raise NotFound(f"There is no variable {name.name!r} at this moment. {one_of(name.name, run.tape.bound)}")
    facts = run.tape.tensors[tensor]
    if name.form == "grad_fn":
        made = facts.grad_fn(seq)
        if made is None:
            raise NotFound(
                f"{name.name} has no grad_fn at this moment: it is a leaf. Write 'leaf {name.name}' for its node."
            )
        return _node(run, made, started)
    receiver = facts.receiver(len(run.events))
    if receiver is None or facts.grad_fn(seq) is not None:
        raise NotFound(f"{name.name} is no leaf that a node adds a gradient to.")
    return _node(run, receiver, started)


def in_order(run: Run, nodes: list[NamedNode]) -> list[NamedNode]:
    """Return nodes in the order in which they run.

    Raises: NotFound where one does not run, or is named twice.
    """
    for node in nodes:
        if node.step is None:
            raise NotFound(
                f"{node.name} does not run in the pass at this moment or after it, so it has no place in the order."
            )
    if len({node.node for node in nodes}) < len(nodes):
        raise NotFound("A node is named twice, in two ways.")
    return sorted(nodes, key=lambda node: node.step or 0)


def _started(run: Run, seq: int) -> list[ev.NodeStarted]:
    """Return the nodes of the pass that runs at a moment, or else of the next one, as they run."""
    for facts in run.tape.passes.values():
        if not facts.over(seq):
            call = facts.started.call
            return [one for one in run.events if isinstance(one, ev.NodeStarted) and one.call == call]
    return []


def _node(run: Run, node: int, started: list[ev.NodeStarted]) -> NamedNode:
    step = next((run.index(one.seq) for one in started if one.node == node), None)
    return NamedNode(node=node, name=run.tape.nodes[node].name, step=step)
