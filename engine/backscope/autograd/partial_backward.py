"""The pass for gradients that are wanted of certain inputs, or recorded, where no hook and no listener is.

It goes through the nodes in a sorted list, as Tensors or raw values travel; what was reached is kept in the nodes.
"""

from __future__ import annotations

from typing import Any

from backscope.autograd.accumulate import accumulate
from backscope.autograd.formula import run_recorded
from backscope.autograd.node import FREED_TEXT, Node
from backscope.autograd.task import Task, Want, forget_gradients
from backscope.autograd.validation import fitted, validated
from backscope.runtime.error_facts import blame
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


def run_wanted(roots: list[tuple[Node, int, Any]], order: list[Node], task: Task) -> None:
    """Run the nodes of `order`, those that are needed for what the task wants."""
    wants = task.wants
    if wants is not None:
        _mark_needed(order, wants)
    leaves: list[Any] = []
    for node, nr, gradient in roots:
        if not task.on_tensors:
            task.wrapped[id(gradient._data)] = gradient  # What is captured as it came is the same Tensor.
        _add(node, nr, gradient if task.on_tensors else gradient._data)
        if not node.next and not node._pending and node not in leaves:
            leaves.append(node)
    gradient = None
    try:
        for leaf in leaves:
            _finish(leaf, task)
        for node in order:
            g = node.grad
            node.grad = None
            if wants is not None:
                want = wants.get(node)
                if want is None:
                    continue
                if want.captures is not None:
                    _capture(node, g, want.captures, task)
                if not want.needed:
                    continue
            _send(node, _run(node, g, task), task)
            g = None
            if not task.retain_graph:
                node.release()
    except BaseException:
        forget_gradients(order)
        raise


def _mark_needed(order: list[Node], wants: dict[Node, Want]) -> None:
    """Mark the nodes from which a wanted node can be reached."""
    for node in reversed(order):
        for below in node.next:
            if below is not None and below in wants:
                entry = wants.get(node)
                if entry is None:
                    entry = wants[node] = Want()
                entry.needed = True
                break


def _run(node: Node, g: Any, task: Task) -> Any:
    """The gradients of a node's inputs, without those that nobody wants."""
    if g is None and not node.runs_without_gradient:
        if node.saved is None and not node.composite:
            raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
        return (None,) * len(node.next)
    if g is None and node.multi:
        g = [None] * len(node.shape)
    needs = None
    if task.wants is not None and not node.composite and not node.op.listed:
        needs = tuple([below is not None and task.runs(below) for below in node.next])
    if not task.on_tensors:
        return (node.plan if needs is None else node.plan.part(needs)).run(node, g)
    gradients = run_recorded(node, g, needs)
    return validated(node, gradients) if node.composite else gradients


def _send(node: Node, gradients: Any, task: Task) -> None:
    numbers = node.next_nr
    wants = task.wants
    ready: list[Any] = []
    below: Any
    for i, below in enumerate(node.next):
        if below is None or (wants is not None and below not in wants):
            continue
        gradient = gradients[i]
        if gradient is not None:
            _add(below, numbers[i] if numbers else 0, gradient)
        if not below.next:
            below._pending -= 1
            if not below._pending:
                ready.append(below)
    gradient = gradients = None
    for leaf in ready:
        _finish(leaf, task)


def _add(node: Node, nr: int, gradient: Any) -> None:
    """Add a gradient to what waits at output `nr` of a node."""
    before = node.grad
    if not node.multi:
        node.grad = gradient if before is None else _sum(before, gradient)
    elif before is None:
        node.grad = [None] * len(node.shape)
        node.grad[nr] = gradient
    else:
        before[nr] = gradient if before[nr] is None else _sum(before[nr], gradient)


def _sum(before: Any, gradient: Any) -> Any:
    total = before + gradient
    return arranged(total, [before, gradient]) if total.ndim > 1 and not isinstance(total, Tensor) else total


def _finish(leaf: Any, task: Task) -> None:
    """No more gradients will reach an AccumulateGrad."""
    want = None if task.wants is None else task.wants.get(leaf)
    if want is not None and want.captures is not None:
        _capture(leaf, leaf.grad, want.captures, task)
    if task.wants is None or (want is not None and want.needed):
        accumulate(leaf, task)
    leaf.grad = None


def _capture(node: Any, g: Any, captures: list[tuple[int, int]], task: Task) -> None:
    for nr, position in captures:
        gradient = g[nr] if g is not None and node.multi else g
        if gradient is not None:
            gradient = fitted(gradient, nr, node, nr, lambda text: f"Function {node.name()} returned an {text}")
        task.results[position] = task.captured(gradient)
