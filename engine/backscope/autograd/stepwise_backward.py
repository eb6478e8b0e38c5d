"""The backward pass node by node, as PyTorch's engine takes it: with hooks, wanted inputs, recorded formulas.

A node runs when as many gradients have arrived as edges lead to it, also where all of them are undefined.  What has
arrived is kept in the pass, not in the nodes, so that a hook may run another pass over the same graph.
"""

from __future__ import annotations

from typing import Any

from backscope.autograd import anomaly
from backscope.autograd.accumulate import accumulate
from backscope.autograd.formula import run_recorded
from backscope.autograd.hooks.user_hooks import run_post_accumulate
from backscope.autograd.node import FREED_TEXT, AccumulateGrad, Node
from backscope.autograd.ready import ReadyQueue
from backscope.autograd.task import Task, count_dependencies, restrict
from backscope.autograd.validation import validated
from backscope.runtime.error_facts import blame
from backscope.runtime.listening import hub
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch import pass_below
from backscope.torch_dispatch.stack import stack

Buffers = dict[Node, list[Any]]


def run_steps(roots: list[tuple[Node, int, Any]], task: Task) -> None:
    """Run the graph below `roots`; see engine.execute."""
    count_dependencies(task.roots, task)
    if task.wants is not None:
        restrict(task.roots, task)
    ready = ReadyQueue()
    waiting: Buffers = {}
    _start(roots, task, ready, waiting)
    del roots  # Or a gradient could never be taken over by a leaf.
    while ready.entries:
        node, buffer = ready.pop()
        task.current = node
        if hub.debugger is not None:
            hub.debugger.before_node(node)
        try:
            _step(node, buffer, task, ready, waiting)
        except BaseException:
            if anomaly.state.enabled:
                anomaly.report(node)
            raise
        if hub.debugger is not None:
            hub.debugger.after_node(node)
    task.current = None


def _start(roots: list[tuple[Node, int, Any]], task: Task, ready: ReadyQueue, waiting: Buffers) -> None:
    for node, nr, gradient in roots:
        given = gradient if task.on_tensors else _known(gradient, task)
        if len(roots) > 1:
            _receive(node, nr, given, task, ready, waiting)
        else:
            buffer = _empty(node)
            buffer[nr] = given
            ready.push(node, buffer)


def _known(gradient: Any, task: Task) -> Any:
    """The raw value of the gradient that a pass starts from, which is given out as the same Tensor."""
    raw = gradient._data
    task.wrapped[id(raw)] = gradient
    return raw


def _empty(node: Node) -> list[Any]:
    return [None] * (len(node.shape) if node.multi else 1)


def _step(node: Node, buffer: list[Any], task: Task, ready: ReadyQueue, waiting: Buffers) -> None:
    if task.wants is not None:
        want = task.wants.get(node)
        if want is None:
            return
        gradients = buffer
        if not want.needed and node.hooks is not None:
            tensors = [task.tensor(g) for g in buffer]
            changed = node.hooks.before_capture(node, list(tensors))
            gradients = [g if t is c else c for g, t, c in zip(buffer, tensors, changed, strict=True)]
        if want.captures is not None:
            for nr, position in want.captures:
                captured = task.results[position] = task.captured(gradients[nr])
                if hub.listener is not None and captured is not None:
                    hub.listener.captured(node, None, captured, "result")
        if not want.needed:
            return
        del gradients
    if isinstance(node, AccumulateGrad):
        _step_leaf(node, buffer, task)
        return
    gradients, told_of = _call(node, buffer, task)
    if anomaly.state.enabled and anomaly.state.check_nan:
        _refuse_nan(node, gradients, told_of, task)
    listener = hub.listener
    freed = bool(node.saved) and not task.retain_graph
    told: list[Any] = []
    numbers = node.next_nr
    for i, below in enumerate(node.next):
        if below is None:
            continue
        gradient = gradients[i]
        nr = numbers[i] if numbers else 0
        total = _receive(below, nr, gradient, task, ready, waiting)
        if listener is not None and gradient is not None and task.runs(below):
            told.append((i, below, nr, gradient, total))
    if listener is not None and told_of is not None:
        listener.node_ran(node, told_of, told, freed, True)
    if not task.retain_graph:
        node.release()


def _refuse_nan(node: Node, gradients: list[Any], incoming: Any, task: Task) -> None:
    """Raise RuntimeError where a gradient has a NaN, after the node let go of what it saved."""
    error = anomaly.nan_error(node, gradients, incoming)
    if error is not None:
        if not task.retain_graph:
            node.release()
        try:
            raise error
        finally:
            del error  # Or it and this frame would hold each other, and the graph.


def _receive(below: Node, nr: int, gradient: Any, task: Task, ready: ReadyQueue, waiting: Buffers) -> Any:
    """One edge has carried its gradient; returns what now waits in its place, None where that is the first."""
    assert task.dependencies is not None
    left = task.dependencies[below] - 1
    if left:
        task.dependencies[below] = left
    else:
        del task.dependencies[below]
    buffer = waiting.get(below)
    total = None
    if buffer is None:
        if not task.runs(below):
            return None
        buffer = _empty(below)
        buffer[nr] = gradient
        if left:
            waiting[below] = buffer
    else:
        if gradient is not None:
            before = buffer[nr]
            if before is None:
                buffer[nr] = gradient
            else:
                total = buffer[nr] = _sum(before, gradient)
                if stack.modes and not task.on_tensors:
                    pass_below.total(before, gradient, total)
        if not left:
            del waiting[below]
    if not left:
        ready.push(below, buffer)
    return total


def _sum(before: Any, gradient: Any) -> Any:
    total = before + gradient
    return arranged(total, [before, gradient]) if total.ndim > 1 and not isinstance(total, Tensor) else total


def _before(node: Node, buffer: list[Any], task: Task) -> list[Any]:
    """The hooks that come before a node; returns the gradients that it runs on, raw unless the pass is recorded."""
    hooks = node.hooks
    if hooks is None:
        return buffer
    tensors = [task.tensor(g) for g in buffer]
    gradients: list[Any] = hooks.before(node, hooks.before_capture(node, tensors))
    return gradients


def _raw(gradients: list[Any], task: Task) -> list[Any]:
    """Raw values for formulas on raw values; each is known as the Tensor that it came as."""
    if task.on_tensors:
        return gradients
    values: list[Any] = []
    for g in gradients:
        if g is None or not hasattr(g, "_data"):
            values.append(g)
        else:
            task.wrapped[id(g._data)] = g
            values.append(g._data)
    return values


def _run(node: Node, g: Any, task: Task) -> Any:
    """The gradients of a node's inputs, without those that nobody wants."""
    if stack.modes:
        pass_below.unpacking(node)
    if task.wants is None:
        if not task.on_tensors:
            return pass_below.run(node, g) if stack.modes else node.plan.run(node, g)
        # A custom node empties the list that it is given; the hooks after it want to see what came in.
        return run_recorded(node, list(g) if node.multi else g)
    wanted = tuple([below is not None and task.runs(below) for below in node.next])
    needs = wanted if not node.composite and not node.op.listed and True in wanted else None
    if task.on_tensors:
        gradients = run_recorded(node, list(g) if node.multi else g, needs)
    elif stack.modes:
        gradients = pass_below.run(node, g, needs)
    else:
        gradients = (node.plan if needs is None else node.plan.part(needs)).run(node, g)
    return [x if want or below is None else None for x, want, below in zip(gradients, wanted, node.next, strict=True)]


def _call(node: Node, buffer: list[Any], task: Task) -> tuple[list[Any], Any]:
    """Run a node with its hooks; returns the gradients of its inputs, and what it ran on, None where it did not."""
    incoming = _before(node, buffer, task)
    values = _raw(incoming, task)
    g: Any = values if node.multi else values[0]
    told_of = None
    watched = node.hooks is not None and bool(node.hooks.post)
    gradients: Any
    if node.runs_without_gradient or any(v is not None for v in values):
        if hub.listener is not None:
            hub.listener.node_started(node, g)
            told_of = g
        if node.takes_tensors:
            taken = [task.tensor(x) for x in incoming]
            gradients = _raw(run_recorded(node, taken if node.multi else taken[0]), task)
        else:
            gradients = _run(node, g, task)
        if not task.on_tensors or node.composite:  # What an op's formula gives on Tensors fits already.
            gradients = validated(node, gradients)
    else:
        if node.saved is None and not node.composite:
            raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
        gradients = [None] * len(node.next)
    hooks = node.hooks
    if hooks is not None and hooks.post:
        # Nobody kept what came in for hooks that the formula itself registered, by way of an unpack hook.
        came = [task.tensor(x) for x in incoming] if watched else []
        outgoing = hooks.after(node, [task.tensor(x) for x in gradients], came)
        gradients = _raw(outgoing, task)
    return gradients, told_of


def _step_leaf(leaf: AccumulateGrad, buffer: list[Any], task: Task) -> None:
    """Add what has arrived at an AccumulateGrad to `.grad`, with the hooks around it."""
    hooks = leaf.hooks
    if hooks is None:
        if buffer[0] is not None:
            _accumulate(leaf, buffer, task)
        return
    incoming = _before(leaf, buffer, task)
    buffer.clear()
    seen = list(incoming) if hooks.post else None
    gradients = _raw(incoming, task)
    del incoming
    if gradients[0] is not None:
        _accumulate(leaf, gradients, task)
    run_post_accumulate(leaf, leaf.variable)
    if seen is not None:
        hooks.after(leaf, [], seen)


def _accumulate(leaf: AccumulateGrad, gradients: list[Any], task: Task) -> None:
    """Accumulate the only gradient in a list, which nobody else must hold if its memory is to be taken over."""
    waiting = leaf.grad
    leaf.grad = gradients.pop()
    seen = bool(stack.modes)
    old = leaf.variable._grad if seen else None
    added = None if old is None else leaf.grad  # A first gradient must not be held, or it could not be taken over.
    try:
        accumulate(leaf, task)
    finally:
        leaf.grad = waiting
    if seen:
        pass_below.accumulated(leaf.variable, old, added)
