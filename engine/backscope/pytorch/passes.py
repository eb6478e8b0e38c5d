"""Records backward passes: hooks on each node that a pass can reach, for as long as it lasts."""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from types import FrameType
from typing import Any

import torch

from backscope.pytorch import narration as tell
from backscope.pytorch.arrivals import Arrivals, Edge, Sending
from backscope.pytorch.context import Context, guarded
from backscope.pytorch.errors import Errors
from backscope.pytorch.identities import Identities, grad_fn_of, name_of
from backscope.pytorch.ops import Ops
from backscope.pytorch.pass_arguments import PassArguments, bound_arguments
from backscope.pytorch.patches import Patches
from backscope.recorder import narration as say


class BackwardPasses:
    """Records the calls of backward() and autograd.grad()."""

    def __init__(self, context: Context, identities: Identities, ops: Ops, errors: Errors) -> None:
        self.context = context
        self.identities = identities
        self.ops = ops
        self.errors = errors
        self.retained: dict[int, Any] = {}
        """Weak references to the tensors whose retain_grad() was called, by number."""

    def install(self, patches: Patches) -> None:
        """Take over torch.autograd.backward, which Tensor.backward calls; autograd.grad comes as a call of the API."""
        plain = torch.autograd.backward
        signature = inspect.signature(plain)

        def backward(*args: Any, **kwargs: Any) -> Any:
            if not self.context.listens() or _is_handed_on(plain):
                return plain(*args, **kwargs)
            bound = bound_arguments(signature, args, kwargs)
            if bound is None:
                return plain(*args, **kwargs)
            given = PassArguments.of(bound, roots="tensors", gradients="grad_tensors")
            return self._run("backward", given, plain, args, kwargs)

        backward.__doc__, backward.__name__ = plain.__doc__, plain.__name__
        backward.__signature__ = signature  # type: ignore[attr-defined]
        patches.replace(torch.autograd, "backward", backward)

    # Any: what torch.autograd.grad takes and returns.
    def grad(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call torch.autograd.grad."""
        bound = bound_arguments(inspect.signature(torch.autograd.grad), args, kwargs)
        if bound is None:
            return func(*args, **kwargs)
        given = PassArguments.of(bound, roots="outputs", gradients="grad_outputs")
        return self._run("grad", given, func, args, kwargs)

    def _run(
        self,
        api: str,
        given: PassArguments,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        self.context.resolve()
        if given.is_refused():
            try:  # No pass begins.
                return func(*args, **kwargs)
            except Exception as error:
                self.errors.of_call(error, ())
                raise
        depth = len(self.context.passes.calls), len(self.context.passes.running), self.context.passes.line
        one = Pass(self, api, keep=given.keep, create=given.create)
        one.begin(given)
        self.context.stop_point("backward_started")
        values, outer = self.identities.values, self.identities.values.batch
        values.batch = given.batch_size() if given.batched else outer
        seen = nullcontext() if one.create else self.context.ops_seen.not_in_formulas()
        try:
            with seen:
                out = func(*args, **kwargs)
        except BaseException as error:
            failed = one.end(error, depth)
            if self.context.stops is not None:
                self.context.stops.backward_failed(error, failed)
            raise
        finally:
            values.batch = outer
        if api == "grad":
            one.results(given.inputs or [], out)
        one.end(None, depth)
        self.context.stop_point()
        return out

    def retain(self, t: torch.Tensor) -> None:
        """Note that the gradient of a tensor is kept."""
        if grad_fn_of(t) is not None:
            number = self.identities.token(t, self.context.location()).tensor
            self.retained[number] = weakref.ref(t)


class Pass:
    """One pass, and the hooks that it has on nodes."""

    def __init__(self, passes: BackwardPasses, api: str, *, keep: bool, create: bool) -> None:
        self.context = passes.context
        self.identities = passes.identities
        self.passes = passes
        self.api = api
        self.keep = keep
        self.create = create
        self.number = 0
        self._handles: list[Any] = []
        self._nodes: list[Any] = []
        self._arrivals = Arrivals(passes.identities.values, passes.context.quiet)
        self._reached: set[int] = set()
        """The nodes that another one sends a gradient to."""
        self._before: dict[int, tuple[int | None, Any]] = {}
        self._last: int | None = None

    @guarded
    def begin(self, given: PassArguments) -> None:
        """Record that the pass begins, and put hooks on its nodes."""
        context, identities = self.context, self.identities
        context.settle()
        context.look()
        line = context.location()
        tensors = [r for r in given.roots if isinstance(r, torch.Tensor)]
        values, seeds = [], []
        with context.quiet:
            for root in tensors:
                if root.requires_grad:
                    self._nodes.append(grad_fn_of(root) or _accumulator(root))
        for root, gradient in given.seeds():
            if isinstance(root, torch.Tensor):
                with context.quiet:
                    full = torch.ones_like(root) if gradient is None else gradient.to(root.dtype)
                    seeds.append(full)
                values.append(identities.values.of(full))
        self.number = identities.identity()
        numbers = [identities.token(r, line).tensor for r in tensors]
        wanted = None
        if given.inputs is not None:
            wanted = [identities.token(i, line).tensor for i in given.inputs if isinstance(i, torch.Tensor)]
        nodes = [identities.node_id(n, line) for n in self._nodes]
        context.add(
            say.backward_started, line, self.number, self.api, context.passes.call, numbers, nodes, values,
            all(g is None for g in given.gradients), self.keep, self.create, wanted,
        )  # fmt: skip
        frame = context.innermost()
        context.passes.frames.append(0 if frame is None else id(frame))
        context.passes.line = line
        context.passes.calls.append(self.number)
        self._hang()
        for root, number, seed in zip(tensors, nodes, seeds, strict=False):
            with context.quiet:
                edge = number, root.output_nr
            if number in self._reached:
                self._arrivals.many.add(number)
                self._arrivals.add(edge, seed)

    def _hang(self) -> None:
        seen: set[int] = set()
        counts: dict[int, int] = {}
        waiting = list(self._nodes)
        while waiting:
            node = waiting.pop()
            number = self.identities.node_id(node, None)
            if number in seen:
                continue
            seen.add(number)
            edges: list[Edge | None] = []
            for below, nr in node.next_functions:
                if below is None:
                    edges.append(None)
                    continue
                waiting.append(below)
                key = self.identities.node_id(below, None)
                counts[key] = counts.get(key, 0) + 1
                edges.append((key, nr))
            leaf = getattr(node, "variable", None)
            ref = None if leaf is None else weakref.ref(leaf)
            del leaf
            name = name_of(node)
            self._handles.append(node.register_prehook(self._starting(number, ref, name)))
            self._handles.append(node.register_hook(self._finishing(number, ref, edges, name)))
        self._reached = set(counts)
        self._arrivals.many = {number for number, count in counts.items() if count > 1}

    def _starting(self, number: int, leaf: Any, name: str) -> Callable[..., Any]:
        def hook(gradients: Any) -> Any:
            if not self.context.open:
                return None
            stops, changed = self.context.stops, gradients
            if stops is not None:
                self._arrived()
                changed = stops.before_node(number, name, self._number_of(leaf), gradients)
            self._started(number, leaf, changed)
            return None if changed is gradients else changed

        return hook

    @guarded
    def _arrived(self) -> None:
        """Record what comes before a node, at which the program may stop."""
        self.context.resolve()

    @guarded
    def _number_of(self, leaf: Any) -> int | None:
        held = None if leaf is None else leaf()
        token = None if held is None else self.identities.token_of(held)
        return None if token is None else token.tensor

    @guarded
    def _started(self, number: int, leaf: Any, gradients: Any) -> None:
        context = self.context
        context.resolve()
        context.settle()
        context.passes.running.append(number)
        held = None if leaf is None else leaf()
        if held is not None:
            with context.quiet:
                old = held.grad
            self._before[number] = None if old is None else id(old), self.identities.values.of(old)
        self._captured(number)
        values = [self.identities.values.of(g) for g in gradients]
        context.add(say.node_started, None, self.number, number, values)

    def _finishing(self, number: int, leaf: Any, edges: list[Edge | None], name: str) -> Callable[..., Any]:
        def hook(sent: Any, gradients: Any) -> Any:
            if not self.context.open:
                return None
            sending = self._finished(number, leaf, edges, name, sent, gradients)
            stops = self.context.stops
            if stops is None:
                return None
            change = partial(self._changed, number, sending)
            changed = stops.after_node(number, name, gradients, sent, change)
            return None if changed is sent else changed

        return hook

    @guarded
    def _finished(
        self, number: int, leaf: Any, edges: list[Edge | None], name: str, sent: Any, gradients: Any
    ) -> Sending | None:
        context = self.context
        context.resolve()
        running = context.passes.running
        if running and running[-1] == number:
            running.pop()
        self._last = number
        if not self.keep and (token := self.identities.node_tokens.get(number)) is not None:
            token.freed = context.passes.line
        if leaf is not None:
            self._accumulated(number, leaf(), gradients[0])
            return None
        if self._is_anomaly(sent):  # PyTorch is about to raise, when it has freed what the node saved.
            if not self.keep:
                context.add(say.buffers_freed, None, number)
            return None
        sending = Sending(self._arrivals, name, edges, gradients[0] if gradients else None, sent)
        ran = say.node_ran, None, self.number, number, None, [*sending.rows.values()], not self.keep
        if self.create:
            context.passes.sent, context.passes.ran = number, ran
        else:
            context.add(*ran)
        return sending

    @guarded
    def _changed(self, number: int, sending: Sending | None, sent: Sequence[torch.Tensor | None]) -> None:
        """Record that the user of a debugger changed what a node sent: the later gradient counts."""
        if sending is None:
            return
        rows = sending.change(sent)
        passes = self.context.passes
        if passes.sent == number and passes.ran is not None:  # It is not recorded yet.
            passes.ran = (*passes.ran[:5], [*sending.rows.values()], *passes.ran[6:])
        elif rows:
            self.context.add(tell.gradients_changed, None, self.number, number, rows)

    def _is_anomaly(self, sent: Any) -> bool:
        """Return True where anomaly mode looks for NaN and these gradients have one."""
        if not (torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()):
            return False
        with self.context.quiet:
            return any(isinstance(g, torch.Tensor) and bool(g.isnan().any()) for g in sent)

    def _accumulated(self, number: int, leaf: Any, added: Any) -> None:
        context, identities = self.context, self.identities
        line = None
        old, before = self._before.pop(number, (None, None))
        with context.quiet:
            grad = None if leaf is None else leaf.grad
        if grad is None:
            context.add(tell.node_finished, line, self.number, number)
            return
        token = identities.token(grad, line, "grad")
        in_place = old == id(grad)
        if in_place:
            self.passes.ops.changed[token.storage] = context.passes.line
        context.add(
            say.grad_accumulated, line, self.number, identities.token(leaf, line).tensor, token.tensor, number, before,
            identities.values.of(added), identities.values.of(grad), in_place,
        )  # fmt: skip

    # Any: what torch.autograd.grad was asked for and returned.
    @guarded
    def results(self, wanted: Sequence[Any], out: Any) -> None:
        """Record the gradients that autograd.grad returns."""
        self.context.settle()
        self.context.resolve()
        line = None
        for t, g in zip(wanted, out, strict=False):
            if isinstance(g, torch.Tensor) and isinstance(t, torch.Tensor):
                node = self.identities.node_of(t, line)
                self.identities.token(g, line, "grad")
                if node is not None:
                    number, value = self.identities.token(t, line).tensor, self.identities.values.of(g)
                    self.context.add(say.gradient_captured, line, self.number, node, number, "result", value)

    def end(self, error: BaseException | None, depth: tuple[int, int, Any]) -> int | None:
        """Take the hooks away, and record that the pass ended; return the node that an error came from."""
        for handle in self._handles:
            handle.remove()
        self._handles, self._nodes = [], []
        failed = self._end(error, depth[1])
        passes = self.context.passes
        passes.leave(*depth)
        return failed

    def _captured(self, at: int | None) -> None:
        """Record the gradients that retain_grad() keeps: of the outputs of a node that is about to run, or of all."""
        for number, ref in list(self.passes.retained.items()):
            kept = ref()
            if kept is None:
                del self.passes.retained[number]
                continue
            with self.context.quiet:
                node, grad = grad_fn_of(kept), kept.grad
            token = None if node is None else self.identities.life(node)
            if grad is None or token is None or (at is not None and token.node != at):
                continue
            if self.identities.token_of(grad) is None:
                value = self.identities.values.of(grad)
                self.identities.token(grad, self.context.passes.line, "grad")
                self.context.add(say.gradient_captured, None, self.number, token.node, number, "grad", value)

    @guarded
    def _end(self, error: BaseException | None, depth: int) -> int | None:
        context = self.context
        context.resolve()
        context.settle()
        line = context.passes.line
        self._captured(None)
        running = context.passes.left_running(depth)
        if error is not None and "returned nan values" in str(error):
            running = self._last
        if isinstance(error, Exception):
            self.passes.errors.of_pass(error, running)
        context.add(say.backward_finished, line, self.number, error is not None)
        return running


def _is_handed_on(plain: Callable[..., Any]) -> bool:
    """Return True where torch.autograd.backward, which has begun, calls itself through the modes of its tensors."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "_engine_run_backward":
        if frame.f_code is plain.__code__:
            return True
        frame = frame.f_back
    return False


# Any: a node.
def _accumulator(leaf: torch.Tensor) -> Any:
    """Return the AccumulateGrad of a leaf; a view shows it, whose sequence number another thread counts."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(leaf.view_as(leaf).grad_fn.next_functions[0][0]))
    thread.start()
    thread.join()
    return found[0]
