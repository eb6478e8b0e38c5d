"""Listens to the engine and records its moments, from which the journal makes events.

On the hot path a moment is a small tuple with captured values; events are built and encoded when the journal drains.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from backscope import diagnose, narration as say
from backscope.autograd.node import AccumulateGrad
from backscope.extension import Extension
from backscope.identity import NodeToken, Token, new_token
from backscope.sparse import Sparse
from backscope.tensor import Tensor
from backscope.whereabouts import is_module

ndarray = np.ndarray
_SEQUENCES = (list, tuple)


class Recorder(Extension):
    """Each method is something that the engine tells, here or where the classes below it have it."""

    def created(self, tensor: Tensor, origin: str) -> None:
        """A creation function made a tensor."""
        self.token(tensor, self.line(), origin)

    def named(self, name: str, value: Any, line: int) -> None:
        """A variable of the program was bound; tensors, and those in a short list, a dict or a module, get its name."""
        if isinstance(value, Tensor):
            token = value._token
            if token is None or token.recorder is not self:
                token = self.token(value, line, "alias")
            number = token.tensor
            known = self.names.get(number)
            if known == name and self.bound.get(name) == number:
                return
            if known is None or not self.keeps_name(value, number, known):
                self.names[number] = name
            elif self.bound.get(name) == number:
                return
            self.bound[name] = number
            self.add(say.tensor_named, line, number, name)
        elif isinstance(value, (list, tuple)) and len(value) <= 100:
            for i, item in enumerate(value):
                self._named_inside(f"{name}[{i}]", item, line)
        elif isinstance(value, dict) and len(value) <= 100:
            for key, item in value.items():
                self._named_inside(f"{name}[{say.text(key)}]", item, line)
        elif is_module(value):
            self.module_named(name, value, line)

    def _named_inside(self, name: str, item: Any, line: int) -> None:
        """Something in a list or a dict: a name of its own comes before that of its place."""
        if isinstance(item, Tensor):
            if item._token is None or item._token.tensor not in self.names:
                self.named(name, item, line)
        elif is_module(item):
            self.module_named(name, item, line)

    def op(
        self, name: str, op: Any, args: Any, outputs: Any, node: Any, *, view: bool = False, in_place: bool = False
    ) -> None:
        """An op ran forward."""
        frame: Any = sys._getframe(2)
        line = frame.f_lineno if frame.f_globals is self.user_globals else self.line()
        if node is None or self.grad_mode != "grad":
            self.tell_mode(line)
        inputs: list[Any] = []
        for a in args:
            if a.__class__ is Tensor:
                token = a._token
                if token is None or token.recorder is not self:
                    token = self.token(a, line, "gradient" if self.calls else "tensor")
                inputs.append(token.tensor)
            elif a.__class__ in say.PLAIN:
                inputs.append((a,))
            elif isinstance(a, Tensor):
                inputs.append(self.token(a, line, "tensor").tensor)
            elif a.__class__ in _SEQUENCES and a and isinstance(a[0], Tensor):
                inputs.append([self.token(x, line, "tensor").tensor for x in a])
            else:
                inputs.append((say.frozen(a),))
        infos: list[tuple[Any, ...]] = []
        if in_place:
            self.changed(name, outputs[0], line)
            infos.append(self.info(outputs[0], outputs[0]._token))
        else:
            for out in outputs:
                number = self.count + 1
                if view:
                    self.count = number
                    infos.append(self.info(out, new_token(self, out, number, args[0]._token.storage, line)))
                else:
                    infos.append(self._made(out, number, line))
        made = None if node is None else self.node_info(node, line)
        during = self.node_id(self.running[-1], line) if self.running else None
        kept = None if node is None or not in_place else self._kept(op, node)
        self.moments.append((say.op_applied, line, name, op, inputs, infos, made, in_place, view, during, kept))
        if self.packs:
            self.tell_packs()
        if len(self.moments) >= self.BATCH:
            self.drain()

    def _kept(self, op: Any, node: Any) -> int | None:
        """The clone that an in-place op's node saved of what was overwritten, where one was told of."""
        if not node.saved or 0 not in op.slot_positions:
            return None
        token = getattr(node.saved[op.slot_positions.index(0)], "_token", None)
        return None if token is None or token.recorder is not self else int(token.tensor)

    def applied(self, op: Any, first: Any, second: Any, out: Any, node: Any) -> None:
        """The same as op() for an elementwise op of a Tensor and another, a number or (`first` again) nothing."""
        frame: Any = sys._getframe(2)
        line = frame.f_lineno if frame.f_globals is self.user_globals else self.line()
        if node is None or self.grad_mode != "grad":
            self.tell_mode(line)
        token = first._token
        if token is None or token.recorder is not self:
            token = self.token(first, line, "gradient" if self.calls else "tensor")
        if isinstance(second, Tensor):
            other = second._token
            if other is None or other.recorder is not self:
                other = self.token(second, line, "gradient" if self.calls else "tensor")
            given: Any = other.tensor
        else:
            given = (second,)
        number = self.count + 1
        made = None
        if node is not None:
            below = node.next
            a = below[0]
            if a is not None:
                known = a.token
                a = known.node if known is not None and known.recorder is self else self.node_id(a, line)
            if len(below) == 1:
                edges: Any = (a,)
            else:
                b = below[1]
                if b is not None:
                    known = b.token
                    b = known.node if known is not None and known.recorder is self else self.node_id(b, line)
                edges = (a, b)
            number = self.count + 1
            known = node.token = NodeToken(node, self.died)
            known.recorder = self
            known.line = line
            known.freed = None
            known.node = number + 2
            made = (
                number + 2,
                op.node,
                node.sequence_nr - self.first_sequence_nr,
                edges,
                node.next_nr,
                True,
                node.versions,
                say.frozen_all(node.attrs) if node.attrs else (),
            )
        self.count = number + op.identities
        made_token = out._token = Token(out, self.died)
        made_token.recorder = self
        made_token.tensor = number
        made_token.storage = number + 1
        made_token.line = line
        data = out._data
        self.moments.append(
            (
                say.applied,
                line,
                op,
                token.tensor,
                given,
                number,
                made is not None,
                data if data.__class__ is not ndarray else self.value(data),
                made,
                self.node_id(self.running[-1], line) if self.running else None,
            )
        )
        if self.packs:
            self.tell_packs()
        if len(self.moments) >= self.BATCH:
            self.drain()

    def mutated(self, tensor: Tensor, how: str) -> None:
        """A tensor's memory was replaced or changed other than by an op."""
        self.changed(how, tensor, self.line())

    def aliased(self, tensor: Tensor, source: Tensor, origin: str = "data") -> None:
        """A tensor over the memory of `source` came to be off the tape."""
        line = self.line()
        token = new_token(self, tensor, self.identity(), self.token(source, line, "tensor").storage, line)
        self.add(say.tensor_created, line, origin, self.info(tensor, token))

    def requires_grad_changed(self, tensor: Tensor) -> None:
        """A tensor's requires_grad was set."""
        line = self.line()
        self.add(say.requires_grad_changed, line, self.token(tensor, line, "tensor").tensor, tensor._requires_grad)

    def rebased(self, tensor: Tensor, node: Any) -> None:
        """An in-place change gave a tensor a new grad_fn."""
        line = self.line()
        self.add(say.graph_rebased, line, self.token(tensor, line, "tensor").tensor, self.node_info(node, line))

    def backward_started(
        self, task: Any, api: str, tensors: Any, roots: Any, implicit: list[bool], inputs: Any
    ) -> None:
        """backward() or autograd.grad() begins."""
        line = self.line()
        parent = self.calls[-1] if self.calls else None
        task.number = self.identity()
        self.outer.append((len(self.running), self._call_line))
        self._call_line = line
        self.calls.append(task.number)
        wanted = None if inputs is None else [self.token(t, line, "tensor").tensor for t in inputs]
        self.add(
            say.backward_started,
            line,
            task.number,
            api,
            parent,
            [self.token(t, line, "tensor").tensor for t in tensors],
            [self.node_id(n, line) for n, _, _ in roots],
            [self.value(g._data) for _, _, g in roots],
            all(implicit),
            task.retain_graph,
            task.create_graph,
            wanted,
        )

    def backward_finished(self, task: Any, failed: bool) -> None:
        """backward() or autograd.grad() ends."""
        self.calls.pop()
        depth, self._call_line = self.outer.pop()
        del self.running[depth:]
        self.add(say.backward_finished, self.line(), task.number, failed)

    def node_started(self, node: Any, g: Any) -> None:
        """A node is about to run on `g`."""
        self.running.append(node)
        incoming = (
            [None if x is None else self.gradient(x) for x in g]
            if node.multi
            else [None if g is None else self.gradient(g)]
        )
        self.moments.append((say.node_started, None, self.calls[-1], self.node_id(node, None), incoming))

    def node_ran(self, node: Any, g: Any, told: list[Any], freed: bool, started: bool) -> None:
        """A node has sent its gradients, `told` by send().

        `freed` when it let go of its saved tensors, `started` when node_started was told before.
        """
        token = node.token
        if token is None or token.recorder is not self:
            self.node_id(node, None)
            token = node.token
        incoming: Any = None
        if started:
            self.running.pop()
        elif node.multi:
            incoming = [None if x is None else self.gradient(x) for x in g]
        else:
            incoming = (self.gradient(g),)
        if freed:
            token.freed = self._call_line
        self.moments.append((say.node_ran, None, self.calls[-1], token.node, incoming, told, freed))
        if len(self.moments) >= self.BATCH:
            self.drain()

    def node_told(self, node: Any, g: Any, gradients: Any, freed: bool) -> None:
        """The same as node_ran() for a node of one output and scalar gradients, which go along its edges."""
        token = node.token
        if token is None or token.recorder is not self:
            self.node_id(node, None)
            token = node.token
        if freed:
            token.freed = self._call_line
        self.moments.append((say.node_told, None, self.calls[-1], token.node, g, gradients, freed))
        if len(self.moments) >= self.BATCH:
            self.drain()

    def sent(self, node: Any, i: int, below: Any, nr: int, gradient: Any, total: Any) -> tuple[Any, ...]:
        """How a gradient sent from input `i` of a node is told; `total` then waits at the receiver, None at first."""
        known = below.token
        number = known.node if known is not None and known.recorder is self else self.node_id(below, None)
        if gradient.__class__ is ndarray or node.reduces or isinstance(gradient, (Tensor, Sparse)):
            reduced = list(node.shape) if node.reduces and gradient.shape != node.shape else None
            return i, number, nr, self.gradient(gradient), None if total is None else self.gradient(total), reduced
        return i, number, nr, gradient, total, None

    def hook_ran(self, where: str, node: Any, hook: str, before: Any, after: Any, owner: Any = None) -> None:
        """A user's hook saw a gradient, or in a module's forward pass a value; `node` is None where there is none.

        `owner` is the module whose hook it is, or the name of the optimizer.
        """
        line = self.line()
        tensor = self.token(node.variable, None, "leaf").tensor if isinstance(node, AccumulateGrad) else None
        if where.startswith("module forward") and isinstance(before, Tensor):
            tensor = self.token(before, line, "tensor").tensor
        elif where.startswith("module") and node is None and self.running:
            node = self.running[-1]
        self.add(
            say.hook_ran,
            line,
            self.calls[-1] if self.calls else None,
            where,
            hook,
            self.path_of(owner) if is_module(owner) else owner,
            tensor,
            None if node is None else self.node_id(node, None),
            None if not isinstance(before, Tensor) else self.value(before._data),
            None if not isinstance(after, Tensor) else self.value(after._data),
        )

    def captured(self, node: Any, tensor: Any, gradient: Tensor, into: str) -> None:
        """A gradient was kept on its way."""
        if isinstance(node, AccumulateGrad) and tensor is None:
            tensor = node.variable
        number = None if tensor is None else self.token(tensor, None, "tensor").tensor
        if into == "result":
            self.token(gradient, None, "grad")
        self.add(
            say.gradient_captured,
            None,
            self.calls[-1],
            self.node_id(node, None),
            number,
            into,
            self.value(gradient._data),
        )

    def accumulating(self, node: Any, gradient: Any) -> None:
        """A leaf's gradient has arrived."""
        self.moments.append(
            (say.node_started, None, self.calls[-1], self.node_id(node, None), [self.gradient(gradient)])
        )

    def accumulated(self, node: Any, leaf: Tensor, before: Any, added: Any, *, in_place: bool) -> None:
        """A leaf's `.grad` was updated."""
        grad: Any = leaf._grad
        number = self.token(leaf, None, "leaf").tensor
        held = self.token(grad, None, "grad").tensor
        self.moments.append(
            (
                say.grad_accumulated,
                None,
                self.calls[-1],
                self.node_id(node, None),
                number,
                held,
                before,
                added,
                self.value(grad._data),
                in_place,
            )
        )

    def grad_cleared(self, tensor: Tensor, how: str, by: str = "user") -> None:
        """`.grad` was emptied or assigned."""
        line = self.line()
        value = None if tensor._grad is None else self.value(tensor._grad._data)
        self.add(say.grad_cleared, line, self.token(tensor, line, "tensor").tensor, how, by, value)

    def backward_failed(self, error: BaseException) -> None:
        """A backward pass ends with an exception; `running` still has the node."""
        node = diagnose.node_of(error) or (self.running[-1] if self.running else None)
        line = self.line()
        inner = self.frames(traceback.walk_tb(error.__traceback__))
        outer = self.frames(traceback.walk_stack(sys._getframe(1)))[::-1]
        trace = [*outer, *inner] if inner else []
        own = inner[-1][0] if inner else line
        why = diagnose.explain(error, self, line)
        self.failed("engine", type(error).__name__, text_of(error), own, None, trace, node, why)
        self.reported = error

    def frames(self, walk: Iterator[tuple[FrameType, int]]) -> list[tuple[int, str, str]]:
        """The frames of the user's code among those of a stack or a traceback: line, function and text of each."""
        found: list[tuple[int, str, str]] = []
        for frame, line in walk:
            if frame.f_globals is self.user_globals:
                code = frame.f_code
                found.append((line, code.co_name, linecache.getline(code.co_filename, line).strip()))
        return found[-50:]


def text_of(error: BaseException) -> str:
    """An exception's text; a user's __str__ may raise anything."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001
        return "(its text could not be made)"
