"""Sentences of hooks: their registration and removal, their arguments and results."""

from __future__ import annotations

from backscope.caption.naming import Naming, content, gradient
from backscope.protocol import events as ev
from backscope.protocol.sentences import say, tables

_KINDS: dict[str, str] = tables()["hook_kinds"]


def subject(kind: str, hook: str) -> str:
    """Return a hook as the subject of a sentence."""
    if hook != "<lambda>":
        return say("hook.named", kind=kind, hook=hook)
    return say("hook.lambda_an", kind=kind) if kind[0] in "aeiou" else say("hook.lambda", kind=kind)


def _actor(where: str, hook: str) -> str:
    return subject(_KINDS.get(where) or say("hook.other"), hook)


def _held(tensor: int | None, node: int | None, naming: Naming) -> int | None:
    """Return the tensor that a hook is on: its own, or the one that its node made; None where there is none."""
    made = [] if node is None else naming.state.run.made.get(node, [])
    return tensor if tensor is not None else made[0] if made else None


def _holder(tensor: int | None, node: int | None, naming: Naming) -> str:
    """Return the owner of a hook: the variable, the tensor that a node made, or the node."""
    held = _held(tensor, node, naming)
    return naming.node(node) if held is None else naming.tensor(held)


def _grad(tensor: int | None, node: int | None, naming: Naming) -> str:
    """Return the `.grad` of the owner of a hook."""
    held = _held(tensor, node, naming)
    return say("held.grad_unnamed", tensor=naming.node(node)) if held is None else naming.grad(held)


def registered(event: ev.HookRegistered, naming: Naming) -> str:
    """Return the sentence of a hook that was registered: its owner, and the values that it will get."""
    hook = _actor(event.where, event.hook)
    node = "" if event.node is None else naming.node(event.node)
    if event.where == "node pre":
        return say("hook_registered.node_pre", hook=hook, node=node)
    if event.where == "node post":
        return say("hook_registered.node_post", hook=hook, node=node)
    holder = _holder(event.tensor, event.node, naming)
    grad = _grad(event.tensor, event.node, naming)
    if event.where == "post accumulate":
        return say("hook_registered.post_accumulate", hook=hook, holder=holder, grad=grad)
    if node:
        return say("hook_registered.before", hook=hook, holder=holder, node=node)
    return say("hook_registered.before_grad", hook=hook, holder=holder, grad=grad)


def removed(event: ev.HookRemoved, naming: Naming) -> str:
    """Return the sentence of a hook that was removed."""
    is_nodes = event.where.startswith("node")
    holder = naming.node(event.node) if is_nodes else _holder(event.tensor, event.node, naming)
    return say("hook_removed", hook=_actor(event.where, event.hook), holder=holder)


def ran(event: ev.HookRan, naming: Naming) -> str:
    """Return the sentence of a hook that ran: its argument and its result."""
    hook = _actor(event.where, event.hook)
    known = None if event.before is None else gradient(event.before)
    saw = known or say("word.none")
    given = say("word.nothing") if event.before is None else content(event.before)
    did = say("hook.left") if event.after is None else say("hook.replaced", value=gradient(event.after))
    node = say("word.a_node") if event.node is None else naming.node(event.node)
    module = say("word.a_module") if event.module is None else event.module
    match event.where:
        case "tensor":
            holder = _holder(event.tensor, event.node, naming)
            return say("hook_ran.tensor", hook=hook, holder=holder, saw=saw, did=did)
        case "node pre":
            return say("hook_ran.node_pre", hook=hook, node=node, saw=saw, did=did)
        case "node post":
            if known is None:
                return say("hook_ran.node_post_blind", hook=hook, node=node)
            return say("hook_ran.node_post", hook=hook, node=node, saw=saw, did=did)
        case "post accumulate":
            grad = _grad(event.tensor, event.node, naming)
            if known is None:
                return say("hook_ran.post_accumulate_blind", hook=hook, grad=grad)
            return say("hook_ran.post_accumulate", hook=hook, grad=grad, saw=saw)
        case "multi grad":
            if known is None:
                return say("hook_ran.multi_grad_blind", hook=hook)
            return say("hook_ran.multi_grad", hook=hook, saw=saw)
        case "callback":
            return say("hook_ran.callback", hook=hook)
        case "module forward pre":
            return say("hook_ran.forward_pre", hook=hook, module=module, saw=given, did=did)
        case "module forward":
            return say("hook_ran.forward", hook=hook, module=module, saw=given, did=did)
        case "module backward pre":
            return say("hook_ran.backward_pre", hook=hook, module=module, saw=saw, did=did)
        case "module backward":
            return say("hook_ran.backward", hook=hook, module=module, saw=saw, did=did)
        case "optimizer step pre":
            return say("hook_ran.step_pre", hook=hook, module=module)
        case "optimizer step post":
            return say("hook_ran.step_post", hook=hook, module=module)
    return say("hook_ran.other", hook=hook)


def unpacked(event: ev.SavedTensorUnpacked, naming: Naming) -> str:
    """Return the sentence of an unpack hook that ran."""
    hook = subject(say("hook.unpack"), event.hook)
    node = naming.node(event.node)
    return say("saved_tensor_unpacked", hook=hook, node=node, slot=event.slot, value=content(event.value))
