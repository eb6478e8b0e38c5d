"""In-place changes that a pass or a hook does not allow: which module, hook or indexing made them, and the fix."""

from __future__ import annotations

import re

import msgspec

from backscope.diagnosis.why.answer import at
from backscope.diagnosis.why.log.facts import lines_of, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

FORBIDDEN = re.compile(r"^Output \d+ of .* is a view and .*inside a custom Function")
DEEPEST = 20
"""The most views of views that are followed."""
_CLIPS = re.compile(r"\bclip_grad_(norm|value)_\(")
_IN_PLACE = re.compile(r"\binplace=True\b")


def hooked(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """Return the full backward hook that made a view of what was changed, and its line."""
    path = next((p for tensor in found.tensors[:1] if (p := _wrapped_in(tape, tensor, raised.seq)) is not None), None)
    if path is None:
        return found
    hooks = [one for one in until(tape.module_hooks, raised.seq) if one.where.startswith("module backward")]
    own = [one for one in hooks if one.module == path] or hooks[-1:]
    shown = " ".join(f"The hook is {one.hook}, hung on {one.module}{at(one.line)}." for one in own[-2:])
    return msgspec.structs.replace(
        found,
        cause=f"{found.cause} {shown}",
        lines=lines_of(*[one.line for one in own], found.lines),
        tensors=lines_of(found.tensors, *[one.parameters for one in own]),
    )


def _wrapped_in(tape: Tape, tensor: int, seq: int) -> str | None:
    """Return the path of the module with the hook that made a tensor a view; None where no hook did."""
    here: int | None = tensor
    for _ in range(DEEPEST):
        makers = tape.tensors[here].written if here in tape.tensors else []
        if not makers:
            return None
        op = makers[0]
        if op.op == "BackwardHookFunction":
            return op.module_path or ""
        if not op.is_view or not op.inputs:
            return None
        here = op.inputs[0].tensor
    return None


def module_of(tape: Tape, change: ev.TensorMutated) -> str | None:
    """Return the module that made a change, such as "ReLU(inplace=True)"; None where no such module made it."""
    op = tape.op_of.get(change.seq)
    if op is None or op.module_path is None:
        return None
    described = next((m for m in reversed(until(tape.modules, op.seq)) if m.path == op.module_path), None)
    if described is None or not _IN_PLACE.search(described.text):
        return None
    return f"{described.type}(inplace=True)"


def remedy(tape: Tape, change: ev.TensorMutated) -> tuple[str, str] | None:
    """Return what made a change, and the fix where that is more than to write to a new tensor."""
    op = tape.op_of.get(change.seq)
    name = tape.name(change.tensor, change.seq)
    if change.op.startswith("embedding_renorm"):
        return (
            f"The lookup{at(change.line)} renormalises {name} in place, because the embedding has max_norm: every row "
            "that is looked up and longer than that is scaled down before it is read.",
            f"Compute with a copy of the weight where it is used otherwise, {name}.clone(), or look up first and use "
            f"{name} only afterwards.",
        )
    module = module_of(tape, change)
    if module is not None and op is not None:
        return (
            f"It was {module}{'' if op.module_path == module.partition('(')[0] else f', {op.module_path}'}.",
            f"Make it {module.replace('True', 'False')}, which gives a new tensor; an op that saves its input or its "
            "result (sigmoid, tanh, exp, a product) and an in-place module right behind it do not go together.",
        )
    if op is not None and (hook := _forward_hook(tape, op)) is not None:
        if hook.where == "module forward pre":
            return (
                f"It was the forward pre-hook {hook.hook} on {hook.module}.",
                "Return the new arguments from the hook, as in `return (args[0] + 1,)`: what a forward pre-hook "
                "returns replaces the arguments of the module.",
            )
        return (
            f"It was the forward hook {hook.hook} on {hook.module}.",
            "Return the new value from the hook, as in `return output + 1`: what a forward hook returns replaces the "
            "result of the module.",
        )
    return None


def _forward_hook(tape: Tape, op: ev.OpApplied) -> ev.HookRan | None:
    """Return the forward hook that ran an op: its event follows the op, and its function contains the op's line."""
    after = next((run for run in tape.hook_runs if run.seq > op.seq), None)
    if after is None or not after.where.startswith("module forward"):
        return None
    is_lambda = after.hook == "<lambda>" and "lambda" in tape.source_line(op.line)
    if not is_lambda and not tape.scopes.of(op.line):
        return None
    return after if after.module is not None and after.module == op.module_path else None


def changer(tape: Tape, changed: ev.TensorMutated) -> str:
    """Return the call that changed a gradient: that of the line where it clips, else the op."""
    clips = _CLIPS.search(tape.source_line(changed.line))
    return f"{clips[0]})" if clips else name_of(changed.op)
