"""backward(): runs the nodes of a graph in PyTorch's order and sends their gradients along the edges.

Nodes run by descending sequence number, which puts every node after all of its consumers, because an edge always leads
to an older node; an AccumulateGrad runs as soon as its last gradient has arrived.  Gradients are raw values, or Tensors
when the backward pass is itself recorded (create_graph).
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from backscope.autograd.accumulate import accumulate
from backscope.autograd.formula import as_tensor, run_recorded
from backscope.autograd.grad_mode import mode
from backscope.autograd.node import AccumulateGrad, Node
from backscope.autograd.task import Suspended, Task, discover, restrict
from backscope.listening import hub

ndarray = np.ndarray


class _Running(threading.local):
    """The graph tasks of this thread, innermost last."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []


running = _Running()


def execute(roots: list[tuple[Node, int, Any]], task: Task, wanted: set[Node] | None = None) -> None:
    """Run the graph below `roots`, each a node, an output number and the gradient to start from.

    Raises what a formula or a hook raises; nodes that had not run then keep their saved tensors.
    """
    if running.tasks:
        with Suspended([r[0] for r in roots]):
            _execute(roots, task, wanted)
    else:
        _execute(roots, task, wanted)


def _execute(roots: list[tuple[Node, int, Any]], task: Task, wanted: set[Node] | None) -> None:
    order = discover([r[0] for r in roots], task)
    if wanted is not None:
        restrict(order, task, wanted)
    for node, nr, gradient in roots:
        deposit(node, nr, gradient if task.create_graph else gradient._data)
    before = mode.enabled
    mode.enabled = task.create_graph
    running.tasks.append(task)
    try:
        for node in roots_that_are_leaves(roots):
            finish_leaf(node, task)
        if not task.create_graph and task.needed is None and not task.captures:
            if hub.listener is None:
                run_plain(order, task)
            else:
                run_told(order, task, hub.listener)
        else:
            run_watched(order, task)
    except BaseException:
        for node in order:
            node.grad = None
            for below in node.next:
                if below is not None:
                    below.grad = None
        raise
    finally:
        running.tasks.pop()
        mode.enabled = before


def roots_that_are_leaves(roots: list[tuple[Node, int, Any]]) -> list[Any]:
    """The roots that are AccumulateGrads to which nothing else leads, each once."""
    leaves = [node for node, _, _ in roots if isinstance(node, AccumulateGrad) and not node._pending]
    return list(dict.fromkeys(leaves))


def deposit(node: Node, nr: int, gradient: Any) -> None:
    """Add a gradient to what waits at output `nr` of a node."""
    if node.multi:
        buffer = node.grad
        if buffer is None:
            buffer = node.grad = [None] * len(node.shape)
        buffer[nr] = gradient if buffer[nr] is None else buffer[nr] + gradient
    else:
        node.grad = gradient if node.grad is None else node.grad + gradient


def run_plain(order: list[Node], task: Task) -> None:
    """The backward pass when nobody listens, nothing is captured and nothing is recorded: the fast loop."""
    retain = task.retain_graph
    for node in order:
        g = node.grad
        if g is None:
            if node.runs_without_gradient:
                run_one(node, [None] * len(node.shape), task)
            else:
                skip(node, task)
            continue
        node.grad = None
        if node.hooks is not None:
            run_one(node, g, task)
            g = None
            continue
        deliver = node.deliver
        ready: list[Node] | None
        if deliver is not None:
            ready = deliver(node, g)
            if not retain and node.saved:
                node.saved = None
            if ready is not None:
                g = None
                for leaf in ready:
                    finish_leaf(leaf, task)
            continue
        gradients = node.run(node, g)
        ready = None
        if node.next_nr is None:
            for below, gradient in zip(node.next, gradients):  # noqa: B905 - strict costs 100 ns here
                if below is None:
                    continue
                if gradient is not None:
                    waiting = below.grad
                    below.grad = gradient if waiting is None else waiting + gradient
                if not below.next:
                    below._pending -= 1
                    if not below._pending:
                        if ready is None:
                            ready = [below]
                        else:
                            ready.append(below)
        else:
            ready = send(node, gradients)
        if not retain and node.saved:
            node.saved = None
        if ready is not None:
            g = gradients = gradient = None
            for leaf in ready:
                finish_leaf(leaf, task)


def run_told(order: list[Node], task: Task, listener: Any) -> None:
    """The same as run_plain for a listener, told of each node once, after it ran."""
    retain = task.retain_graph
    for node in order:
        g = node.grad
        if g is None:
            if node.runs_without_gradient:
                run_one(node, [None] * len(node.shape), task)
            else:
                skip(node, task)
            continue
        node.grad = None
        if node.hooks is not None:
            run_one(node, g, task)
            continue
        deliver: Any = node.deliver
        freed = bool(node.saved) and not retain
        ready: list[Node] | None
        try:
            if deliver is not None and g.__class__ is not ndarray:
                ready, gradients = deliver.told(node, g)
                listener.node_told(node, g, gradients, freed)
            else:
                gradients = node.run(node, g)
                ready, told = send_told(node, gradients, listener)
                listener.node_ran(node, g, told, freed, False)
        except BaseException:
            listener.node_started(node, g)
            raise
        if freed:
            node.saved = None
        if ready:
            g = gradients = None
            for leaf in ready:
                finish_leaf(leaf, task)


def send(node: Node, gradients: Any) -> list[Node]:
    """Deliver the gradients of a node's inputs; returns the AccumulateGrads that are now complete."""
    ready: list[Node] = []
    numbers = node.next_nr
    for i, below in enumerate(node.next):
        if below is None:
            continue
        gradient = gradients[i]
        if gradient is not None:
            if numbers is None:
                waiting = below.grad
                below.grad = gradient if waiting is None else waiting + gradient
            else:
                deposit(below, numbers[i], gradient)
        if below.__class__ is AccumulateGrad:
            below._pending -= 1
            if not below._pending:
                ready.append(below)
    return ready


def send_told(node: Node, gradients: Any, listener: Any) -> tuple[list[Node], list[Any]]:
    """Like send(), and also what a listener is told of each gradient."""
    ready: list[Node] = []
    told: list[Any] = []
    numbers = node.next_nr
    for i, below in enumerate(node.next):
        if below is None:
            continue
        gradient = gradients[i]
        if gradient is not None:
            nr = numbers[i] if numbers else 0
            if below.multi:
                first = below.grad is None or below.grad[nr] is None
                deposit(below, nr, gradient)
                told.append(listener.sent(node, i, below, nr, gradient, None if first else below.grad[nr]))
            else:
                total = below.grad
                if total is None:
                    below.grad = gradient
                else:
                    total = below.grad = total + gradient
                told.append(listener.sent(node, i, below, nr, gradient, total))
        if below.__class__ is AccumulateGrad:
            below._pending -= 1
            if not below._pending:
                ready.append(below)
    return ready, told


def skip(node: Node, task: Task) -> None:
    """Pass over a node that no gradient reached, or none is wanted from."""
    for leaf in send(node, [None] * len(node.next)):
        finish_leaf(leaf, task)


def finish_leaf(leaf: Any, task: Task) -> None:
    """Accumulate what has arrived at an AccumulateGrad, or capture it."""
    if leaf.grad is None:
        return
    if leaf in task.captures:
        gradient = as_tensor(leaf.grad)
        leaf.grad = None
        if leaf.hooks is not None:
            gradient = leaf.hooks.before(leaf, [gradient])[0]
        keep(leaf, [gradient], task)
        return
    if task.needed is not None and leaf not in task.needed:
        leaf.grad = None
        return
    accumulate(leaf, task)


def keep(node: Node, gradients: list[Any], task: Task) -> None:
    """Store the gradients of a captured node in the task's results."""
    for nr, position in task.captures[node]:
        task.results[position] = gradients[nr]
        if hub.listener is not None and gradients[nr] is not None:
            hub.listener.captured(node, None, gradients[nr], "result")


def run_watched(order: list[Node], task: Task) -> None:
    """The backward pass with a listener, captures, hooks or create_graph."""
    for node in order:
        g = node.grad
        if (task.needed is not None and node not in task.needed) or (g is None and not node.runs_without_gradient):
            node.grad = None
            skip(node, task)
            continue
        if g is None and node.multi:
            g = [None] * len(node.shape)
        node.grad = None
        run_one(node, g, task)


def run_one(node: Node, g: Any, task: Task) -> None:
    """Run one node with everything that may surround it: hooks, captures, a listener, a recorded formula."""
    listener = hub.listener
    if node.hooks is not None:
        incoming = [as_tensor(x) for x in g] if node.multi else [as_tensor(g)]
        incoming = node.hooks.before(node, incoming)
        g = incoming if node.multi else incoming[0]
        if not task.create_graph:
            g = [None if x is None else x._data for x in g] if node.multi else (None if g is None else g._data)
    if node in task.captures:
        keep(node, [as_tensor(x) for x in g] if node.multi else [as_tensor(g)], task)
        if task.needed is not None and not any(below in task.needed for below in node.next):
            skip(node, task)
            return
    if listener is not None:
        listener.node_started(node, g)
    gradients = run_recorded(node, g) if task.create_graph else node.run(node, g)
    if node.hooks is not None and node.hooks.post:
        outgoing = node.hooks.after(node, [as_tensor(x) for x in gradients], incoming)
        gradients = outgoing if task.create_graph else [None if x is None else x._data for x in outgoing]
    if task.needed is not None:
        gradients = [x if n in task.needed else None for x, n in zip(gradients, node.next, strict=True)]
    freed = bool(node.saved) and not task.retain_graph
    if listener is None:
        ready = send(node, gradients)
    else:
        ready, told = send_told(node, gradients, listener)
        listener.node_ran(node, g, told, freed, True)
    if not task.retain_graph:
        node.release()
    g = gradients = None
    for leaf in ready:
        finish_leaf(leaf, task)
