"""Records backward passes: the nodes that run, the gradients that they send, and what leaves accumulate."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.node import AccumulateGrad
from backscope.diagnosis import diagnose
from backscope.diagnosis.user_frame import ends
from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.identity import Token
from backscope.recorder.journal import Journal
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.program_events import ProgramEvents, text_of
from backscope.recorder.recorded_history import RecordedHistory
from backscope.recorder.tensor_slots import data_of, grad_of, token_of
from backscope.recorder.user_code import UserCode
from backscope.runtime.error_facts import facts_of, node_of, note_recorded
from backscope.runtime.given import Value
from backscope.runtime.listener import Listener
from backscope.runtime.passive import is_a, shown_name, traceback_of
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.autograd.task import Task
    from backscope.recorder.identity import NodeToken

ndarray = np.ndarray
float32, float64 = np.float32, np.float64


class BackwardEvents(Listener):
    """Records the moments whose methods it overrides."""

    __slots__ = (
        "array",
        "calls",
        "code",
        "gradient",
        "identities",
        "journal",
        "moments",
        "nodes_without_op",
        "passes",
        "program",
        "run",
        "values",
    )  # fmt: skip

    def __init__(
        self,
        journal: Journal,
        code: UserCode,
        values: PendingValues,
        identities: Identities,
        passes: Passes,
        program: ProgramEvents,
        run: RecordedHistory,
    ) -> None:
        self.journal = journal
        self.code = code
        self.values = values
        self.identities = identities
        self.passes = passes
        self.program = program
        self.run = run
        self.calls = passes.calls
        self.moments = journal.moments
        self.nodes_without_op = identities.nodes_without_op
        self.array = values.array
        self.gradient = values.gradient

    @guarded
    def backward_started(
        self,
        task: Task,
        api: str,
        tensors: Sequence[Tensor],
        roots: Sequence[tuple[Node, int, Tensor]],
        implicit: Sequence[bool],
        inputs: Sequence[Tensor] | None,
    ) -> None:
        """Record the start of backward() or autograd.grad() (`api`)."""
        line = self.code.location()
        parent = self.calls[-1] if self.calls else None
        task.number = self.identities.identity()
        self.passes.outer.append((len(self.passes.running), self.passes.line))
        self.passes.line = line
        self.passes.sent = {}
        self.calls.append(task.number)
        wanted = None if inputs is None else [self.identities.token(t, line, "tensor").tensor for t in inputs]
        self.journal.add(
            say.backward_started,
            line,
            task.number,
            api,
            parent,
            [self.identities.token(t, line, "tensor").tensor for t in tensors],
            [self.identities.node_id(n, line) for n, _, _ in roots],
            [self.values.value(data_of(g)) for _, _, g in roots],
            all(implicit),
            task.retain_graph,
            task.create_graph,
            wanted,
        )

    @guarded
    def backward_finished(self, task: Task, failed: bool) -> None:
        """Record the end of backward() or autograd.grad()."""
        self.calls.pop()
        self.passes.sent = {}
        depth, self.passes.line = self.passes.outer.pop()
        del self.passes.running[depth:]
        self.journal.add(say.backward_finished, self.code.location(), task.number, failed)

    @guarded
    def node_started(self, node: Node, g: Value) -> None:
        """Record that a node is about to run on `g`."""
        self.passes.running.append(node)
        incoming = (
            [None if x is None else self.gradient(x) for x in g]
            if node.multi
            else [None if g is None else self.gradient(g)]
        )
        self.moments.append((say.node_started, None, self.calls[-1], self.identities.node_id(node, None), incoming))

    @guarded
    def node_ran(self, node: Node, g: Value, sent: list[Any], freed: bool, started: bool) -> None:
        """Record that a node of a stepwise pass ran on `g` and sent gradients, as Listener.node_ran() describes."""
        token = node.token
        if token is None or token.identities is not self.identities:
            self.identities.node_id(node, None)
            token = node.token
        incoming: Any = None
        self.passes.sent = {}
        if started:
            self.passes.running.pop()
        elif node.multi:
            incoming = [None if x is None else self.gradient(x) for x in g]
        else:
            incoming = (self.gradient(g),)
        values = []
        for i, below, nr, gradient, total in sent:
            known = below.token
            number = (
                known.node
                if known is not None and known.identities is self.identities
                else self.identities.node_id(below, None)
            )
            reduced = None
            if node.reduces and _shape(gradient) != node.shape:
                reduced = list(node.shape)
            if total is not None:
                total = self.gradient(total)
            values.append((i, number, nr, self.gradient(gradient), total, reduced))
        if freed:
            token.freed = self.passes.line
        self.moments.append((say.node_ran, None, self.calls[-1], token.node, incoming, values, freed))
        if len(self.moments) >= self.journal.BATCH:
            self.journal.drain()

    @guarded
    def saved_freed(self, node: Node) -> None:
        """Record that a node which is about to raise frees what it saved."""
        number = self.identities.node_id(node, None)
        node.token.freed = self.passes.line
        self.journal.add(say.buffers_freed, None, number)

    def gradients_sent(
        self,
        node: Node,
        token: NodeToken | None,
        g: Value,
        gradients: Sequence[Any],
        totals: Sequence[Any] | None,
        freed: bool,
    ) -> None:
        """Record that a node of another pass ran on `g` and sent `gradients` along its edges."""
        try:
            if token is None or token.identities is not self.identities or token.node in self.nodes_without_op:
                self._node_without_op_ran(node, g, gradients, totals, freed)
                return
            shape = None
            kind = g.__class__
            incoming: Any
            if kind is float32 or kind is float64:
                incoming = (g,)
                for x in gradients:
                    if x.__class__ is not kind and x is not None:
                        gradients, totals, shape = self._sent(node, gradients, totals, None, None)
                        break
            else:
                if kind is ndarray:
                    # An array that was sent before has existed since then, so that no other has had its id.  A custom
                    # Function may have changed it by now.
                    value = self.values.held.get(id(g)) or (None if node.op is None else self.passes.sent.get(id(g)))
                    if value is None:
                        value = self.array(g)
                    incoming = (value,)
                else:
                    value = None
                    incoming = (
                        [None if x is None else self.gradient(x) for x in g] if node.multi else (self.gradient(g),)
                    )
                gradients, totals, shape = self._sent(node, gradients, totals, g, value)
            if freed:
                token.freed = self.passes.line
            self.moments.append(
                (say.gradients_sent, None, self.calls[-1], token.node, incoming, gradients, totals, shape, freed)
            )
            if len(self.moments) >= self.journal.BATCH:
                self.journal.drain()
        except Exception as error:
            self.journal.lost(error)

    def _sent(
        self, node: Node, gradients: Sequence[Any], totals: Sequence[Any] | None, g: object, value: object
    ) -> tuple[list[Any], list[Any] | None, Any]:
        """Return gradients and totals as they are now, and the shape that some were summed from, None where none was.

        `value` is the recorded value of `g`, which an op may pass on as its gradient.
        """
        shape = None
        values: list[Any] = []
        reduces = node.shape if node.reduces else None
        held = self.values.held.get
        sent = self.passes.sent = {}
        for x in gradients:
            if x is None:
                values.append(None)
                continue
            if x is g:
                values.append(value)
                if isinstance(value, ndarray):
                    sent[id(x)] = value
            elif x.__class__ is ndarray:
                number = id(x)
                known = held(number) or self.array(x)
                values.append(known)
                if isinstance(known, ndarray):
                    sent[number] = known
            else:
                values.append(self.gradient(x))
            if reduces is not None and x.shape != reduces:
                shape = reduces
        if totals is None:
            return values, None, shape
        self.passes.sent = {}
        return values, [None if x is None else self.gradient(x) for x in totals], shape

    def _node_without_op_ran(
        self, node: Node, g: object, gradients: Sequence[Any], totals: Sequence[Any] | None, freed: bool
    ) -> None:
        """Record that a node ran which no recorded op made, so that no event has its edges."""
        numbers = node.next_nr
        sent = []
        for i, below in enumerate(node.next):
            if below is not None and gradients[i] is not None:
                sent.append((i, below, numbers[i] if numbers else 0, gradients[i], totals and totals[i]))
        self.node_ran(node, g, sent, freed, False)

    @guarded
    def captured(self, node: Node, tensor: Tensor | None, gradient: Tensor, into: str) -> None:
        """Record that a gradient was kept on its way, in the `.grad` of a tensor or in the result."""
        if isinstance(node, AccumulateGrad) and tensor is None:
            tensor = node.variable
        number = None if tensor is None else self.identities.token(tensor, None, "tensor").tensor
        if into == "result":
            self.identities.token(gradient, None, "grad")
        self.journal.add(
            say.gradient_captured,
            None,
            self.calls[-1],
            self.identities.node_id(node, None),
            number,
            into,
            self.values.value(data_of(gradient)),
        )

    @guarded
    def accumulating(self, node: AccumulateGrad, gradient: object, old: Tensor | None) -> tuple[int, Any, Any]:
        """Record that an AccumulateGrad starts; return for accumulated(): node, `.grad` before, what is added."""
        token = node.token
        number = (
            token.node
            if token is not None and token.identities is self.identities
            else self.identities.node_id(node, None)
        )
        added = self.gradient(gradient)
        self.moments.append((say.node_started, None, self.calls[-1], number, (added,)))
        self.passes.running.append(node)
        return number, None if old is None else self.values.value(data_of(old)), added

    @guarded
    def accumulated(self, leaf: Tensor, started: tuple[int, Any, Any], *, in_place: bool) -> None:
        """Record that a leaf's `.grad` was updated, with what accumulating() returned."""
        self.passes.running.pop()
        grad = grad_of(leaf)
        if grad is None:
            return
        number = self.identities.token(leaf, None, "leaf").tensor
        held = self.identities.token(grad, None, "grad").tensor
        self.moments.append(
            (
                say.grad_accumulated,
                None,
                self.calls[-1],
                number,
                held,
                *started,
                self.values.value(data_of(grad)),
                in_place,
            )
        )

    # Any: what accumulating() returned, of a type that its listener chooses.
    @guarded
    def grad_replaced(self, started: Any, old: Tensor | None) -> tuple[int, Any, Any] | None:
        """Return what accumulated() takes, after `.grad` was assigned in a pause within accumulating()."""
        return started and (started[0], None if old is None else self.values.value(data_of(old)), started[2])

    def stored(self, node: AccumulateGrad, leaf: Tensor, gradient: object) -> None:
        """Record that a leaf without `.grad` got one, as accumulating() and accumulated() would."""
        try:
            plain = type(leaf) is Tensor
            grad = leaf._grad if plain else grad_of(leaf)
            known = leaf._token if plain else token_of(leaf)
            token = node.token
            if (
                grad is None
                or type(grad) is not Tensor
                or known is None
                or known.identities is not self.identities
                or token is None
                or token.identities is not self.identities
            ):
                self.accumulated(leaf, self.accumulating(node, gradient, None), in_place=False)
                return
            added = self.gradient(gradient)
            data = grad._data
            value = added if data is gradient else self.values.value(data)
            storage = self.identities.count + 1
            self.identities.count = number = storage + 1
            shared = grad._shared
            version = 0 if shared is None else +shared[0]
            made = grad._token = Token(grad, self.journal.died)
            made.identities = self.identities
            made.tensor = number
            made.storage = storage
            made.line = None
            self.moments.append(
                (
                    say.grad_stored,
                    None,
                    self.calls[-1],
                    token.node,
                    known.tensor,
                    number,
                    storage,
                    version,
                    added,
                    value,
                )
            )
            if len(self.moments) >= self.journal.BATCH:
                self.journal.drain()
        except Exception as error:
            self.journal.lost(error)

    @guarded
    def backward_failed(self, error: BaseException) -> None:
        """Record the exception that ends a backward pass; `running` still has the node."""
        node = node_of(error) or (self.passes.running[-1] if self.passes.running else None)
        line = self.code.line()
        rebased = facts_of(error).found.get("rebased")
        if rebased is not None:
            token, changed = self.identities.token(rebased, line, "tensor"), rebased._node()
            self.journal.add(say.graph_rebased, line, token.tensor, self.identities.node_info(changed, line))
        inner = self.code.frames(traceback.walk_tb(traceback_of(error)))
        outer = self.code.frames(traceback.walk_stack(sys._getframe(1)))[::-1]
        trace = ends([*outer, *inner] if inner else [])
        own = inner[-1][0] if inner else line
        why = diagnose.explain(error, self.run, line)
        self.program.failed("engine", shown_name(type(error)), text_of(error), own, None, trace, node, why)
        note_recorded(error)


def _shape(gradient: Any) -> Any:
    """Return the shape of a gradient, raw or Tensor."""
    return (data_of(gradient) if is_a(gradient, Tensor) else gradient).shape
