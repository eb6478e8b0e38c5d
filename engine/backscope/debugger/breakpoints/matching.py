"""Finds the breakpoints that a moment of the recorder reaches, with a part for each kind that few moments call.

Each method of Matching that has the name of a moment takes what the recorder's method took, after that has recorded it.
Moments that no breakpoint needs are not in `moments`, and cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from backscope.autograd.node import AccumulateGrad, Node
from backscope.debugger.breakpoints import fast_checks
from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.exception_breakpoints import ExceptionBreakpoints
from backscope.debugger.breakpoints.fast_checks import Method
from backscope.debugger.breakpoints.gradient_norm_breakpoints import GradientNormBreakpoints
from backscope.debugger.breakpoints.hook_breakpoints import HookBreakpoints
from backscope.debugger.breakpoints.moment_breakpoints import MomentBreakpoints
from backscope.debugger.breakpoints.named_breakpoints import FreedBreakpoints, OpBreakpoints
from backscope.debugger.breakpoints.node_breakpoints import NodeBreakpoints, keys_of
from backscope.debugger.breakpoints.non_finite_breakpoints import NonFiniteBreakpoints
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.debugger.breakpoints.tensor_breakpoints import TensorBreakpoints
from backscope.ops.core.declaration import Op, primitives
from backscope.protocol import commands as c
from backscope.recorder.identity import NodeToken
from backscope.recorder.optimizer_events import StepUnderWay
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.recorder import Recorder
from backscope.runtime.listener import overridden
from backscope.summary.finiteness import all_finite, any_nan, finite
from backscope.tensor.tensor import Tensor

Match: TypeAlias = Callable[..., None]

_CHANGING = ("op", "mutated", "step_started", "step_finished", "parameters_moved")
"""Moments within which changes of memory are recorded: a stop waits until these moments are recorded whole."""

_CREATING = ("op", "applied", "function_applied")
"""Moments within which creations are recorded: likewise."""

_NODE = re.compile(r"Backward\d*$|^AccumulateGrad$")

KINDS: tuple[type[MomentBreakpoints], ...] = (HookBreakpoints,)
"""The kinds that are reached by what a moment is given, without the methods and checks of Matching."""


class Matching:
    """The breakpoints that are not on lines.

    `moments` has for each moment to be checked the method that does so; None where a stop waits for its end alone.
    `reached` collects what is reached.  `stop_soon` is called when that happens outside of any moment.
    """

    def __init__(self, recorder: Recorder, armed: Iterable[Armed], stop_soon: Callable[[], None]) -> None:
        self.reached = reached = ReachedBreakpoints()
        self.ops = OpBreakpoints(reached)
        self.nodes = NodeBreakpoints(reached)
        self.tensors = TensorBreakpoints(recorder, reached, stop_soon)
        self.non_finite = NonFiniteBreakpoints(recorder, reached)
        self.norms = GradientNormBreakpoints(reached)
        self.freed = FreedBreakpoints(reached)
        self._kinds = {kind.definition: kind(reached) for kind in KINDS}
        self.exceptions = ExceptionBreakpoints(reached)
        self._recorder = recorder
        self._always: set[str] = set()
        """Moments that a kind of KINDS has to be called at, whatever the fast checks say."""
        self._examined: dict[int, int] = {}
        """By storage, the version at which a change was examined last."""
        for one in armed:
            self._add(one, one.definition)
        self.tensors.follow_existing()
        self.sees_changes = bool(self.non_finite or "changed" in self.tensors.by_event)
        """True if changed() has to be called after each change of memory."""
        self.moments = self._moments()

    def _add(self, armed: Armed, b: c.Breakpoint) -> None:
        if isinstance(b, c.OpBreakpoint):
            # Variants of an op have names of their own, and go by its name in the log.
            variants = [op.name for op in primitives.values() if op.torch_name == b.name]
            for name in {b.name, *variants}:
                self.ops.add(armed, name)
            self.nodes.add(armed, b.name, "before")
        elif isinstance(b, c.NodeBreakpoint):
            self.nodes.add(armed, b.node, b.when)
        elif isinstance(b, c.TensorBreakpoint):
            self.tensors.add(armed, b.tensor, b.when)
        elif isinstance(b, c.NonFiniteBreakpoint):
            self.non_finite.armed.append(armed)
        elif isinstance(b, c.GradientNormBreakpoint):
            self.norms.bounds.add(b.above, b.below, armed)
        elif isinstance(b, c.FreedBreakpoint):
            self.freed.add(armed, b.name)
        elif isinstance(b, c.ExceptionBreakpoint):
            self.exceptions.armed.append(armed)
        else:
            self._kinds[type(b)].armed.append(armed)

    def _moments(self) -> dict[str, Match | None]:
        moments: dict[str, Match | None] = {}
        tensors, non_finite, nodes = self.tensors, self.non_finite, self.nodes
        events = tensors.by_event.keys()
        if self.ops or non_finite or self.tensors.follows_creation:
            moments |= {"op": self.op, "applied": self.applied, "function_applied": self.function_applied}
        if any(name not in primitives and not _NODE.search(name) for name in self.ops.by_name if name is not None):
            moments["module_entered"] = self.module_entered
        if non_finite:
            moments["created"] = non_finite.created
        if events & {"created", "released"}:
            moments["named"] = tensors.named
        if self.sees_changes:
            moments["step_finished"] = self.step_finished
        if non_finite or self.norms.bounds or self.freed:
            moments |= {"gradients_sent": self.gradients_sent, "node_ran": self.node_ran}
        if nodes.before or self.norms.bounds or "gradient" in events:
            moments["accumulating"] = self.accumulating
        if nodes.after or tensors.awaited or "accumulated" in events:
            moments["accumulated"] = self.accumulated
        if self.exceptions.armed or nodes.after:
            moments["backward_failed"] = self.backward_failed
        for name in (*(_CHANGING if self.sees_changes else ()), *(_CREATING if "created" in moments else ())):
            moments.setdefault(name, None)
        if tensors.awaited:
            moments.setdefault("created", None)
            moments["aliased"] = tensors.aliased
        for kind in self._kinds.values():
            for name in overridden(type(kind), ProgramListener) if kind.armed else ():
                moments[name] = _both(moments.get(name), getattr(kind, name))
                self._always.add(name)
        return moments

    def method(self, name: str, record: Method, record_and_check: Method, check: Method) -> Method | None:
        """Return the recorder's method `name` with a fast check built in, for the commonest moments; else None.

        See fast_checks.py for the arguments.
        """
        if name in self._always:
            return None
        checks_numbers, every_op = bool(self.non_finite), self.tensors.follows_creation
        if name == "applied":
            return fast_checks.applied(record, check, self.ops.by_name, checks_numbers, every_op)
        if name == "op":
            return fast_checks.op(record, record_and_check, check, self.ops.by_name, checks_numbers, every_op)
        if name == "gradients_sent":
            passes, freed = self._recorder.passes, self.freed.by_name
            return fast_checks.gradients_sent(passes, record, check, self.norms.bounds, checks_numbers, freed)
        if name == "named" and "released" not in self.tensors.by_event:
            return fast_checks.named(record, record_and_check, check, self.tensors.variables)
        return None

    @property
    def at_nodes(self) -> bool:
        """True if a pass has to be checked between its nodes."""
        return bool(self.nodes or "gradient" in self.tensors.by_event)

    def among(self, order: Iterable[Node]) -> set[Node]:
        """Return the nodes of a pass at which breakpoints may be reached."""
        return self.nodes.among(order, self._recorder.identities.count) | self.tensors.producers()

    def before_node(self, node: Node) -> None:
        """Reach the breakpoints before a node that is not a leaf's."""
        self.nodes.before_node(*keys_of(node))
        self.tensors.before_node(node)

    def op(
        self,
        name: str,
        op: Op | None,
        args: Sequence[object],
        outputs: Sequence[Tensor],
        node: Node | None,
        *,
        view: bool = False,
        in_place: bool = False,
    ) -> None:
        """Reach the breakpoints after an op ran forward."""
        self.ops.ran(name)
        if in_place:
            self.non_finite.changed_in_place(args, outputs)
        if self.non_finite and not view and not all_finite(outputs):
            shown = name if op is None or in_place else op.torch_name
            self.non_finite.computed(args, outputs, f"The op {shown}")
        tensors = self.tensors
        if tensors.follows_producers or (tensors.awaited and not in_place):
            for out in outputs:
                tensors.came_to_be(out)

    def applied(self, op: Op, first: Tensor, second: object, out: Tensor, *attributes: object) -> None:
        """Reach the breakpoints after an elementwise op ran."""
        self.ops.ran(op.name)
        if self.non_finite and not finite(out._data):
            self.non_finite.computed((first, second), (out,), f"The op {op.torch_name}")
        if self.tensors.follows_creation:
            self.tensors.came_to_be(out)

    def function_applied(
        self,
        function: type,
        names: Sequence[str],
        args: Sequence[object],
        outputs: Sequence[object],
        node: Node | None,
    ) -> None:
        """Reach the breakpoints after a custom Function ran."""
        name = function.__name__
        self.ops.ran(name)
        if self.non_finite and not all_finite(outputs):
            self.non_finite.computed(args, outputs, f"The function {name}")
        if self.tensors.follows_creation:
            for out in outputs:
                if isinstance(out, Tensor):
                    self.tensors.came_to_be(out)

    def module_entered(self, module: object) -> None:
        """Reach the breakpoints on the path of a module that is called."""
        self.ops.ran(self._recorder.modules.entered[-1][2].path)

    def changed(self, how: str, tensor: Tensor, line: object) -> None:
        """Reach the breakpoints after a tensor's memory was changed in place."""
        if tensor._token is not None:
            self._examined[tensor._token.storage] = tensor._counter()[0]
        if self.tensors.concern("changed"):
            self.tensors.changed(tensor)
        if self.non_finite:
            self.non_finite.changed(how, tensor)

    def step_finished(self, step: StepUnderWay) -> None:
        """Examine the parameters of an optimizer that changed them all at once, without an op for each."""
        wanted, checks_numbers, examined = self.tensors.concern("changed"), bool(self.non_finite), self._examined
        versions = self._recorder.changes.recorded_version
        for p, _, version, _, _ in step.parameters:
            token = p._token
            storage = token.storage
            now = versions.get(storage, version)
            if now != version and examined.get(storage) != now:
                if checks_numbers and self.non_finite.reported and p._grad is not None and any_nan((p._grad,)):
                    checks_numbers = False  # The NaN comes from a gradient that was reported.
                if wanted or (checks_numbers and not finite(p._data)):
                    self.changed(f"{type(step.optimizer).__name__}.step", p, None)
                else:
                    examined[storage] = now

    def gradients_sent(
        self,
        node: Node,
        token: NodeToken | None,
        g: object,
        gradients: Sequence[object],
        totals: Sequence[object] | None,
        freed: bool,
    ) -> None:
        """Reach the breakpoints after a node ran in the fast loop."""
        identities = self._recorder.identities
        if token is None or token.identities is not identities or token.node in identities.nodes_without_op:
            gradients = [x for x, below in zip(gradients, node.next, strict=False) if below is not None]
        self._ran(node, g, gradients, freed)

    def node_ran(
        self, node: Node, g: object, sent: Sequence[tuple[int, Node, int, object, object]], freed: bool, started: bool
    ) -> None:
        """Reach the breakpoints after a node ran in a stepwise pass."""
        self._ran(node, g, [gradient for _, _, _, gradient, _ in sent], freed)

    def _ran(self, node: Node, g: object, gradients: Sequence[object], freed: bool) -> None:
        if self.non_finite:
            self.non_finite.sent(node, g, gradients)
        if self.norms.bounds:
            self.norms.arrived(g if isinstance(g, (list, tuple)) else (g,), node.__class__.__name__)
        # A change of a view that needs nothing of what was saved frees nothing, though it can't run again.
        if freed and self.freed and getattr(node, "needs", True):
            self.freed.freed(node.__class__.__name__)

    def accumulating(self, node: AccumulateGrad, gradient: object, old: Tensor | None) -> None:
        """Reach the breakpoints before a leaf's complete gradient is added to its `.grad`."""
        self.nodes.before_node(*keys_of(node))
        self.tensors.happened("gradient", node.variable)
        if self.norms.bounds:
            self.norms.arrived((gradient,), "AccumulateGrad")

    def waits(self) -> Callable[[AccumulateGrad, Tensor, object], bool]:
        """Return a function for Listener.waits: whether breakpoints may be reached while a leaf gets its gradient."""
        if self.tensors.awaited or self._always & {"accumulating", "accumulated"}:
            return lambda *_: True
        leaves = self.tensors.keys("gradient", "accumulated")
        nodes = {*self.nodes.before, *self.nodes.after}
        return fast_checks.waits(self._recorder, self.norms.bounds, leaves, nodes)

    def accumulated(self, leaf: Tensor, accumulation: tuple[int, object, object], *, in_place: bool) -> None:
        """Reach the breakpoints after a leaf's `.grad` was updated."""
        self.tensors.happened("accumulated", leaf)
        self.nodes.accumulated(accumulation[0])

    def backward_failed(self, error: BaseException) -> None:
        """Reach the breakpoints on an error in a backward pass, and those after the node that raised it."""
        self.exceptions.raised(error)
        running = self._recorder.passes.running
        if self.nodes.after and running:
            self.nodes.failed(*keys_of(running[-1]), error)


def _both(first: Match | None, second: Match) -> Match:
    """Return a function that calls both with what it is given."""
    if first is None:
        return second

    def both(*arguments: object, **named: object) -> None:
        first(*arguments, **named)
        second(*arguments, **named)

    return both
