"""The stepwise loop of backward(), node by node as in PyTorch's engine: hooks, wanted inputs, recorded formulas.

A node runs when as many gradients have arrived as edges lead to it, also where all of them are undefined.  Arriving
gradients are kept in the pass, not in the nodes, so that a hook may run another pass over the same graph.

A step has two forms.  `_step_observed` runs any node, with its hooks, and calls listeners and modes.
`_step_unobserved` runs a node without any of these, in one function without the calls of the other form: this halves
the time of autograd.grad on small ops.
"""

from __future__ import annotations

from typing import Any

from backscope.autograd import anomaly
from backscope.autograd.accumulate import accumulate
from backscope.autograd.formula import run_recorded
from backscope.autograd.hooks.user_hooks import run_post_accumulate
from backscope.autograd.node import AccumulateGrad, Node
from backscope.autograd.ready import ReadyQueue
from backscope.autograd.saved.saved_tensors import check_saved
from backscope.autograd.task import Demands, Task, count_dependencies
from backscope.autograd.validation import validated
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch import pass_below
from backscope.torch_dispatch.mode_stack import stack

Buffers = dict[Node, list[Any]]


def run_steps(roots: list[tuple[Node, int, Any]], task: Task) -> None:
    """Run the graph below `roots`; see engine.execute."""
    count_dependencies(task.roots, task)
    ready = ReadyQueue()
    entries = ready.entries
    waiting: Buffers = {}
    _start(roots, task, ready, waiting)
    del roots  # A leaf takes a gradient's memory over only if nothing else refers to it.
    while entries:
        node, buffer = entries.pop() if len(entries) == 1 else ready.pop()
        task.current = node
        if hub.debugger is not None:
            hub.debugger.before_node(node)
        try:
            if node.hooks is not None or hub.listener is not None or anomaly.state.enabled or stack.modes:
                _step_observed(node, buffer, task, ready, waiting)
            else:
                _step_unobserved(node, buffer, task, ready, waiting)
        except BaseException:
            if anomaly.state.enabled:
                anomaly.report(node)
            raise
        if hub.debugger is not None:
            hub.debugger.after_node(node)
    task.current = None


def _start(roots: list[tuple[Node, int, Any]], task: Task, ready: ReadyQueue, waiting: Buffers) -> None:
    for node, nr, gradient in roots:
        given = gradient if task.on_tensors else _raw_root(gradient, task)
        if len(roots) > 1:
            _receive(node, nr, given, task, ready, waiting)
        else:
            buffer = _empty(node)
            buffer[nr] = given
            ready.push(node, buffer)


def _raw_root(gradient: Value, task: Task) -> Any:
    """Return the raw value of a gradient that a pass starts from, and remember its Tensor for hooks and results."""
    raw = gradient._data
    task.wrapped[id(raw)] = gradient
    return raw


def _empty(node: Node) -> list[Any]:
    return [None] * (len(node.shape) if node.multi else 1)


def _step_observed(node: Node, buffer: list[Any], task: Task, ready: ReadyQueue, waiting: Buffers) -> None:
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
    gradients, ran_on = _call(node, buffer, task)
    if anomaly.state.enabled and anomaly.state.check_nan:
        _refuse_nan(node, gradients, ran_on, task)
    listener = hub.listener
    numbers = node.next_nr
    if listener is None:
        for i, below in enumerate(node.next):
            if below is not None:
                _receive(below, numbers[i] if numbers else 0, gradients[i], task, ready, waiting)
    else:
        freed = bool(node.saved) and not task.retain_graph
        sent: list[Any] = []
        for i, below in enumerate(node.next):
            if below is None:
                continue
            gradient = gradients[i]
            nr = numbers[i] if numbers else 0
            total = _receive(below, nr, gradient, task, ready, waiting)
            if gradient is not None and task.runs(below):
                sent.append((i, below, nr, gradient, total))
        if ran_on is not None:
            listener.node_ran(node, ran_on, sent, freed, True)
    if not task.retain_graph:
        node.release()


def _step_unobserved(node: Node, buffer: list[Any], task: Task, ready: ReadyQueue, waiting: Buffers) -> None:
    """Run a node without hooks, where there is no listener, mode or anomaly detection; see the module's docstring."""
    multi = node.multi
    g: Any = buffer if multi else buffer[0]
    wants = task.wants
    if wants is not None:
        want = wants.get(node)
        if want is None:
            return
        if want.captures is not None:
            for nr, position in want.captures:
                task.results[position] = task.captured(buffer[nr])
        if not want.needed:
            return
    if node.__class__ is AccumulateGrad:
        if g is not None:
            del g
            _accumulate(node, buffer, task)
        return
    following = node.next
    gradients: Any
    below: Any
    needs: tuple[bool, ...] | None = None  # None where all that requires a gradient is wanted.
    if wants is not None:
        for below in following:
            if below is not None and below not in wants:
                needs = tuple([n in wants for n in following])
                break
    if (g is None or (multi and not any(x is not None for x in g))) and not node.runs_without_gradient:
        check_saved(node)
        gradients = (None,) * len(following)
    elif node.takes_tensors:
        taken = [task.tensor(x) for x in buffer]
        gradients = _fitted(node, _raw(run_recorded(node, taken if multi else taken[0]), task))
    else:
        part = needs if needs is not None and not node.composite and not node.op.listed and True in needs else None
        if task.on_tensors:
            # A custom node empties its list.
            gradients = run_recorded(node, list(g) if multi else g, part)
            if node.composite:
                gradients = validated(node, gradients)
        else:
            gradients = (node.plan if part is None else node.plan.part(part)).run(node, g)
            if multi or node.composite or Demands.stepwise or node.dtype.is_complex:
                gradients = _fitted(node, gradients)
    dependencies: Any = task.dependencies
    numbers = node.next_nr
    for i, below in enumerate(following):
        if below is None or (needs is not None and not needs[i]):
            continue
        if below.multi:
            _receive(below, numbers[i] if numbers else 0, gradients[i], task, ready, waiting)
            continue
        gradient = gradients[i]
        left = dependencies[below] - 1
        if below not in waiting:
            received = [gradient]
            if left:
                waiting[below] = received
        else:
            received = waiting[below]
            if gradient is not None:
                before = received[0]
                received[0] = gradient if before is None else _sum(before, gradient)
                before = None
        if left:
            dependencies[below] = left
        else:
            del dependencies[below]
            waiting.pop(below, None)
            if wants is not None and not below.next and below.hooks is None and not wants[below].needed:
                _step_unobserved(below, received, task, ready, waiting)  # It is captured, in whatever order.
            elif ready.entries:
                ready.push(below, received)
            else:
                ready.entries.append((below, received))
    if not task.retain_graph and node.saved is not None:
        node.release()


def _refuse_nan(node: Node, gradients: list[Any], incoming: Value, task: Task) -> None:
    """Raise RuntimeError where a gradient has a NaN, after the node freed its saved tensors."""
    error = anomaly.nan_error(node, gradients, incoming)
    if error is not None:
        if not task.retain_graph:
            if node.saved and hub.listener is not None:
                hub.listener.saved_freed(node)
            node.release()
        try:
            raise error
        finally:
            del error  # Or it and this frame would hold each other, and the graph.


def _receive(below: Node, nr: int, gradient: Value, task: Task, ready: ReadyQueue, waiting: Buffers) -> Any:
    """Take the gradient of one edge; return the sum at the receiver, None where the gradient is the first there."""
    dependencies: Any = task.dependencies
    left = dependencies[below] - 1
    if left:
        dependencies[below] = left
    else:
        del dependencies[below]
    buffer = waiting.get(below)
    total = None
    if buffer is None:
        if task.wants is not None and not task.runs(below):
            return None
        if below.multi:
            buffer = [None] * len(below.shape)
            buffer[nr] = gradient
        else:
            buffer = [gradient]
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


def _sum(before: Value, gradient: Value) -> Any:
    total = before + gradient
    return arranged(total, [before, gradient]) if total.ndim > 1 and not isinstance(total, Tensor) else total


def _before(node: Node, buffer: list[Any], task: Task) -> list[Any]:
    """Run the hooks before a node; return the gradients that it runs on, raw unless the pass is recorded."""
    hooks = node.hooks
    if hooks is None:
        return buffer
    tensors = [task.tensor(g) for g in buffer]
    gradients: list[Any] = hooks.before(node, hooks.before_capture(node, tensors))
    return gradients


def _raw(gradients: list[Any], task: Task) -> list[Any]:
    """Return the raw values of gradients for formulas on raw values, and remember the Tensor of each."""
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


def _run(node: Node, g: Value, task: Task) -> Any:
    """Compute the gradients of a node's inputs, without those that are not wanted."""
    if stack.modes:
        pass_below.unpacking(node)
    if task.wants is None:
        if not task.on_tensors:
            return pass_below.run(node, g) if stack.modes else node.plan.run(node, g)
        # A custom node empties its list, but the hooks after it get the incoming gradients.
        return run_recorded(node, list(g) if node.multi else g)
    wants = task.wants
    wanted = tuple([below in wants for below in node.next])
    needs = wanted if not node.composite and not node.op.listed and True in wanted else None
    if task.on_tensors:
        gradients = run_recorded(node, list(g) if node.multi else g, needs)
    elif stack.modes:
        gradients = pass_below.run(node, g, needs)
    else:
        gradients = (node.plan if needs is None else node.plan.part(needs)).run(node, g)
    if False not in wanted:
        return gradients
    return [x if want or below is None else None for x, want, below in zip(gradients, wanted, node.next, strict=True)]


def _fitted(node: Node, gradients: Values) -> Any:
    """Fit the gradients that a node returned to the nodes that they go to."""
    if node.composite:
        return validated(node, gradients)
    below: Any
    for g, below in zip(gradients, node.next, strict=True):
        if g is None or below is None:
            continue
        if below.multi or g.shape != below.shape or (below.dtype is not None and g.dtype is not below.dtype.np):
            return validated(node, gradients)
    return gradients


def _call(node: Node, buffer: list[Any], task: Task) -> tuple[list[Any], Any]:
    """Run a node with its hooks; return the gradients of its inputs, and the gradient it ran on (None: it did not)."""
    hooks = node.hooks
    watched = False
    if hooks is None:
        incoming = values = buffer
    else:
        incoming = _before(node, buffer, task)
        values = _raw(incoming, task)
        watched = bool(hooks.post)
    g: Any = values if node.multi else values[0]
    ran_on = None
    gradients: Any
    if (g is not None if not node.multi else any(v is not None for v in values)) or node.runs_without_gradient:
        if hub.listener is not None:
            hub.listener.node_started(node, g)
            ran_on = g
        if node.takes_tensors:
            taken = [task.tensor(x) for x in incoming]
            gradients = _raw(run_recorded(node, taken if node.multi else taken[0]), task)
        else:
            gradients = _run(node, g, task)
        if not task.on_tensors or node.composite:  # What an op's formula gives on Tensors fits already.
            gradients = _fitted(node, gradients)
    else:
        check_saved(node)
        gradients = [None] * len(node.next)
    hooks = node.hooks
    if hooks is not None and hooks.post:
        # The incoming gradients were not kept for hooks that the formula itself registered, in an unpack hook.
        came = [task.tensor(x) for x in incoming] if watched else []
        outgoing = hooks.after(node, [task.tensor(x) for x in gradients], came)
        gradients = _raw(outgoing, task)
    return gradients, ran_on


def _step_leaf(leaf: AccumulateGrad, buffer: list[Any], task: Task) -> None:
    """Add the gradient that arrived at an AccumulateGrad to `.grad`, and run the hooks around it."""
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
    """Accumulate the only gradient of a list; its memory is taken over if nothing else refers to it."""
    waiting = leaf.grad
    leaf.grad = gradients.pop()
    seen = bool(stack.modes)
    old = leaf.variable._grad if seen else None
    added = None if old is None else leaf.grad  # A reference to a first gradient would prevent taking it over.
    try:
        accumulate(leaf, task)
    finally:
        leaf.grad = waiting
    if seen:
        pass_below.accumulated(leaf.variable, old, added)
