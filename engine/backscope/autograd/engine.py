"""backward(): runs the nodes of a graph in PyTorch's order and sends their gradients along the edges.

Nodes run by descending sequence number, which puts every node after all of its consumers, because an edge always leads
to an older node; an AccumulateGrad runs as soon as its last gradient has arrived.  Gradients are raw values, or Tensors
when the backward pass is itself recorded (create_graph).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from backscope.autograd.accumulate import accumulate
from backscope.autograd.grad_mode import mode
from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, AccumulateGrad, Node
from backscope.autograd.saved import environment
from backscope.listening import hub
from backscope.ops.declaration import evaluate
from backscope.tensor import Tensor, of_raw

_by_sequence_nr = attrgetter("sequence_nr")
ndarray = np.ndarray


class _Running(threading.local):
    """The graph tasks of this thread, innermost last."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.callbacks: list[Callable[[], None]] = []


running = _Running()


class Task:
    """One call of backward() or autograd.grad().

    `captures` maps (node, output number) to the position in `results` where its gradient is kept; None where gradients
    are accumulated into the leaves.  `needed` are the nodes on a path to a wanted input, None for all.
    """

    def __init__(self, retain_graph: bool, create_graph: bool) -> None:
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.wanted_leaves: set[Node] | None = None
        self.needed: set[Node] | None = None
        self.results: list[Any] = []
        self.number = 0


def discover(roots: list[Node], task: Task) -> list[Node]:
    """All nodes that can be reached from `roots`, in the order in which they run, without the AccumulateGrads."""
    order: list[Node] = []
    stack: list[Node] = []
    leaf_class = AccumulateGrad
    for root in roots:
        if root.mark is not task:
            root.mark = task
            if root.__class__ is leaf_class:
                root._pending = 0  # type: ignore[attr-defined]
            else:
                stack.append(root)
    last = ACCUMULATE_SEQUENCE_NR
    sorted_already = True
    while stack:
        node = stack.pop()
        order.append(node)
        number = node.sequence_nr
        if number > last:
            sorted_already = False
        last = number
        for below in node.next:
            if below is None:
                continue
            if below.mark is task:
                if below.__class__ is leaf_class:
                    below._pending += 1  # type: ignore[attr-defined]
                continue
            below.mark = task
            if below.__class__ is leaf_class:
                below._pending = 1  # type: ignore[attr-defined]
                below.grad = None
            else:
                stack.append(below)
    if not sorted_already:
        order.sort(key=_by_sequence_nr, reverse=True)
    return order


def restrict(order: list[Node], task: Task, wanted: set[Node]) -> None:
    """Mark as needed the nodes of `order` from which a wanted node can be reached."""
    needed = set(wanted)
    for node in reversed(order):
        if node not in needed and any(below in needed for below in node.next):
            needed.add(node)
    task.needed = needed


def execute(roots: list[tuple[Node, int, Any]], task: Task, wanted: set[Node] | None = None) -> None:
    """Run the graph below `roots`, each a node, an output number and the gradient to start from.

    Raises what a formula or a hook raises; nodes that had not run then keep their saved tensors.
    """
    if running.tasks:
        with _Suspended([r[0] for r in roots]):
            _execute(roots, task, wanted)
    else:
        _execute(roots, task, wanted)


class _Suspended:
    """What an outer backward pass keeps in the nodes that a nested one will run, put aside and restored."""

    def __init__(self, roots: list[Node]) -> None:
        seen = set(roots)
        stack = list(seen)
        while stack:
            for below in stack.pop().next:
                if below is not None and below not in seen:
                    seen.add(below)
                    stack.append(below)
        self.kept = [(n, n.grad, n.mark, getattr(n, "_pending", 0)) for n in seen]

    def __enter__(self) -> None:
        for node, *_ in self.kept:
            node.grad = None

    def __exit__(self, *exc: object) -> None:
        for node, gradient, mark, pending in self.kept:
            node.grad = gradient
            node.mark = mark
            if isinstance(node, AccumulateGrad):
                node._pending = pending


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
    if not running.tasks:
        while running.callbacks:
            running.callbacks.pop(0)()


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
    leaf_class = AccumulateGrad
    for node in order:
        g = node.grad
        if g is None:
            skip(node, task)
            continue
        node.grad = None
        if node.hooks is not None:
            run_one(node, g, task)
            g = None
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
                if below.__class__ is leaf_class:
                    below._pending -= 1  # type: ignore[attr-defined]
                    if not below._pending:  # type: ignore[attr-defined]
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
            skip(node, task)
            continue
        node.grad = None
        if node.hooks is not None:
            run_one(node, g, task)
            continue
        try:
            gradients = node.run(node, g)
        except BaseException:
            listener.node_started(node, g)
            raise
        freed = bool(node.saved) and not retain
        compact = g.__class__ is not ndarray and node.next_nr is None and not node.multi
        if compact:
            for gradient in gradients:
                if gradient.__class__ is ndarray:
                    compact = False
        if compact:
            ready = send(node, gradients)
            listener.node_told(node, g, gradients, freed)
        else:
            ready, told = send_told(node, gradients, listener)
            listener.node_ran(node, g, told, freed, False)
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
            below._pending -= 1  # type: ignore[attr-defined]
            if not below._pending:  # type: ignore[attr-defined]
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
            below._pending -= 1  # type: ignore[attr-defined]
            if not below._pending:  # type: ignore[attr-defined]
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


def as_tensor(gradient: Any) -> Any:
    """A gradient as a Tensor."""
    return gradient if gradient is None or isinstance(gradient, Tensor) else of_raw(gradient)


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
    freed = bool(node.saved) and not task.retain_graph
    if listener is None:
        ready = send(node, gradients)
    else:
        ready, told = send_told(node, gradients, listener)
        listener.node_ran(node, g, told, freed, True)
    if freed:
        node.saved = None
    g = gradients = None
    for leaf in ready:
        finish_leaf(leaf, task)


def run_recorded(node: Node, g: Any) -> Any:
    """The gradients of a node's inputs as Tensors: the formula runs on Tensors and is recorded where grad mode is on."""
    op = node.op
    if node.composite:
        return node.run_tensors(node, g)  # type: ignore[attr-defined]
    needs = (True,) * len(op.inputs) if op.listed else tuple([n is not None for n in node.next])
    gradients = evaluate(op.plan(needs).steps, [g, *environment(node)], len(op.inputs))
    return [fit(x, n, nr) for x, (n, nr) in zip(gradients, node.next_functions, strict=True)]


def fit(gradient: Any, node: Node | None, nr: int) -> Any:
    """A gradient Tensor in the shape and dtype that its receiver expects: a broadcast folded back, a promotion undone."""
    if gradient is None or node is None:
        return None
    shape, kind = (node.shape[nr], node.dtype[nr]) if node.multi else (node.shape, node.dtype)
    if gradient._data.shape != shape:
        gradient = gradient.sum_to_size(shape)
    if gradient._dtype is not kind:
        if gradient._dtype.is_complex and not kind.is_complex:
            gradient = gradient.real
        gradient = gradient.to(kind)
    return gradient


def run_through_tensors(node: Node, g: Any) -> Any:
    """`run` for a node of mixed dtypes: its formula needs PyTorch's promotion, which Tensors have."""
    wrapped = [as_tensor(x) for x in g] if node.multi else of_raw(g)
    before = mode.enabled
    mode.enabled = False
    listener, hub.listener = hub.listener, None
    try:
        return [None if x is None else x._data for x in run_recorded(node, wrapped)]
    finally:
        hub.listener = listener
        mode.enabled = before


def fold(gradient: Any, shape: tuple[int, ...]) -> Any:
    """A raw gradient summed over the dims along which its input was broadcast to."""
    if gradient is None or gradient.shape == shape:
        return gradient
    lead = gradient.ndim - len(shape)
    dims = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and gradient.shape[i + lead] != 1)
    if lead == gradient.ndim == 1 or not shape:
        return gradient.sum()
    if dims == (0,) and gradient.ndim == 2 and gradient.dtype.kind == "f" and gradient.dtype.itemsize >= 4:
        return _column_sums(gradient).reshape(shape)
    return gradient.sum(axis=dims).reshape(shape)


def _column_sums(gradient: Any) -> Any:
    import numpy as np

    return np.ones(gradient.shape[0], gradient.dtype) @ gradient


_folded: dict[Any, Any] = {}


def folded(run: Callable[[Node, Any], Any]) -> Callable[[Node, Any], Any]:
    """`run` whose results are folded back to the shapes of the inputs."""
    made = _folded.get(run)
    if made is None:

        def made(node: Node, g: Any) -> Any:
            return [
                x if x is None or n is None else fold(x, n.shape[nr] if n.multi else n.shape)
                for x, (n, nr) in zip(run(node, g), node.next_functions, strict=True)
            ]

        _folded[run] = made
    return made  # type: ignore[no-any-return]


def call_node(node: Node, gradients: tuple[Any, ...]) -> Any:
    """What calling `grad_fn(gradient)` gives: the gradients of the inputs as Tensors."""
    incoming = list(gradients) if node.multi else gradients[0]
    results = tuple(run_recorded(node, incoming))
    return results[0] if len(results) == 1 else results
