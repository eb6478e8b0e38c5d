"""backward(): runs the nodes of a graph in PyTorch's order and sends their gradients along the edges.

Nodes run by descending sequence number, which puts every node after all of its consumers, because an edge always leads
to an older node; an AccumulateGrad runs as soon as its last gradient has arrived.  The pass here keeps what has arrived
in the nodes themselves, as raw values.  What it doesn't know of - hooks, wanted inputs, a backward pass that is itself
recorded, one inside another - is run step by step (steps.py).
"""

from __future__ import annotations

import re
import threading
from typing import Any

import numpy as np

from backscope.autograd.accumulate import accumulate
from backscope.autograd.anomaly import state
from backscope.autograd.grad_mode import mode
from backscope.autograd.node import AccumulateGrad, Node, next_sequence_nr
from backscope.autograd.steps import run_steps
from backscope.autograd.task import Demands, Task, discover
from backscope.autograd.thread import running, with_room
from backscope.listening import hub

ndarray = np.ndarray
_nodes_are_free = threading.Lock()
"""Held while a pass keeps its gradients in the nodes; one that begins meanwhile must keep them elsewhere."""


def execute(roots: list[tuple[Node, int, Any]], task: Task) -> None:
    """Run the graph below `roots`, each a node, an output number and the gradient to start from.

    Raises what a formula or a hook raises; nodes that had not run then keep their saved tensors.
    """
    if len(roots) > 1:
        next_sequence_nr()  # PyTorch makes a node that leads to all the roots.
    with_room(_execute, roots, task)


def _execute(roots: list[tuple[Node, int, Any]], task: Task) -> None:
    before = mode.enabled
    mode.enabled = task.create_graph
    running.tasks.append(task)
    task.roots = [r[0] for r in roots]
    try:
        if not _run_at_once(roots, task):
            run_steps(roots, task)
        if task.callbacks:
            _call_back(task)
    except ValueError as error:
        mismatched = _of_shapes(error)
        if mismatched is None:
            raise
        raise mismatched from None
    finally:
        running.tasks.pop()
        task.forget()
        mode.enabled = before


def _of_shapes(error: ValueError) -> RuntimeError | None:
    """PyTorch's error for shapes that a formula could not broadcast; None for any other error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    shapes = re.fullmatch(
        r"operands could not be broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\) ", str(error)
    )
    if shapes is None or trace is None or not trace.tb_frame.f_code.co_filename.startswith("<backscope"):
        return None
    from backscope.ops.elementwise import mismatch

    return mismatch(*[tuple([int(n) for n in s.split(",") if n]) for s in shapes.groups()])


def _call_back(task: Task) -> None:
    called = 0
    while called < len(task.callbacks):
        callback = task.callbacks[called]
        callback()
        called += 1
        if hub.listener is not None:
            hub.listener.hook_ran("callback", None, getattr(callback, "__name__", "<unknown>"), None, None)


def _run_at_once(roots: list[tuple[Node, int, Any]], task: Task) -> bool:
    """Run the whole graph where nothing asks for single steps; False where something does."""
    if task.on_tensors or task.wants is not None or Demands.stepwise or state.enabled:
        return False
    if not _nodes_are_free.acquire(blocking=False):
        return False
    try:
        order = discover(task.roots, task)
        if order is None:
            return False
        try:
            for node, nr, gradient in roots:
                deposit(node, nr, gradient._data)
            gradient = None
            for node in roots_that_are_leaves(roots):
                accumulate(node, task)
            if hub.listener is None:
                run_plain(order, task)
            else:
                run_told(order, task, hub.listener)
        except BaseException:
            for node in order:
                node.grad = None
                for below in node.next:
                    if below is not None:
                        below.grad = None
            raise
    finally:
        _nodes_are_free.release()
    return True


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


def run_plain(order: list[Any], task: Task) -> None:
    """The backward pass when nobody listens: the fast loop."""
    retain = task.retain_graph
    for node in order:
        g = node.grad
        if g is None:
            if not node.runs_without_gradient:
                skip(node, task)
                continue
            if node.multi:
                g = [None] * len(node.shape)
        node.grad = None
        deliver = node.deliver
        ready: list[Any] | None
        if deliver is not None:
            ready = deliver(node, g)
            if not retain and node.saved:
                node.saved = None
            if ready is not None:
                g = None
                for leaf in ready:
                    accumulate(leaf, task)
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
            ready, _ = send(node, gradients)
        if not retain and node.saved:
            node.saved = None
        if ready is not None:
            g = gradients = gradient = None
            for leaf in ready:
                accumulate(leaf, task)


def run_told(order: list[Node], task: Task, listener: Any) -> None:
    """The same as run_plain for a listener, told of each node once, after it ran."""
    retain = task.retain_graph
    for node in order:
        g = node.grad
        if g is None:
            if not node.runs_without_gradient:
                skip(node, task)
                continue
            if node.multi:
                g = [None] * len(node.shape)
        node.grad = None
        deliver: Any = node.deliver
        freed = bool(node.saved) and not retain
        ready: list[Any] | None
        try:
            if deliver is not None and g.__class__ is not ndarray:
                ready, gradients = deliver.told(node, g)
                listener.node_told(node, g, gradients, freed)
            else:
                gradients = node.run(node, g)
                ready, told = send(node, gradients, listener)
                listener.node_ran(node, g, told, freed, False)
        except BaseException:
            listener.node_started(node, g)
            raise
        if freed:
            node.saved = None
        if ready:
            g = gradients = None
            for leaf in ready:
                accumulate(leaf, task)


def send(node: Node, gradients: Any, listener: Any = None) -> tuple[list[Any], list[Any]]:
    """Deliver the gradients of a node's inputs.

    Returns the AccumulateGrads that are now complete, and what a listener is told of each gradient.
    """
    ready: list[Any] = []
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
                total = None if first else below.grad[nr]
            else:
                total = below.grad
                if total is None:
                    below.grad = gradient
                else:
                    total = below.grad = total + gradient
            if listener is not None:
                told.append(listener.sent(node, i, below, nr, gradient, total))
        if below.__class__ is AccumulateGrad:
            below._pending -= 1
            if not below._pending:
                ready.append(below)
    return ready, told


def skip(node: Node, task: Task) -> None:
    """Pass over a node that no gradient reached."""
    ready, _ = send(node, [None] * len(node.next))
    for leaf in ready:
        accumulate(leaf, task)
