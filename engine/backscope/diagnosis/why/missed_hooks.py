"""Explains why a hook did not run."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

from backscope.diagnosis.why.answer import at, diagnosis, many
from backscope.diagnosis.why.log.facts import until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

_Event = TypeVar("_Event", ev.HookRan, ev.HookRemoved)

FORWARD = ("module forward pre", "module forward")
"""The places of hooks that get values, not gradients."""


def missed(tape: Tape, seq: int, tensor: int | None = None) -> list[ev.ModuleHookRegistered | ev.HookRegistered]:
    """Return the hooks that a pass or an op should have run by a moment and did not, all or those of one tensor."""
    found: list[ev.ModuleHookRegistered | ev.HookRegistered] = []
    runs: dict[str, list[ev.HookRan]] = defaultdict(list)
    for run in until(tape.hook_runs, seq):
        runs[run.hook].append(run)
    removed: dict[str, list[ev.HookRemoved]] = defaultdict(list)
    for removal in until(tape.hooks_removed, seq):
        removed[removal.hook].append(removal)
    is_over = any(p.over(seq) and p.finished is not None and not p.finished.failed for p in tape.passes_until(seq))
    for hook in until(tape.module_hooks, seq):
        mine = tensor is None or tensor in hook.parameters
        if mine and not _ran(runs[hook.hook], hook) and _is_over(tape, seq, hook):
            found.append(hook)
    for one in until(tape.hooks, seq):
        if not is_over or one.where != "tensor" or one.tensor not in tape.tensors or tensor not in (None, one.tensor):
            continue
        if not _removed(removed[one.hook], one) and not _tensor_ran(runs[one.hook], tape, seq, one):
            found.append(one)
    return found


def hook_missed(tape: Tape, seq: int, tensor: int | None = None) -> ev.Diagnosis:
    """Explain why a hook has not run."""
    hook = missed(tape, seq, tensor)[0]
    if isinstance(hook, ev.HookRegistered):
        return _of_tensor(tape, seq, hook)
    around = _around(tape, seq, hook)
    name = hook.module
    if around is not None:
        path = around.path if isinstance(around, ev.ModuleEntered) else around.op
        return diagnosis(
            f"{hook.hook} hangs on {name}{at(hook.line)}, and {path}{at(around.line)} ran without a call of {name}: "
            "its forward() was called directly. Hooks belong to the call, not to forward().",
            f"Call {name}(x) in place of {name}.forward(x).",
            wrong_fix=(
                "Calling the hook by hand inside forward() runs it at another moment, without what other hooks made of "
                "the value."
            ),
            lines=[hook.line, around.line],
            nodes=[around.node.node if isinstance(around, ev.OpApplied) and around.node is not None else None],
            tensors=hook.parameters,
        )
    called = _called(tape, seq, hook)
    assert called is not None
    registered_after = called.seq < hook.seq
    if hook.where in FORWARD or registered_after:
        return diagnosis(
            f"{hook.hook} was hung on {name}{at(hook.line)}, after the call{at(called.line)}; no call came later.",
            "Register hooks before the module is called.",
            lines=[called.line, hook.line],
            tensors=hook.parameters,
        )
    if not any(p.started.seq > called.seq for p in tape.passes_until(seq)):
        why = "no backward pass has run since"
    else:
        why = "no gradient came to its result: the result requires no grad, or the loss does not depend on it"
    return diagnosis(
        f"{hook.hook} hangs on {name}{at(hook.line)} and waits for gradients. {name} was called{at(called.line)}, but "
        f"{why}.",
        "Call backward() on a loss that the module's result is part of; to see one gradient, hang the hook on the "
        "tensor: y = model(x); y.register_hook(print).",
        lines=[hook.line, called.line],
        tensors=hook.parameters,
    )


def _ran(runs: list[ev.HookRan], hook: ev.ModuleHookRegistered) -> bool:
    return any(r.seq > hook.seq and r.module == hook.module and r.where == hook.where for r in reversed(runs))


def _tensor_ran(runs: list[ev.HookRan], tape: Tape, seq: int, hook: ev.HookRegistered) -> bool:
    assert hook.tensor is not None
    receiver = tape.tensors[hook.tensor].receiver(seq)
    nodes = (receiver, hook.node)
    return any(r.tensor == hook.tensor or r.node in nodes for r in _after(runs, hook.seq))


def _removed(removals: list[ev.HookRemoved], hook: ev.HookRegistered) -> bool:
    return any(r.tensor == hook.tensor and r.node == hook.node for r in _after(removals, hook.seq))


def _after(events: list[_Event], seq: int) -> Iterator[_Event]:
    """Yield the events after one, in their order; a hook mostly runs soon after it was registered."""
    return islice(events, bisect_right(events, seq, key=lambda event: event.seq), None)


def _inside(path: str | None, module: str) -> bool:
    return path is not None and (path == module or path.startswith(module + "."))


def _called(tape: Tape, seq: int, hook: ev.ModuleHookRegistered) -> ev.ModuleEntered | None:
    """Return the last call of the module."""
    calls = [c for c in until(tape.calls, seq) if c.path == hook.module]
    return calls[-1] if calls else None


def _is_over(tape: Tape, seq: int, hook: ev.ModuleHookRegistered) -> bool:
    """Return whether the call or pass that should have run the hook is over."""
    came = _around(tape, seq, hook) or _called(tape, seq, hook)
    if came is None:
        return False
    if hook.where in FORWARD or came.seq < hook.seq:
        return True
    since = [p for p in tape.passes_until(seq) if p.started.seq > came.seq]
    if not since and any(e.stage == "program" and e.seq > came.seq for e in until(tape.errors, seq)):
        return False  # The program ended before that.
    return all(p.over(seq) for p in since) and (bool(since) or not _ran(tape.hook_runs, hook))


def _around(tape: Tape, seq: int, hook: ev.ModuleHookRegistered) -> ev.OpApplied | ev.ModuleEntered | None:
    """Return what ran inside the module without a call of it: an op on its parameters, or an inner module's call."""
    for op in _uses(tape, seq, hook):
        if op.seq > hook.seq and op.during is None and not _inside(op.module_path, hook.module):
            return op
    paths = {c.call: c for c in until(tape.calls, seq)}
    for call in paths.values():
        if call.seq > hook.seq and call.path.startswith(hook.module + "."):
            outer = call.caller
            while outer is not None and outer in paths and paths[outer].path != hook.module:
                outer = paths[outer].caller
            if outer is None:
                return call
    return None


def _uses(tape: Tape, seq: int, hook: ev.ModuleHookRegistered) -> Iterator[ev.OpApplied]:
    for parameter in hook.parameters:
        if parameter in tape.tensors:
            yield from until(tape.tensors[parameter].used, seq)


def _of_tensor(tape: Tape, seq: int, hook: ev.HookRegistered) -> ev.Diagnosis:
    assert hook.tensor is not None
    name = tape.name(hook.tensor, seq)
    node = tape.tensors[hook.tensor].receiver(seq)
    passes = [p.started for p in tape.passes_until(seq) if p.over(seq)]
    before = [p for p in passes if p.seq < hook.seq]
    if before and len(before) == len(passes):
        return diagnosis(
            f"{hook.hook} was hung on {name}{at(hook.line)}, after backward(){at(before[-1].line)} had run.",
            "Register hooks before backward().",
            lines=[before[-1].line, hook.line],
            nodes=[node],
            tensors=[hook.tensor],
        )
    return diagnosis(
        f"{hook.hook} hangs on {name}{at(hook.line)}, and {many(len(passes), 'pass', 'passes')} brought {name} no "
        "gradient.",
        f"See why {name} gets none: the loss has to be computed from {name} itself, not from a copy or a new result.",
        lines=[hook.line, *[p.line for p in passes]],
        nodes=[node],
        tensors=[hook.tensor],
    )
