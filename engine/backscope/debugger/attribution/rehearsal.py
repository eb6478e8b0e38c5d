"""A rehearsal of a backward pass that is about to run: it collects the gradients that every node gets and sends.

The graph stays whole: nodes free no saved tensors, and each `.grad` is put back.  Hooks run.
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
from backscope.runtime.given import Value
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor

MOST_BYTES = 256 << 20
"""Bytes of gradients that a rehearsal may keep."""

Place = tuple[Node, int]
"""The place where gradients arrive: a node and the number of one of its op's outputs."""


class TooLarge(ValueError):
    """The gradients of a pass take more memory than may be kept."""


class Ran:
    """A node that ran on `gradients`: one for each output of its op, None where none arrived.

    `sent` has the gradients of its inputs by number, after its hooks.
    """

    __slots__ = ("gradients", "node", "sent")

    def __init__(self, node: Node, gradients: list[Any]) -> None:
        self.node = node
        self.gradients = gradients
        self.sent: dict[int, Any] = {}


class Arrival:
    """A gradient that arrives at a node, from input `input_nr` of `sender`, or from the user where that is None."""

    __slots__ = ("gradient", "input_nr", "sender")

    def __init__(self, sender: Ran | None, input_nr: int, gradient: Value) -> None:
        self.sender = sender
        self.input_nr = input_nr
        self.gradient = gradient


class Rehearsal(Listener):
    """The nodes that `ran`, the gradients that `arrived` by place and that leaves `took`, and `hooks` by node."""

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

    def node_started(self, node: Node, g: Value) -> None:
        """Keep the gradients that a node is about to run on."""
        if not self._depth:
            self.ran[node] = Ran(node, [self._copy(x) for x in (g if node.multi else [g])])

    def node_ran(self, node: Node, g: object, sent: list[Any], freed: bool, started: bool) -> None:
        """Keep the gradients that a node has sent."""
        if not self._depth:
            ran = self.ran[node]
            for i, below, nr, gradient, _ in sent:
                ran.sent[i] = copied = self._copy(gradient)
                self._arrive((below, nr), Arrival(ran, i, copied))

    def accumulating(self, node: AccumulateGrad, gradient: object, old: Tensor | None) -> None:
        """Keep the gradient that a leaf takes."""
        if not self._depth:
            self.took[node] = self._copy(gradient)

    waits = staticmethod(lambda *_: True)
    """Makes the engine call accumulating() for a first gradient too."""

    def hook_ran(
        self, where: str, node: Node | None, hook: str, before: object, after: object, owner: object = None
    ) -> None:
        """Note the name of a hook that ran."""
        if not self._depth and node is not None:
            self.hooks.setdefault(node, []).append(hook)

    def backward_started(self, *moment: object) -> None:
        """Ignore a pass within this one from here on."""
        self._depth += 1

    def backward_finished(self, *moment: object) -> None:
        """End the inner pass."""
        self._depth -= 1

    def _arrive(self, place: Place, arrival: Arrival) -> None:
        self.arrived.setdefault(place, []).append(arrival)

    def _copy(self, gradient: Value) -> Value:
        """Return a copy that later changes can't reach; one that repeats elements can't change and is not copied."""
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
            except Exception as error:  # What ran before it is kept.
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
    """Inside, the engine calls this listener alone, stops at no node and does not check for NaN."""
    before = hub.listener, hub.debugger, mode.enabled, anomaly.state.enabled
    hub.listener, hub.debugger, mode.enabled, anomaly.state.enabled = listener, None, False, False
    try:
        yield
    finally:
        hub.listener, hub.debugger, mode.enabled, anomaly.state.enabled = before


@contextlib.contextmanager
def untouched(roots: list[Node]) -> Iterator[None]:
    """Put back every `.grad` below `roots` and what nodes saved; post-accumulate hooks do not run inside."""
    nodes = _below(roots)
    gradients: list[tuple[Tensor, Any]] = []
    suspended: list[tuple[Any, Any]] = []
    for node in nodes:
        if isinstance(node, AccumulateGrad):
            gradients.append((node.variable, node.variable._grad))
            extra = node.variable._extra
            if extra is not None and extra.post_accumulate:
                suspended.append((extra, extra.post_accumulate))
        if node.hooks is not None:
            kept = [ref() for ref in node.hooks.retained.values()]
            gradients += [(tensor, tensor._grad) for tensor in kept if tensor is not None]
    for tensor, _ in gradients:
        tensor._grad = None
    for extra, _ in suspended:
        extra.post_accumulate = None
    custom = [(node, node.saved, node.accessed) for node in nodes if isinstance(node, CustomNode)]
    try:
        yield
    finally:
        for tensor, gradient in gradients:
            tensor._grad = gradient
        for extra, hooks in suspended:
            extra.post_accumulate = hooks
        for kept_by, entries, accessed in custom:  # Some free their saved tensors when these are read.
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
