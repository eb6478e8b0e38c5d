"""Finds the breakpoints that a moment of a program on PyTorch reaches, by what was recorded of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.exception_breakpoints import ExceptionBreakpoints
from backscope.debugger.breakpoints.gradient_norm_breakpoints import GradientNormBreakpoints
from backscope.debugger.breakpoints.hook_breakpoints import HookBreakpoints
from backscope.debugger.breakpoints.named_breakpoints import FreedBreakpoints, OpBreakpoints
from backscope.debugger.breakpoints.node_breakpoints import NodeBreakpoints
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.protocol import commands as c
from backscope.pytorch import narration as tell
from backscope.pytorch.debugger.finiteness import norm_of
from backscope.pytorch.debugger.non_finite import NonFinite
from backscope.pytorch.identities import Identities, grad_fn_of
from backscope.recorder import narration as say
from backscope.recorder.names import Names
from backscope.runtime.spelling import spellings

TensorKey = int | str


class TorchMatching:
    """The breakpoints that are not on lines; `reached` collects what is reached.

    `stop_soon` is called when that happens: where the program cannot stop at once, it does at its next line.
    """

    def __init__(
        self, identities: Identities, names: Names, armed: Iterable[Armed], stop_soon: Callable[[], None]
    ) -> None:
        self.reached = reached = ReachedBreakpoints()
        self.ops = OpBreakpoints(reached)
        self.nodes = NodeBreakpoints(reached)
        self.freed = FreedBreakpoints(reached)
        self.exceptions = ExceptionBreakpoints(reached)
        self.non_finite = NonFinite(reached, identities)
        self.norms = GradientNormBreakpoints(reached)
        self.hooks = HookBreakpoints(reached)
        self._tensors: dict[str, list[tuple[TensorKey, Armed]]] = {}
        self._nothing_saved: set[int] = set()
        """Nodes that have nothing to free, of those that were made since the breakpoint on that was set."""
        self._variables: dict[str, int | None] = {}
        self._identities = identities
        self._names = names
        self._stop_soon = stop_soon
        for one in armed:
            self._add(one, one.definition)
        if self.non_finite.armed:
            self.non_finite.look()
        self._ways: dict[Any, Callable[..., None]] = {
            tell.op_applied: self._op,
            say.tensor_created: self._created,
            say.tensor_mutated: self._mutated,
            say.tensor_named: self._named,
            say.module_entered: self._module_entered,
            say.node_ran: self._ran,
            say.grad_accumulated: self._accumulated,
            say.hook_ran: self._hook_ran,
            say.optimizer_stepped: self._optimizer_stepped,
        }
        self.moments: dict[str, None] = {}
        """No methods of a recorder are replaced here."""

    @property
    def at_nodes(self) -> bool:
        """True if a pass has to be checked between its nodes."""
        return bool(self.nodes or self.norms.bounds or "gradient" in self._tensors)

    def _add(self, armed: Armed, b: c.Breakpoint) -> None:
        if isinstance(b, c.OpBreakpoint):
            self.ops.add(armed, b.name)
            self.nodes.add(armed, b.name, "before")
        elif isinstance(b, c.NodeBreakpoint):
            self.nodes.add(armed, b.node, b.when)
        elif isinstance(b, c.TensorBreakpoint):
            self._add_tensor(armed, b.tensor, b.when)
        elif isinstance(b, c.NonFiniteBreakpoint):
            self.non_finite.armed.append(armed)
        elif isinstance(b, c.GradientNormBreakpoint):
            self.norms.bounds.add(b.above, b.below, armed)
        elif isinstance(b, c.FreedBreakpoint):
            self.freed.add(armed, b.name)
        elif isinstance(b, c.HookBreakpoint):
            self.hooks.armed.append(armed)
        elif isinstance(b, c.ExceptionBreakpoint):
            self.exceptions.armed.append(armed)

    def _add_tensor(self, armed: Armed, tensor: TensorKey, when: str) -> None:
        for key in spellings(tensor) if isinstance(tensor, str) else [tensor]:
            self._tensors.setdefault(when, []).append((key, armed))
            if isinstance(key, str):
                self._variables[key] = self._names.bound.get(key)

    # Any: a moment, as the journal has it.
    def told(self, moment: tuple[Any, ...]) -> None:
        """Reach the breakpoints on a moment that was recorded."""
        way = self._ways.get(moment[0])
        if way is not None:
            before = len(self.reached.entries)
            way(*moment[2:])
            if len(self.reached.entries) > before:
                self._stop_soon()

    def called(self, name: str) -> None:
        """Reach the breakpoints on a function of PyTorch's API that was called and is made of other ops."""
        reached = [armed for armed, _ in self.reached.entries]
        self.reached.add(armed for armed in self.ops.by_name.get(name, ()) if armed not in reached)

    def _op(
        self,
        name: str,
        inputs: Sequence[tuple[str, int | None, Any]],
        infos: Sequence[tuple[Any, ...]],
        node: tuple[Any, ...] | None,
        in_place: bool,
        *_: object,
    ) -> None:
        self.ops.ran(name)
        if name.endswith("_"):
            self.ops.ran(name[:-1])
        if self.freed and node is not None and not node[5]:
            self._nothing_saved.add(node[0])
        if self.non_finite.armed:
            self.non_finite.computed(name, inputs, infos, node, in_place=in_place)
        for number, *_rest in infos:
            self._happened("created", number)

    def _created(self, origin: str, info: tuple[Any, ...]) -> None:
        if self.non_finite.armed:
            self.non_finite.created(origin, info)
        self._happened("created", info[0])

    def _mutated(self, tensor: int, storage: int, version: int, how: str, value: Any, through: int | None) -> None:
        if self.non_finite.armed:
            self.non_finite.changed(tensor, storage, how, value)
        self._happened("changed", tensor)

    def _optimizer_stepped(
        self, name: str, count: int, groups: object, updates: Sequence[tuple[Any, ...]], unchanged: object
    ) -> None:
        for tensor, storage, _version, recorded, _, _, _, _, after, *_rest in updates:
            if not recorded:
                if self.non_finite.armed:
                    self.non_finite.changed(tensor, storage, f"{name}.step", after)
                self._happened("changed", tensor)

    def _module_entered(self, call: int, module: int, path: str, *_: object) -> None:
        self.ops.ran(path)

    def _named(self, tensor: int, name: str) -> None:
        if name in self._variables and self._variables[name] != tensor:
            self._variables[name] = tensor
            self.reached.add(armed for key, armed in self._tensors.get("created", ()) if key == name)

    def released(self, tensor: int) -> None:
        """Reach the breakpoints on the release of a tensor."""
        before = len(self.reached.entries)
        found = [armed for key, armed in self._tensors.get("released", ()) if self._number(key) == tensor]
        self.reached.add(found, "The tensor was released.")
        if len(self.reached.entries) > before:
            self._stop_soon()

    def _happened(self, event: str, tensor: int) -> None:
        if entries := self._tensors.get(event):
            self.reached.add(armed for key, armed in entries if self._number(key) == tensor)

    def _number(self, key: TensorKey) -> int | None:
        return self._names.bound.get(key) if isinstance(key, str) else key

    def before_node(self, node: int, name: str, leaf: int | None, gradients: Sequence[Any]) -> None:
        """Reach the breakpoints before a node runs on `gradients`; it is that of a `leaf`, or made by an op."""
        self.nodes.before_node(node, name)
        for key, armed in self._tensors.get("gradient", ()):
            number = self._number(key)
            if number is not None and (number == leaf or self._node_of(number) == node):
                self.reached.add([armed])
        if self.norms.bounds:
            for value in gradients:
                self.norms.arrived_with(norm_of(value), name)

    def _node_of(self, tensor: int) -> int | None:
        """Return the node where the gradient of a tensor is complete, None for a leaf or a tensor that is gone."""
        held = self._identities.find(tensor)
        if held is None:
            return None
        with self._identities.context.quiet:
            node = grad_fn_of(held)
        token = None if node is None else self._identities.life(node)
        return None if token is None else token.node

    def failed(self, error: BaseException, node: int | None) -> None:
        """Reach the breakpoints on an error in a pass, and those after the node that raised it."""
        self.exceptions.raised(error)
        name = self._identities.node_names.get(node or 0)
        if name is not None:
            self.nodes.failed(node, name, error)

    def _ran(self, call: int, node: int, incoming: object, sent: Sequence[tuple[Any, ...]], freed: bool) -> None:
        name = self._identities.node_names.get(node, "A node")
        if self.non_finite.armed:
            self.non_finite.sent(node, name, [value for _, _, _, value, *_rest in sent])
        if freed and self.freed and node not in self._nothing_saved:
            self.freed.freed(name)

    def _accumulated(self, call: int, tensor: int, *_: object) -> None:
        self._happened("accumulated", tensor)

    def _hook_ran(self, call: int | None, where: str, hook: str, *_: object) -> None:
        self.hooks.hook_ran(where, None, hook)
