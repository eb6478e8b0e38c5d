"""Explains why a view cannot be changed in place: what made it, and what in the program changes it."""

from __future__ import annotations

import linecache
import re
import traceback
from typing import Any, NamedTuple

from backscope.diagnosis.recorded_run import RecordedRun
from backscope.protocol.events import Diagnosis
from backscope.runtime.passive import is_module

HOOKED = "BackwardHookFunctionBackward"
"""The name of the node of tensors that a full backward hook on a module wraps."""
DEEPEST = 20
"""The most views of views that are followed."""
LONGEST = 120
"""The most characters of a line that an answer shows."""
_AUGMENTED = re.compile(r"^([^\s=]+) (\*\*|//|[-+*/@])= (.+)$")
_METHOD = re.compile(r"^(?:[\w.]+ = )?([\w.]+)\.(\w+?)_\((.*)\)$")


class _Change(NamedTuple):
    """The statement that changes the view, in words, and `instead`, one that makes a new tensor."""

    sentence: str
    instead: str


def forbidden_view(error: BaseException, recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    """Return the diagnosis of an in-place change that autograd can't follow."""
    view, made = facts["tensor"], facts["made"]
    token = view._token
    born = recorder.born_at(view)
    known = None if token is None else recorder.names.get(token.tensor)
    name = known or "what is changed"
    change = _change(error, recorder, line, known or "y")
    where = "" if born is None else f", made at line {born},"
    grad_fn = view._grad_fn
    wrong: str | None = "Changing it through .data is not recorded: the gradient is that of the value before."
    function = _custom(grad_fn) if made == "custom_function" else ""
    if function == HOOKED:
        cause = (
            "A full backward hook makes what goes into its module and what comes out of it views, through which the "
            f"gradients pass to the hook, and such a view may not be changed in place. {change.sentence}."
        )
        fix = f"{change.instead}; or clone() what the module gives before it is changed."
        wrong = (
            "register_backward_hook() in place of register_full_backward_hook() raises nothing, and shows wrong "
            "gradients where the module runs more than one op."
        )
    elif made == "custom_function":
        function = function.removesuffix("Backward")
        cause = (
            f"forward() of {function} returned its input, or a view of it, as it is: {name}{where} shares memory "
            f"with it, and a change in place would pass over its backward(). {change.sentence}."
        )
        fix = f"Return x.clone() from forward(), or call ctx.mark_dirty(x) where forward() changes x. {change.instead}."
    elif made == "multi_output":
        cause = (
            f"{name}{where} is one of several views that unbind(), split(), chunk() or iteration over a tensor gives "
            f"at once, and none of them may be changed in place where a gradient is recorded. {change.sentence}."
        )
        fix = f"{change.instead}; or change the whole by its index, as in x[0] += 1."
    else:
        block = "torch.no_grad()" if made == "no_grad" else "torch.inference_mode()"
        cause = (
            f"{name}{where} is a view that was taken under {block}, and is changed in place where gradients are "
            f"recorded: whether the change is to be recorded is not clear. {change.sentence}."
        )
        fix = (
            "Take the view and change it both inside the block, where nothing is recorded, or both outside of it. "
            f"Or write{change.instead.removeprefix('Write')}."
        )
    return Diagnosis(
        cause=f"W{cause[1:]}" if known is None and cause.startswith("what") else cause,
        fix=fix,
        wrong_fix=wrong,
        lines=[x for x in dict.fromkeys((born, line)) if x is not None],
        nodes=[] if grad_fn is None or grad_fn.token is None else [grad_fn.token.node],
        tensors=[] if token is None else [token.tensor],
    )


def _custom(node: Any) -> str:
    """Return the custom Function that made a view or a view that it is a view of."""
    for _ in range(DEEPEST):
        if node is None or not node.name()[-1:].isdigit():
            break
        node = node.next[0] if node.next else None
    return "a custom Function" if node is None else str(node.name())


def _change(error: BaseException, recorder: RecordedRun, line: int | None, name: str) -> _Change:
    """Return the module with inplace=True that was running, or else the line of the program."""
    module = None
    text = ""
    for frame, at in traceback.walk_tb(error.__traceback__):
        if recorder.owns(frame):
            text, module = linecache.getline(frame.f_code.co_filename, at).strip(), None
        found = frame.f_locals.get("self")
        if is_module(found) and found.__dict__.get("inplace") is True:
            module = found
    where = "" if line is None else f" at line {line}"
    if module is not None:
        kind, path = type(module).__name__, recorder.path_of(module)
        called = "" if path == kind else f", {path},"
        return _Change(
            f"{kind}(inplace=True){called} changes it in place{where}",
            f"Make it {kind}(inplace=False), which gives a new tensor",
        )
    shown = f"`{text[:LONGEST]}`{where} changes it in place" if text else f"It is changed in place{where}"
    return _Change(shown, f"Write the result to a new tensor, {_anew(text[:LONGEST], name)}")


def _anew(text: str, name: str) -> str:
    """Return a line that changes a tensor, rewritten so that it makes a new one."""
    if (found := _AUGMENTED.match(text)) is not None:
        target, sign, value = found.groups()
        return f"{target} = {target} {sign} {value}"
    if (found := _METHOD.match(text)) is not None:
        owner, method, given = found.groups()
        if owner == name or re.match(rf"{re.escape(name)}\b", given):
            return f"{name} = {owner}.{method}({given})"
    if "inplace=True" in text:
        return f"with inplace=False in `{text}`"
    return f"as in {name} = {name} + 1 for {name} += 1, F.relu() for F.relu_()"
