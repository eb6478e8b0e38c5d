"""backward(): runs the nodes of a graph in PyTorch's order and sends their gradients along the edges.

Nodes run by descending sequence number, which puts every node after all of its consumers, because an edge always leads
to an older node; an AccumulateGrad runs as soon as its last gradient has arrived.  The passes here keep what has
arrived in the nodes themselves, as raw values.  For wanted inputs, and where the pass is itself recorded,
partial_backward.py does the same; what they don't know of - hooks, anomaly mode, a pass inside another - is run step by
step (stepwise_backward.py).
"""

from __future__ import annotations

import re
import threading
from heapq import heappop, heappush
from typing import Any

import numpy as np

from backscope.autograd.accumulate import accumulate
from backscope.autograd.accumulate_inputs import UNDEFINED, Audience, Pass, deliver, deposit
from backscope.autograd.anomaly import state
from backscope.autograd.hooks.user_hooks import is_own
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import AccumulateGrad, Node, next_sequence_nr
from backscope.autograd.partial_backward import run_wanted
from backscope.autograd.stepwise_backward import run_steps
from backscope.autograd.task import Demands, Task, discover, forget_gradients
from backscope.autograd.thread import running, with_room
from backscope.autograd.transform_level import levels
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub
from backscope.runtime.passive import callable_name
from backscope.torch_dispatch.stack import stack

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
    from backscope.ops.core.elementwise import mismatch

    return mismatch(*[tuple([int(n) for n in s.split(",") if n]) for s in shapes.groups()])


def _call_back(task: Task) -> None:
    called = 0
    while called < len(task.callbacks):
        callback = task.callbacks[called]
        callback()
        called += 1
        if hub.listener is not None and not is_own(callback):
            hub.listener.hook_ran("callback", None, callable_name(callback), None, None)


def _run_at_once(roots: list[tuple[Node, int, Any]], task: Task) -> bool:
    """Run the whole graph where nothing asks for single steps; False where something does."""
    if levels or Demands.stepwise or state.enabled or stack.modes:
        return False
    listener = hub.listener
    chosen = task.on_tensors or task.wants is not None
    if chosen and listener is not None:
        return False
    if not _nodes_are_free.acquire(blocking=False):
        return False
    try:
        order = discover(task.roots) if chosen or Demands.hooked or listener is not None else []
        if order is None:
            return False
        if chosen:
            run_wanted(roots, order, task)
        elif listener is None:
            run_plain(roots, task)
        else:
            try:
                run_told(roots, order, task, listener)
            except BaseException:
                forget_gradients(order)
                raise
    finally:
        _nodes_are_free.release()
    return True


def run_plain(roots: list[tuple[Node, int, Any]], task: Task) -> None:
    """The backward pass when nobody listens: the fast loop.

    It finds the graph as it goes.  Of the nodes that were reached the youngest runs next, which is PyTorch's order;
    often that is the one which the last node led to.  A leaf with several edges waits for the end, unless it fails.
    """
    pass_ = Pass(not task.retain_graph)
    queue, ready = pass_.queue, pass_.ready
    node: Any = None
    try:
        for root, nr, gradient in roots:
            if deposit(root, nr, gradient._data):
                if root.next:
                    pass_.push(root)
                else:
                    pass_.leaves.append(root)
        gradient = None
        while True:
            if node is None:
                if not queue:
                    break
                node = heappop(queue)[1]
                if node.grad is UNDEFINED:
                    deliver(node, pass_)
                    node = None
                    continue
            elif queue and queue[0][0] < -node.sequence_nr:
                heappush(queue, (-node.sequence_nr, node))
                node = None
                continue
            node = node.plan.deliver(node, pass_)
            if ready:
                for leaf in ready:
                    accumulate(leaf, task)
                ready.clear()
        for leaf in pass_.leaves:
            accumulate(leaf, task)
    except BaseException:
        _fail(node, pass_, task)
        raise


def _fail(failed: Any, pass_: Pass, task: Task) -> None:
    """Leave things as they are where a node failed: leaves that it kept no gradient from have got theirs."""
    stack = [node for _, node in pass_.queue]
    if failed is not None:
        stack.append(failed)
    incomplete: set[Any] = set(stack)
    while stack:
        node = stack.pop()
        node.grad = None
        for below in node.next:
            if below is not None and below not in incomplete:
                incomplete.add(below)
                stack.append(below)
    for leaf in (*pass_.ready, *pass_.leaves):
        if leaf not in incomplete:
            accumulate(leaf, task)


def roots_that_are_leaves(roots: list[tuple[Node, int, Any]]) -> list[Any]:
    """The roots that are AccumulateGrads to which nothing else leads, each once."""
    leaves = [node for node, _, _ in roots if isinstance(node, AccumulateGrad) and not node._pending]
    return list(dict.fromkeys(leaves))


def run_told(roots: list[tuple[Node, int, Any]], order: list[Node], task: Task, listener: Listener) -> None:
    """The same as run_plain for a listener, told of each node once, after it ran, and of each leaf when it is complete.

    `order` is that in which the nodes run.
    """
    audience = Audience(listener, not task.retain_graph)
    for node, nr, gradient in roots:
        deposit(node, nr, gradient._data)
    gradient = None
    for node in roots_that_are_leaves(roots):
        accumulate(node, task)
    for node in order if hub.debugger is None else hub.debugger.nodes(order, audience):
        try:
            ready = node.plan.told(node, audience)
        except BaseException:
            g = node.grad
            listener.node_started(node, [None] * len(node.shape) if node.multi and g is None else g)
            raise
        if ready is not None:
            for leaf in ready:
                accumulate(leaf, task)
