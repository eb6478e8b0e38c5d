"""The fast loop of backward(): gradients are raw values that are kept in the nodes, and each op runs compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any

from backscope.autograd.accumulate import accumulate
from backscope.autograd.accumulate_inputs import UNDEFINED, Pass, accumulate_input, run_and_send, run_part_and_send
from backscope.autograd.node import AccumulateGrad, Node
from backscope.autograd.task import Task, Want
from backscope.runtime.listening import hub


def run_fast(roots: list[tuple[Node, int, Any]], task: Task, pass_: Pass, stops: Iterator[Any] | None = None) -> None:
    """Run the graph below `roots`, which has no hooks; where inputs are wanted, they are all of its leaves.

    It finds the graph while it runs.  Of the nodes that were reached the youngest runs next, which is PyTorch's order;
    often that is the one which the last node led to.  A leaf that more gradients may reach is accumulated at the end,
    unless a node fails.  With a listener the edges to each leaf are counted beforehand, so that it is accumulated, and
    the listener called, as soon as it is complete.  `stops` yields the same nodes in the same order, each after the
    debugger's stop there.
    """
    queue, ready = pass_.queue, pass_.ready
    node: Any = None
    finish = accumulate if task.wants is None else _capture
    try:
        for root, nr, gradient in roots:
            if accumulate_input(root, nr, gradient._data, pass_):
                if root.next:
                    pass_.push(root)
                else:
                    pass_.start_at_leaf(root)
        gradient = None
        while True:
            if ready:
                for leaf in ready:
                    finish(leaf, task)
                ready.clear()
            if node is None:
                if not queue:
                    break
                node = heappop(queue)[1]
                step = run_and_send if node.grad is UNDEFINED else node.plan.run_and_send
            elif queue and queue[0][0] < -node.sequence_nr:
                heappush(queue, (-node.sequence_nr, node))
                node = None
                continue
            else:
                step = node.plan.run_and_send
            if stops is not None:
                next(stops)
            try:
                node = step(node, pass_)
            except BaseException:
                _report_failed(node, pass_)
                raise
        if stops is not None:
            next(stops, None)
        for leaf in pass_.leaves:
            finish(leaf, task)
    except BaseException:
        if pass_.gradients_sent is None:
            _fail(node, pass_, task)
        raise


def run_part(roots: list[tuple[Node, int, Any]], task: Task, pass_: Pass, parts: dict[Node, tuple[bool, ...]]) -> None:
    """Run the nodes below `roots` that lead to wanted ones, as run_fast() does; the pass has no listener.

    `parts` has, for the nodes that are wanted or of which not all inputs lead to a wanted node, which inputs do.
    """
    queue = pass_.queue
    wants: Any = task.wants
    node: Any = None
    try:
        for root, nr, gradient in roots:
            if root in wants and accumulate_input(root, nr, gradient._data, pass_):
                if root.next:
                    pass_.push(root)
                else:
                    pass_.start_at_leaf(root)
        gradient = None
        while True:
            if node is None:
                if not queue:
                    break
                node = heappop(queue)[1]
            elif queue and queue[0][0] < -node.sequence_nr:
                heappush(queue, (-node.sequence_nr, node))
                node = None
                continue
            needs = parts.get(node)
            if needs is not None:
                _capture_at(node, wants[node], task)
                if True in needs:
                    node = run_part_and_send(node, pass_, needs)
                else:
                    node.grad = node = None
            else:
                step = run_and_send if node.grad is UNDEFINED else node.plan.run_and_send
                node = step(node, pass_)
        for leaf in (*pass_.ready, *pass_.leaves):
            _capture(leaf, task)
    except BaseException:
        _fail(node, pass_, task)
        raise


def _capture(leaf: AccumulateGrad, task: Task) -> None:
    """Make the gradient at a wanted leaf a result of the pass."""
    gradient, leaf.grad = leaf.grad, None
    entry = None if task.wants is None else task.wants.get(leaf)
    for _, position in (entry.captures if entry is not None else None) or ():
        task.results[position] = task.captured(gradient)


def _capture_at(node: Any, entry: Want, task: Task) -> None:
    """Make the gradients that have arrived at a wanted node results of the pass."""
    g = None if node.grad is UNDEFINED else node.grad
    for nr, position in entry.captures or ():
        task.results[position] = task.captured(g if g is None or not node.multi else g[nr])


def _report_failed(node: Node, pass_: Pass) -> None:
    """Call the listener with the node that failed and the gradients that it ran on."""
    listener = hub.listener
    if pass_.gradients_sent is not None and listener is not None:
        g = None if node.grad is UNDEFINED else node.grad
        listener.node_started(node, [None] * len(node.shape) if node.multi and g is None else g)


def _fail(failed: Any, pass_: Pass, task: Task) -> None:
    """After a node failed, accumulate the leaves that are complete and drop the gradients in the other nodes."""
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
        if task.wants is not None:
            leaf.grad = None
        elif leaf not in incomplete:
            accumulate(leaf, task)
