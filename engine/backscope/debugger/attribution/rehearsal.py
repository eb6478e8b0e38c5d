"""A rehearsal of a backward pass that is about to run: what every node gets and sends, with nothing kept of it.

The graph is whole then, and stays so: what nodes saved is not freed, and each `.grad` is what it was.  Hooks run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from backscope.autograd import anomaly
from backscope.autograd.function.custom_node import CustomNode
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import AccumulateGrad, Node
from backscope.autograd.stepwise_backward import run_steps
from backscope.autograd.task import Task, Want
from backscope.autograd.thread import running, with_room
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor

MOST_BYTES = 256 << 20
"""Bytes of gradients that are kept."""

Place = tuple[Node, int]
"""A node and the number of one of its op's outputs: where gradients arrive."""


class TooLarge(ValueError):
    """The gradients of a pass take too much memory to be kept."""


class Ran:
    """A node that ran: on `gradients`, one for each output of its op, None where none arrived.

    `sent` are the gradients of its inputs, by number, after its hooks.
    """

    __slots__ = ("gradients", "node", "sent")

    def __init__(self, node: Node, gradients: list[Any]) -> None:
        self.node = node
        self.gradients = gradients
        self.sent: dict[int, Any] = {}


class Arrival:
    """A gradient that arrives somewhere: input `input_nr` of the node that `sender` ran, None for a given one."""

    __slots__ = ("gradient", "input_nr", "sender")

    def __init__(self, sender: Ran | None, input_nr: int, gradient: Any) -> None:
        self.sender = sender
        self.input_nr = input_nr
        self.gradient = gradient


class Rehearsal(Listener):
    """What a pass did: the nodes that `ran`, what `arrived` where, what leaves `took`, the `hooks` of nodes by name."""

    def __init__(self, roots: list[tuple[Node, int, Any]], task: Task) -> None:
        self.ran: dict[Node, Ran] = {}
        self.arrived: dict[Place, list[Arrival]] = {}
        self.took: dict[Node, Any] = {}
        self.hooks: dict[Node, list[str]] = {}
        self.failure: BaseException | None = None
        self._kept = 0
        self._depth = 0
        for node, nr, gradient in roots:
            self._arrive((node, nr), Arrival(None, 0, self._copy(gradient._data)))
        self._run(roots, task)

    def node_started(self, node: Any, g: Any) -> None:
        """A node is about to run on `g`."""
        if not self._depth:
            self.ran[node] = Ran(node, [self._copy(x) for x in (g if node.multi else [g])])

    def node_ran(self, node: Any, g: Any, sent: Any, freed: bool, started: bool) -> None:
        """A node has sent its gradients."""
        if not self._depth:
            ran = self.ran[node]
            for i, below, nr, gradient, _ in sent:
                ran.sent[i] = copied = self._copy(gradient)
                self._arrive((below, nr), Arrival(ran, i, copied))

    def accumulating(self, node: Any, gradient: Any, old: Any) -> None:
        """A leaf takes what arrived."""
        if not self._depth:
            self.took[node] = self._copy(gradient)

    waits = staticmethod(lambda *_: True)
    """Has accumulating() called for a first gradient as well."""

    def hook_ran(self, where: str, node: Any, hook: str, before: Any, after: Any, owner: Any = None) -> None:
        """A hook saw a gradient."""
        if not self._depth and node is not None:
            self.hooks.setdefault(node, []).append(hook)

    def backward_started(self, *given: Any) -> None:
        """A pass within this one begins."""
        self._depth += 1

    def backward_finished(self, *given: Any) -> None:
        """It ends."""
        self._depth -= 1

    def _arrive(self, place: Place, arrival: Arrival) -> None:
        self.arrived.setdefault(place, []).append(arrival)

    def _copy(self, gradient: Any) -> Any:
        """A gradient that later changes can't reach; one that repeats elements can't be written to."""
        data = gradient._data if isinstance(gradient, Tensor) else gradient
        if not isinstance(data, np.ndarray) or 0 in data.strides:
            return data
        self._kept += data.nbytes
        if self._kept > MOST_BYTES:
            raise TooLarge(f"The gradients of this pass take more than {MOST_BYTES >> 20} MiB.")
        return data.copy("K")

    def _run(self, roots: list[tuple[Node, int, Any]], task: Task) -> None:
        own = Task(retain_graph=True, create_graph=False)
        own.roots = [node for node, _, _ in roots]
        if task.wants is not None:
            own.wants = {node: _same(want) for node, want in task.wants.items()}
            own.results = [None] * len(task.results)
        with untouched(own.roots), silent(self):
            running.tasks.append(own)
            try:
                with_room(run_steps, roots, own)
            except TooLarge:
                raise
            except Exception as error:  # What ran until then is known.
                self.failure = error
            finally:
                running.tasks.pop()
                own.forget()


def _same(want: Want) -> Want:
    same = Want()
    same.needed = want.needed
    same.captures = None if want.captures is None else list(want.captures)
    return same


@contextlib.contextmanager
def silent(listener: Listener | None = None) -> Iterator[None]:
    """Inside, the engine calls no listener but this one, neither stops nor refuses NaN."""
    before = hub.listener, hub.debugger, mode.enabled, anomaly.state.enabled
    hub.listener, hub.debugger, mode.enabled, anomaly.state.enabled = listener, None, False, False
    try:
        yield
    finally:
        hub.listener, hub.debugger, mode.enabled, anomaly.state.enabled = before


@contextlib.contextmanager
def untouched(roots: list[Node]) -> Iterator[None]:
    """Afterwards every `.grad` below `roots` and what nodes saved is as before; what follows a `.grad` does not run."""
    nodes = _below(roots)
    gradients: list[tuple[Tensor, Any]] = []
    followers: list[tuple[Any, Any]] = []
    for node in nodes:
        if isinstance(node, AccumulateGrad):
            gradients.append((node.variable, node.variable._grad))
            extra = node.variable._extra
            if extra is not None and extra.post_accumulate:
                followers.append((extra, extra.post_accumulate))
        if node.hooks is not None:
            kept = [ref() for ref in node.hooks.retained.values()]
            gradients += [(tensor, tensor._grad) for tensor in kept if tensor is not None]
    for tensor, _ in gradients:
        tensor._grad = None
    for extra, _ in followers:
        extra.post_accumulate = None
    custom = [(node, node.saved, node.accessed) for node in nodes if isinstance(node, CustomNode)]
    try:
        yield
    finally:
        for tensor, gradient in gradients:
            tensor._grad = gradient
        for extra, hooks in followers:
            extra.post_accumulate = hooks
        for kept_by, entries, accessed in custom:  # Some let go of what they saved when it is looked at.
            kept_by.saved, kept_by.accessed = entries, accessed


def _below(roots: list[Node]) -> list[Node]:
    seen = set(roots)
    stack = list(seen)
    while stack:
        for below in stack.pop().next:
            if below is not None and below not in seen:
                seen.add(below)
                stack.append(below)
    return list(seen)
