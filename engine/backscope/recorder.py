"""Turns the engine's moments into events: the only place that emits.

On the hot path a moment is a small tuple with captured values; events are built and encoded when the recorder drains.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from backscope import diagnose
from backscope import events as ev
from backscope import narration as say
from backscope.autograd.node import AccumulateGrad, SavedNumber, SavedResult
from backscope.summary import capture
from backscope.tensor import Tensor


class Token:
    """A tensor's identity in a recording; when it dies, so has the tensor."""

    __slots__ = ("recorder", "storage", "tensor")

    def __init__(self, recorder: Recorder, tensor: int, storage: int) -> None:
        self.recorder = recorder
        self.tensor = tensor
        self.storage = storage

    def __del__(self) -> None:
        self.recorder.moments.append((say.tensor_released, None, self.tensor))


class NodeToken:
    """A node's identity in a recording; when it dies, so has the node."""

    __slots__ = ("node", "recorder")

    def __init__(self, recorder: Recorder, node: int) -> None:
        self.recorder = recorder
        self.node = node

    def __del__(self) -> None:
        self.recorder.moments.append((say.node_released, None, self.node))


class Recorder:
    """Listens to the engine and gives encoded events to `write`, in batches.

    `user_globals` are the globals of the user's program: the innermost frame that has them is the user's line.
    `write` gets bytes: one or more events, a line each.
    """

    BATCH = 512

    def __init__(self, write: Callable[[bytes], None], user_globals: dict[str, Any] | None = None) -> None:
        self.write = write
        self.user_globals = user_globals
        self.moments: list[tuple[Any, ...]] = []
        self.seq = 0
        self.count = 0
        self.calls: list[int] = []
        self.running: list[Any] = []
        self.names: dict[int, str] = {}
        self.reported: BaseException | None = None
        self._made: dict[int, int | None] = {}
        self._freed: dict[int, int | None] = {}
        self._changed_at: dict[int, int | None] = {}
        self._born: dict[int, int | None] = {}
        self._call_line: int | None = None
        self.narrator = say.Narrator()
        self.draining = False

    def identity(self) -> int:
        """A fresh identity."""
        self.count += 1
        return self.count

    def line(self) -> int | None:
        """The user's line that is running."""
        frame: Any = sys._getframe(2)
        wanted = self.user_globals
        while frame is not None:
            if frame.f_globals is wanted:
                return int(frame.f_lineno)
            frame = frame.f_back
        return None

    def add(self, *moment: Any) -> None:
        """Record a moment; drains when enough have come together."""
        self.moments.append(moment)
        if len(self.moments) >= self.BATCH:
            self.drain()

    def drain(self) -> None:
        """Build, encode and write the events of all moments so far."""
        if self.draining:
            return
        self.draining = True
        try:
            while self.moments:
                moments, self.moments = self.moments, []
                lines: list[bytes] = []
                for build, line, *rest in moments:
                    for event in build(self.narrator, self.seq, line, *rest):
                        lines.append(ev.encode(event))
                        self.seq += 1
                self.write(b"\n".join(lines) + b"\n")
        finally:
            self.draining = False

    # -- identities of tensors and nodes

    def token(self, tensor: Tensor, line: int | None, origin: str) -> Token:
        """A tensor's token; one that was not seen before is introduced by a tensor_created of `origin`."""
        token: Token | None = tensor._token
        if token is None or token.recorder is not self:
            base = tensor._view.base if tensor._view is not None else None
            storage = self.token(base, line, "base").storage if base is not None else self.identity()
            token = tensor._token = Token(self, self.identity(), storage)
            self._born[token.tensor] = line
            self.add(say.tensor_created, line, origin, self.info(tensor, token))
        return token

    def info(self, tensor: Tensor, token: Token) -> tuple[Any, ...]:
        """What a TensorInfo is made from."""
        view, shared = tensor._view, tensor._shared
        base = None if view is None or view.base._token is None else view.base._token.tensor
        return (
            token.tensor, token.storage, 0 if shared is None else shared[0], tensor._requires_grad, tensor._grad_fn is None, base,
            capture(tensor._data),
        )  # fmt: skip

    def node_id(self, node: Any, line: int | None) -> int:
        """A node's identity; an AccumulateGrad that was not seen before is introduced."""
        token: NodeToken | None = node.token
        if token is not None and token.recorder is self:
            return token.node
        number = self.identity()
        node.token = NodeToken(self, number)
        if node.__class__ is AccumulateGrad:
            leaf = self.token(node.variable, line, "leaf").tensor
            self.add(say.node_created, line, number, "AccumulateGrad", leaf)
        else:
            self.add(say.node_created, line, number, node.name(), None)
        return number

    def node_info(self, node: Any, line: int | None) -> tuple[Any, ...]:
        """What a NodeInfo is made from; gives the node its identity."""
        edges = [None if n is None else (self.node_id(n, line), nr) for n, nr in node.next_functions]
        token = node.token
        if token is None or token.recorder is not self:
            token = node.token = NodeToken(self, self.identity())
        op = node.op
        saved: list[tuple[Any, ...]] = []
        if node.saved:
            for k, entry in enumerate(node.saved):
                if entry is not None:
                    saved.append(self._saved(node, op, k, entry, line))
        return token.node, node.__class__.__name__, node.sequence_nr, edges, saved, op, node.attrs

    def _saved(self, node: Any, op: Any, k: int, entry: Any, line: int | None) -> tuple[Any, ...]:
        slot = op.slots[k]
        version = node.versions[k] if node.versions else 0
        if entry.__class__ is SavedResult:
            tensor, storage = entry._token or (None, self.identity())
            return slot, tensor, storage, version, entry._data.nbytes, True
        if entry.__class__ is SavedNumber:
            entry._token = (None, self.identity())
            return slot, None, entry._token[1], 0, 8, False
        if not isinstance(entry, Tensor):
            return slot, None, self.identity(), 0, 0, False
        token = self.token(entry, line, "saved")
        return slot, token.tensor, token.storage, version, entry._data.nbytes, False

    # -- what the engine tells

    def created(self, tensor: Tensor, origin: str) -> None:
        """A creation function made a tensor."""
        self.token(tensor, self.line(), origin)

    def named(self, name: str, value: Any, line: int) -> None:
        """A variable of the program was bound; tensors, and those in a short list or dict, get its name."""
        if isinstance(value, Tensor):
            token = value._token
            if token is None or token.recorder is not self:
                token = self.token(value, line, "alias")
            if self.names.get(token.tensor) != name:
                self.names[token.tensor] = name
                self.add(say.tensor_named, line, token.tensor, name)
        elif isinstance(value, (list, tuple)) and len(value) <= 100:
            for i, item in enumerate(value):
                if isinstance(item, Tensor) and (item._token is None or item._token.tensor not in self.names):
                    self.named(f"{name}[{i}]", item, line)
        elif isinstance(value, dict) and len(value) <= 100:
            for key, item in value.items():
                if isinstance(item, Tensor) and (item._token is None or item._token.tensor not in self.names):
                    self.named(f"{name}[{key!r}]", item, line)

    def op(self, name: str, op: Any, args: Any, outputs: Any, node: Any, *, view: bool = False, in_place: bool = False) -> None:
        """An op ran forward."""
        line = self.line()
        inputs: list[Any] = []
        for a in args:
            if isinstance(a, Tensor):
                token = a._token
                if token is None or token.recorder is not self:
                    token = self.token(a, line, "gradient" if self.calls else "tensor")
                inputs.append(token.tensor)
            elif isinstance(a, (list, tuple)) and a and isinstance(a[0], Tensor):
                inputs.append([self.token(x, line, "tensor").tensor for x in a])
            else:
                inputs.append((a,))
        if in_place:
            self._changed(name, outputs[0], line)
            infos = [self.info(outputs[0], outputs[0]._token)]
        else:
            infos = []
            for out in outputs:
                number = self.count = self.count + 1
                if view:
                    storage = args[0]._token.storage
                else:
                    storage = self.count = number + 1
                token = out._token = Token(self, number, storage)
                self._born[number] = line
                infos.append(self.info(out, token))
        made = None
        if node is not None:
            for entry in node.saved or ():
                if entry.__class__ is SavedResult and entry._token is None or entry.__class__ is SavedResult and in_place:
                    token = outputs[entry.output_nr]._token
                    entry._token = (token.tensor, token.storage)
            made = self.node_info(node, line)
            self._made[made[0]] = line
        during = self.node_id(self.running[-1], line) if self.running else None
        self.moments.append((say.op_applied, line, name, op, inputs, infos, made, in_place, view, during))
        if len(self.moments) >= self.BATCH:
            self.drain()

    def _changed(self, name: str, tensor: Tensor, line: int | None) -> None:
        token = self.token(tensor, line, "tensor")
        self._changed_at[token.storage] = line
        self.add(say.tensor_mutated, line, token.tensor, token.storage, tensor._version, name, capture(tensor._data))

    def mutated(self, tensor: Tensor, how: str) -> None:
        """A tensor's memory was replaced or changed other than by an op."""
        self._changed(how, tensor, self.line())

    def aliased(self, tensor: Tensor, source: Tensor) -> None:
        """A tensor over the memory of `source` came to be off the tape."""
        line = self.line()
        token = tensor._token = Token(self, self.identity(), self.token(source, line, "tensor").storage)
        self.add(say.tensor_created, line, "data", self.info(tensor, token))

    def requires_grad_changed(self, tensor: Tensor) -> None:
        """A tensor's requires_grad was set."""
        line = self.line()
        self.add(say.requires_grad_changed, line, self.token(tensor, line, "tensor").tensor, tensor._requires_grad)

    def rebased(self, tensor: Tensor, node: Any) -> None:
        """An in-place change gave a tensor a new grad_fn."""
        line = self.line()
        self.add(say.graph_rebased, line, self.token(tensor, line, "tensor").tensor, self.node_info(node, line))

    def backward_started(self, task: Any, api: str, tensors: Any, roots: Any, implicit: list[bool], inputs: Any) -> None:
        """backward() or autograd.grad() begins."""
        line = self.line()
        parent = self.calls[-1] if self.calls else None
        task.number = self.identity()
        self._call_line = line
        self.calls.append(task.number)
        wanted = None if inputs is None else [self.token(t, line, "tensor").tensor for t in inputs]
        self.add(
            say.backward_started, line, task.number, api, parent, [self.token(t, line, "tensor").tensor for t in tensors],
            [self.node_id(n, line) for n, _, _ in roots], [capture(g._data) for _, _, g in roots], all(implicit), task.retain_graph,
            task.create_graph, wanted,
        )  # fmt: skip

    def backward_finished(self, task: Any, failed: bool) -> None:
        """backward() or autograd.grad() ends."""
        self.calls.pop()
        self.running.clear()
        self.add(say.backward_finished, self.line(), task.number, failed)

    def node_started(self, node: Any, g: Any) -> None:
        """A node is about to run on `g`."""
        self.running.append(node)
        incoming = [None if x is None else _value(x) for x in g] if node.multi else [None if g is None else _value(g)]
        self.moments.append((say.node_started, None, self.calls[-1], node.token.node if node.token else self.node_id(node, None), incoming))

    def node_ran(self, node: Any, g: Any, gradients: Any, before: list[Any]) -> None:
        """A node's gradients have been sent."""
        self.running.pop()
        sent: list[Any] = []
        numbers = node.next_nr
        for i, gradient in enumerate(gradients):
            below = node.next[i]
            if below is None or gradient is None:
                continue
            nr = numbers[i] if numbers else 0
            waiting = below.grad
            if below.multi:
                waiting = None if waiting is None else waiting[nr]
            total = None if before[i] is None or waiting is gradient else _value(waiting)
            reduced = list(node.shape) if gradient.shape != node.shape and node.reduces else None
            sent.append((i, self.node_id(below, None), nr, _value(gradient), total, reduced))
        self.moments.append((say.gradients_sent, None, self.calls[-1], node.token.node, sent))

    def node_finished(self, node: Any, freed: Any) -> None:
        """A node is done; `freed` are the saved tensors that it let go of, None when it keeps them."""
        buffers: list[Any] = []
        if freed:
            self._freed[node.token.node] = self._call_line
            op = node.op
            for k, entry in enumerate(freed):
                if entry is None:
                    continue
                token = entry._token
                if isinstance(entry, Tensor):
                    storage, nbytes = (token.storage if token is not None else 0), entry._data.nbytes
                else:
                    storage = token[1] if token.__class__ is tuple else 0
                    nbytes = 8 if entry.__class__ is SavedNumber else getattr(entry, "_data").nbytes if entry.__class__ is SavedResult else 0
                buffers.append((op.slots[k], storage, nbytes))
        self.moments.append((say.node_finished, None, self.calls[-1], node.token.node, buffers))
        if len(self.moments) >= self.BATCH:
            self.drain()

    def hook_ran(self, where: str, node: Any, hook: str, before: Any, after: Any) -> None:
        """A user's hook saw a gradient."""
        tensor = self.token(node.variable, None, "leaf").tensor if isinstance(node, AccumulateGrad) else None
        self.add(
            say.hook_ran, self.line(), self.calls[-1] if self.calls else None, where, hook, tensor, self.node_id(node, None),
            None if before is None else capture(before._data), None if not isinstance(after, Tensor) else capture(after._data),
        )  # fmt: skip

    def captured(self, node: Any, tensor: Any, gradient: Tensor, into: str) -> None:
        """A gradient was kept on its way."""
        if isinstance(node, AccumulateGrad) and tensor is None:
            tensor = node.variable
        number = None if tensor is None else self.token(tensor, None, "tensor").tensor
        self.add(say.gradient_captured, None, self.calls[-1], self.node_id(node, None), number, into, capture(gradient._data))

    def accumulating(self, node: Any, gradient: Any) -> None:
        """A leaf's gradient has arrived."""
        self.running.append(node)
        self.moments.append((say.node_started, None, self.calls[-1], self.node_id(node, None), [_value(gradient)]))

    def snapshot(self, tensor: Any) -> Any:
        """A tensor's value now, None for None."""
        return None if tensor is None else capture(tensor._data)

    def accumulated(self, node: Any, leaf: Tensor, before: Any, added: Any, *, in_place: bool) -> None:
        """A leaf's `.grad` was updated."""
        grad: Any = leaf._grad
        number = self.token(leaf, None, "leaf").tensor
        if self.running and self.running[-1] is node:
            self.running.pop()
        held = self.token(grad, None, "grad").tensor
        self.moments.append(
            (say.grad_accumulated, None, self.calls[-1], self.node_id(node, None), number, held, before, _value(added), capture(grad._data), in_place)
        )

    def grad_cleared(self, tensor: Tensor, how: str, by: str = "user") -> None:
        """`.grad` was emptied or assigned."""
        line = self.line()
        value = None if tensor._grad is None else capture(tensor._grad._data)
        self.add(say.grad_cleared, line, self.token(tensor, line, "tensor").tensor, how, by, value)

    def parameters(self, parameters: list[Tensor]) -> list[Any]:
        """Parameters with their values before an optimizer's step."""
        return [(p, capture(p._data)) for p in parameters]

    def optimizer_stepped(self, name: str, before: list[Any]) -> None:
        """An optimizer has changed its parameters."""
        line = self.line()
        updates = []
        for p, value in before:
            token = self.token(p, line, "tensor")
            updates.append((token.tensor, token.storage, p._version, value, None if p._grad is None else capture(p._grad._data), capture(p._data)))
        self.add(say.optimizer_stepped, line, name, updates)

    # -- what the program does besides

    def program_started(self, *moment: Any) -> None:
        """A run begins."""
        self.add(say.program_started, None, *moment)

    def backward_failed(self, error: BaseException) -> None:
        """A backward pass ends with an exception; `running` still has the node."""
        node = diagnose.node_of(error) or (self.running[-1] if self.running else None)
        line = self.line()
        why = diagnose.explain(error, self, line)
        self.failed("engine", type(error).__name__, str(error), line, None, [], node, why)
        self.reported = error

    # -- where things happened, for a diagnosis

    def made_at(self, node: Any) -> int | None:
        """The line whose op made a node."""
        return self._made.get(node.token.node) if node.token is not None else None

    def freed_at(self, node: Any) -> int | None:
        """The line of the backward pass that freed a node's saved tensors."""
        return self._freed.get(node.token.node) if node.token is not None else None

    def changed_at(self, storage: int | None) -> int | None:
        """The line that last changed a storage in place."""
        return None if storage is None else self._changed_at.get(storage)

    def born_at(self, tensor: Tensor) -> int | None:
        """The line that made a tensor."""
        return self._born.get(tensor._token.tensor) if tensor._token is not None else None

    def printed(self, stream: str, text: str) -> None:
        """The program wrote text."""
        self.add(say.output_printed, self.line(), stream, text)

    def warned(self, category: str, message: str, line: int | None) -> None:
        """A warning was given."""
        self.add(say.warning_raised, line, category, message)

    def failed(self, stage: str, kind: str, message: str, line: int | None, column: int | None, trace: list[Any], node: Any, why: Any) -> None:
        """An exception was raised or caught."""
        number = None if node is None or node.token is None else node.token.node
        self.add(say.error_raised, line, stage, kind, message, column, trace, number, why)

    def program_finished(self, status: str) -> None:
        """A run is over."""
        self.add(say.program_finished, None, status)


def _value(gradient: Any) -> Any:
    return capture(gradient._data if isinstance(gradient, Tensor) else gradient)
