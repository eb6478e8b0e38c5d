"""Which breakpoints a moment reaches: compiled, so that methods of the recorder that no breakpoint needs are as ever.

Each method here takes what the recorder's method of the same name was given, after that has told it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from backscope.debugger import fast_checks
from backscope.debugger.breakpoint import Armed
from backscope.debugger.tensor_matching import TensorMatching
from backscope.ops.core.declaration import primitives
from backscope.protocol import commands as c
from backscope.recorder.recorder import Recorder
from backscope.runtime.spelling import spellings
from backscope.summary.finiteness import Bounds, all_finite, any_nan, finite
from backscope.tensor.tensor import Tensor

Match = Callable[..., None]
B = TypeVar("B")

_CHANGING = ("op", "mutated", "step_started", "step_finished", "parameters_moved")
"""Moments within which changes of memory are recorded: a stop waits until they are whole."""

_CREATING = ("op", "applied", "function_applied")
"""The same for tensors that come to be."""

LONGEST_MESSAGE = 80
"""Characters of an exception's message that a stop shows."""


class Matching(TensorMatching):
    """The breakpoints that are not on lines."""

    def __init__(self, recorder: Recorder, others: Iterable[Armed], soon: Callable[[], None]) -> None:
        super().__init__(recorder, soon)
        self.moments: dict[str, Match | None] = {}
        self.looks_at_changes = False
        """Whether changed() is to be called."""
        self.before: dict[Any, list[Armed]] = {}
        self.after: dict[Any, list[Armed]] = {}
        self.exceptions: list[Armed] = []
        self._seen: tuple[int, type[BaseException]] | None = None
        self._ops: dict[str, list[Armed]] = {}
        self._non_finite: list[Armed] = []
        self._met_infinity = False
        """Whether a stop told of one: NaN that comes of it afterwards is no news."""
        self._spoilt_memory: dict[int, int] = {}
        """How many elements of a storage were NaN or infinite when a change of it was looked at last."""
        self._left_in_memory: tuple[int, str] | None = None
        """What a change within an op told of: how many breakpoints were reached before that, and what was said."""
        self._norms = Bounds()
        self._changes: dict[int, int] = {}
        """The version at which a change was looked at last, by storage."""
        self._freed: dict[str | None, list[Armed]] = {}
        self._hooks: dict[str | None, list[Armed]] = {}
        for armed in others:
            self._take(armed, armed.given)
        self.follow_known()
        self._compile()
        nodes = {*self.before, *self.after}
        self._nodes = {n for n in nodes if isinstance(n, str)}, {n for n in nodes if not isinstance(n, str)}

    def _take(self, armed: Armed, b: c.Breakpoint) -> None:
        if isinstance(b, c.OpBreakpoint):
            # Variants of an op have names of their own, and go by its name in the log.
            variants = [op.name for op in primitives.values() if op.torch_name == b.name]
            for name in {b.name, *variants}:
                self._ops.setdefault(name, []).append(armed)
            self.before.setdefault(b.name, []).append(armed)
        elif isinstance(b, c.NodeBreakpoint):
            (self.before if b.when == "before" else self.after).setdefault(b.node, []).append(armed)
        elif isinstance(b, c.TensorBreakpoint):
            if isinstance(b.tensor, str):
                for name in spellings(b.tensor):
                    self._tensors.setdefault(b.when, []).append((name, armed))
                    self._bound.setdefault(name, self.recorder.names.bound.get(name))
            else:
                self._take_tensor(armed, b.tensor, b.when)
        elif isinstance(b, c.NonFiniteBreakpoint):
            self._non_finite.append(armed)
        elif isinstance(b, c.GradientNormBreakpoint):
            self._norms.add(b.above, b.below, armed)
        elif isinstance(b, c.FreedBreakpoint):
            self._freed.setdefault(b.name, []).append(armed)
        elif isinstance(b, c.HookBreakpoint):
            self._hooks.setdefault(b.name, []).append(armed)
        elif isinstance(b, c.ExceptionBreakpoint):
            self.exceptions.append(armed)

    def _take_tensor(self, armed: Armed, tensor: int, when: str) -> None:
        self._tensors.setdefault(when, []).append((tensor, armed))
        if when in ("created", "released"):
            waiting = self._made.setdefault(tensor, [])
            if when == "created":
                waiting.append(armed)
        if when == "gradient":
            self._sources.setdefault(tensor, None)

    def _compile(self) -> None:
        moments = self.moments
        about = set(self._tensors)
        if self._ops or self._non_finite or self._made or self._sources:
            moments |= {"op": self.op, "applied": self.applied, "function_applied": self.function_applied}
        if self._non_finite:
            moments["created"] = self.created
        if about & {"created", "released"}:
            moments["named"] = self.named
        if self._non_finite or "changed" in about:
            self.looks_at_changes = True
            moments["step_finished"] = self.step_finished
        if self._non_finite or self._norms or self._freed:
            moments |= {"gradients_sent": self.gradients_sent, "node_ran": self.node_ran}
        if self.before or self._norms or "gradient" in about:
            moments["accumulating"] = self.accumulating
        if self.after or self._made or "accumulated" in about:
            moments["accumulated"] = self.accumulated
        if self._hooks:
            moments["hook_ran"] = self.hook_ran
        if self.exceptions or self.after:
            moments["backward_failed"] = self.backward_failed
        for name in (*(_CHANGING if self.looks_at_changes else ()), *(_CREATING if "created" in moments else ())):
            moments.setdefault(name, None)
        if self._made:
            moments.setdefault("created", None)
            moments["aliased"] = self.aliased

    def method(self, name: str, plain: Match, tell: Match, ask: Match) -> Match | None:
        """The recorder's method `name` with the questions built in, for the commonest moments; see fast_checks.py."""
        checks, everything = bool(self._non_finite), bool(self._made or self._sources)
        if name == "applied":
            return fast_checks.applied(plain, ask, self._ops, checks, everything)
        if name == "op":
            return fast_checks.op(plain, tell, ask, self._ops, checks, everything)
        if name == "gradients_sent":
            return fast_checks.gradients_sent(self.recorder.passes, plain, ask, self._norms, checks, self._freed)
        if name == "named" and "released" not in self._tensors:
            return fast_checks.named(plain, tell, ask, self._bound)
        return None

    @property
    def made(self) -> bool:
        """Whether tensors that come to be are to be asked for."""
        return bool(self._made)

    @property
    def at_nodes(self) -> bool:
        """Whether the nodes of passes are to be asked for."""
        return bool(self.before or self.after or "gradient" in self._tensors)

    def among(self, order: Iterable[Any]) -> set[Any]:
        """Those nodes of a pass which breakpoints may wait for."""
        names, numbers = self._nodes
        found: set[Any] = set()
        if any(number <= self.recorder.identities.count for number in numbers):
            found.update(n for n in order if n.token is not None and n.token.node in numbers)
        if names:
            found.update([n for n in order if n.__class__.__name__ in names])
        sources = [self._source(wanted) for wanted, _ in self._tensors.get("gradient", ())]
        found.update(node for node in sources if node is not None)
        return found

    def node(self, node: Any, among: dict[Any, list[Armed]]) -> None:
        """A node is about to run, or ran."""
        if found := self._waiting(node, among):
            self.reach(found)

    def _waiting(self, node: Any, among: dict[Any, list[Armed]]) -> list[Armed]:
        """What waits for a node, by its identity or its name."""
        token = node.token
        found = [] if token is None else among.get(token.node, [])
        return [*found, *among.get(node.__class__.__name__, ())]

    def before_node(self, node: Any) -> None:
        """A node, not of a leaf, is about to run."""
        self.node(node, self.before)
        for wanted, armed in self._tensors.get("gradient", ()):
            if self._source(wanted) is node:
                self.reach([armed])

    def op(
        self, name: str, op: Any, args: Any, outputs: Any, node: Any, *, view: bool = False, in_place: bool = False
    ) -> None:
        """An op ran forward."""
        if found := self._ops.get(name):
            self.reach(found)
        if in_place and self._left_in_memory:
            self._settle(args, outputs)
        if self._non_finite and not view and not all_finite(outputs):
            told = name if op is None or in_place else op.torch_name
            self._origin(args, outputs, f"The op {told} made")
        if self._sources or (self._made and not in_place):
            for out in outputs:
                self._came(out)

    def applied(self, op: Any, first: Any, second: Any, out: Any, *made: Any) -> None:
        """An elementwise op ran."""
        if found := self._ops.get(op.name):
            self.reach(found)
        if self._non_finite and not finite(out._data):
            self._origin((first, second), (out,), f"The op {op.torch_name} made")
        if self._made or self._sources:
            self._came(out)

    def function_applied(self, function: Any, names: Any, args: Any, outputs: Any, node: Any) -> None:
        """A custom Function ran."""
        name = function.__name__
        if found := self._ops.get(name):
            self.reach(found)
        if self._non_finite and not all_finite(outputs):
            self._origin(args, outputs, f"The function {name} made")
        if self._made or self._sources:
            for out in outputs:
                if isinstance(out, Tensor):
                    self._came(out)

    def _origin(self, args: Iterable[Any], outputs: Iterable[Any], who: str) -> None:
        given = [one for a in args for one in (a if isinstance(a, (list, tuple)) else (a,))]
        if all_finite(given):
            self.reach(self._non_finite, f"{who} a NaN or an infinity of finite numbers.")
        elif not self._met_infinity and any_nan(outputs) and not any_nan(given):
            self.reach(self._non_finite, f"{who} a NaN of an infinity.")
        elif any_nan(given) and all_finite(one for one in given if isinstance(one, Tensor)):
            self.reach(self._non_finite, f"{who} a NaN of a number that is NaN.")
        else:
            return
        self._met_infinity = True

    def _is_number(self, tensor: Tensor) -> bool:
        """Whether a tensor may be a number of the program's, as in `x[0] = 2`."""
        token = tensor._token
        known = token is not None and token.tensor in self.recorder.names.by_tensor
        return tensor._data.ndim == 0 and tensor._grad_fn is None and not known

    def created(self, tensor: Tensor, origin: str) -> None:
        """A creation function made a tensor."""
        if self._non_finite and not finite(tensor._data):
            self._met_infinity = True
            self.reach(self._non_finite, f"{origin} made a tensor with a NaN or an infinity.")

    def changed(self, how: str, tensor: Tensor, line: Any) -> None:
        """A tensor's memory was changed in place."""
        if tensor._token is not None:
            self._changes[tensor._token.storage] = tensor._counter()[0]
        if self._meant("changed") and tensor._token is not None:
            self._about("changed", tensor)
            told = self.recorder.changes.sharing.others(tensor, tensor._token.storage)
            for other in told:
                self._about("changed", other)
            self.reach(
                armed
                for wanted, armed in self._tensors["changed"]
                if isinstance(wanted, int) and self._sees(wanted, tensor, told)
            )
        if self._non_finite:
            self._looked_at(how, tensor)

    def _looked_at(self, how: str, tensor: Tensor) -> None:
        """Memory was changed: a NaN or an infinity that was not in it before is told of."""
        storage = None if tensor._token is None else tensor._token.storage
        data = tensor._data
        bad = 0 if finite(data) else int(np.size(data) - np.count_nonzero(np.isfinite(data)))
        known = 0 if storage is None else self._spoilt_memory.get(storage, 0)
        if storage is not None:
            self._spoilt_memory[storage] = bad
        if bad > known:
            note = f"{how} left a NaN or an infinity in memory."
            self._left_in_memory = (len(self.reached), note) if self._met_infinity else None
            self._met_infinity = True
            self.reach(self._non_finite, note)

    def _settle(self, args: Iterable[Any], outputs: Sequence[Any]) -> None:
        """An op in place is whole: what it left of a tensor's NaN that it was given is no news."""
        assert self._left_in_memory is not None
        (start, note), self._left_in_memory = self._left_in_memory, None
        given = [a for a in args if isinstance(a, Tensor) and not any(a is out for out in outputs)]
        if any_nan(a for a in given if not self._is_number(a)):
            self.reached[start:] = [one for one in self.reached[start:] if one[1] != note]

    def step_finished(self, step: Any) -> None:
        """An optimizer has changed its parameters, in one where no op told of it."""
        meant, checks, looked_at = self._meant("changed"), bool(self._non_finite), self._changes
        versions = self.recorder.changes.recorded_version
        for p, _, version, _, _ in step.parameters:
            token = p._token
            storage = token.storage
            now = versions.get(storage, version)
            if now != version and looked_at.get(storage) != now:
                if checks and self._met_infinity and p._grad is not None and any_nan((p._grad,)):
                    checks = False  # It is the gradient's, which was told of.
                if meant or (checks and not finite(p._data)):
                    self.changed(f"{type(step.optimizer).__name__}.step", p, None)
                else:
                    looked_at[storage] = now

    def gradients_sent(self, node: Any, token: Any, g: Any, gradients: Any, totals: Any, freed: bool) -> None:
        """A node ran."""
        identities = self.recorder.identities
        if token is None or token.identities is not identities or token.node in identities.nodes_without_op:
            gradients = [x for x, below in zip(gradients, node.next, strict=False) if below is not None]
        self._sent(node, g, gradients, freed)

    def node_ran(self, node: Any, g: Any, sent: list[Any], freed: bool, started: bool) -> None:
        """A node ran, stepwise."""
        self._sent(node, g, [gradient for _, _, _, gradient, _ in sent], freed)

    def _sent(self, node: Any, g: Any, gradients: Sequence[Any], freed: bool) -> None:
        if self._non_finite:
            for x in gradients:
                if not finite(x):
                    self._spoilt(node, g)
                    break
        if self._norms:
            self._measure(g if isinstance(g, (list, tuple)) else (g,), node.__class__.__name__)
        # A change of a view that needs nothing of what was saved frees nothing, though it can't run again.
        if freed and self._freed and getattr(node, "needs", True):
            name = node.__class__.__name__
            if name in self._freed or None in self._freed:
                self.reach([*self._freed.get(None, ()), *self._freed.get(name, ())], f"{name} freed what it saved.")

    def _spoilt(self, node: Any, g: Any) -> None:
        if self._met_infinity and any_nan(kept._data for kept in node.saved or () if hasattr(kept, "_data")):
            return  # The forward pass has made it.
        if all_finite(g if isinstance(g, (list, tuple)) else (g,)):
            name = node.__class__.__name__
            self._met_infinity = True
            self.reach(self._non_finite, f"{name} made a NaN or an infinity of a finite gradient.")

    def _measure(self, incoming: Iterable[Any], name: str) -> None:
        for x in incoming:
            if x is None:
                continue
            found = self._norms.beyond(x)
            if found is not None:
                norm, waiting = found
                self.reach(waiting, f"The gradient of {name} has norm {norm:.6g}.")

    def accumulating(self, node: Any, gradient: Any, old: Any) -> None:
        """A leaf's gradient is complete."""
        self.node(node, self.before)
        self._about("gradient", node.variable)
        if self._norms:
            self._measure((gradient,), "AccumulateGrad")

    def waits(self) -> Callable[..., bool]:
        """Tells whether a breakpoint may be reached while a leaf gets its gradient."""
        if self._made:
            return lambda *_: True
        wanted = {wanted for when in ("gradient", "accumulated") for wanted, _ in self._tensors.get(when, ())}
        return fast_checks.waits(self.recorder, self._norms, wanted, {*self.before, *self.after})

    def accumulated(self, leaf: Tensor, told: Any, *, in_place: bool) -> None:
        """A leaf's `.grad` was updated."""
        self._about("accumulated", leaf)
        self.reach(self.after.get(told[0], ()))

    def hook_ran(self, where: str, node: Any, hook: str, *seen: Any, **more: Any) -> None:
        """A hook ran."""
        self.reach([*self._hooks.get(None, ()), *self._hooks.get(hook, ())], f"The hook {hook} ran.")

    def backward_failed(self, error: BaseException) -> None:
        """A backward pass failed; of its node nothing comes after that."""
        self.raised(error)
        if self.after and self.recorder.passes.running:
            node = self.recorder.passes.running[-1]
            if found := self._waiting(node, self.after):
                self.reach(found, f"{node.__class__.__name__} failed with {type(error).__name__}.")

    def raised(self, error: BaseException) -> None:
        """An exception was seen, maybe not for the first time."""
        # Not the exception itself is kept, which would hold on to its frames.
        known, self._seen = self._seen, (id(error), type(error))
        if known == self._seen:
            return
        kinds = {kind.__name__ for kind in type(error).__mro__}
        self.reach(
            (a for a in self.exceptions if getattr(a.given, "type", None) in (None, *kinds)),
            _raised(error),
        )


def _raised(error: BaseException) -> str:
    """What is said of an exception: the beginning of its message too."""
    try:
        message = str(error).partition("\n")[0]
    except Exception:  # The program may have written it.
        message = ""
    name = type(error).__name__
    if not message:
        return f"{name} was raised."
    return f"{name} was raised: {message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + '...'}"
