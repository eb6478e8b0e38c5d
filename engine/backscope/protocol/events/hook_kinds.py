"""Hooks on tensors, nodes and modules: when they are registered, run and removed."""

from __future__ import annotations

from backscope.protocol.event_parts import Summary
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Many, Name


class HookRegistered(BaseEvent, frozen=True, kw_only=True):
    """The program registered a hook on a tensor, or on a node where `tensor` is None; `where` is as in hook_ran.

    `node` is the tensor's grad_fn at that time, None for a leaf.
    """

    where: Name
    hook: Name
    tensor: Identity | None
    node: Identity | None


class ModuleHookRegistered(BaseEvent, frozen=True, kw_only=True):
    """The program registered a hook on the module at the path `module`; it runs when the module is called.

    `where` is as in hook_ran; `parameters` are the module's own.
    """

    where: Name
    hook: Name
    module: Name
    parameters: Many[Identity]


class HookRan(BaseEvent, frozen=True, kw_only=True):
    """A hook of the program ran on a gradient (in a module's forward pass: on a value) and returned `after`, or None.

    `where` is "tensor", "node pre", "node post", "post accumulate", "multi grad", "callback", "module forward pre",
    "module forward", "module backward pre", "module backward", "optimizer step pre" or "optimizer step post".
    `module` is the path of the module that has the hook, or the class of the optimizer.
    """

    call: Identity | None
    where: Name
    hook: Name
    module: Name | None
    tensor: Identity | None
    node: Identity | None
    before: Summary | None
    after: Summary | None


class HookRemoved(BaseEvent, frozen=True, kw_only=True):
    """The program removed a hook: the one that was registered first, where several match."""

    where: Name
    hook: Name
    tensor: Identity | None
    node: Identity | None
