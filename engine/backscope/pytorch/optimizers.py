"""Records the steps of optimizers: what they changed, and their state."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any, NamedTuple

import torch
from torch.optim import optimizer as torch_optimizer

from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities, version_of
from backscope.pytorch.ops import Ops
from backscope.pytorch.patches import Patches
from backscope.recorder import narration as say
from backscope.runtime.passive import class_name

MOST_COMPARED = 65_536
"""Elements of a parameter up to which its change is worked out."""


class _Before(NamedTuple):
    parameter: torch.Tensor
    group: int
    version: int
    value: Any
    copy: torch.Tensor | None


class _Change:
    """What a step added to a parameter, as narration asks for it."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def result(self) -> Any:
        """The value."""
        return self._value


class Optimizers:
    """Records the steps of all optimizers."""

    def __init__(self, context: Context, identities: Identities, ops: Ops, names: dict[int, str]) -> None:
        self.context = context
        self.identities = identities
        self.ops = ops
        self.names = names
        self._steps: dict[int, tuple[Any, int]] = {}
        self._held: list[list[_Before]] = []

    def install(self, patches: Patches) -> None:
        """Follow the steps of all optimizers."""
        patches.later(torch_optimizer.register_optimizer_step_pre_hook(self._starting).remove)
        patches.later(torch_optimizer.register_optimizer_step_post_hook(self._finishing).remove)

    def _starting(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self.context.listens():
            self._started(optimizer)

    @guarded
    def _started(self, optimizer: Any) -> None:
        self._take(optimizer)
        self.context.resolve()
        self.context.look()
        held = []
        compares = self.identities.values.detail == "all"
        for number, group in enumerate(optimizer.param_groups):
            for p in group["params"]:
                value = self.identities.values.of(p)
                with self.context.quiet:
                    copy = p.detach().clone() if compares and p.numel() <= MOST_COMPARED else None
                held.append(_Before(p, number, version_of(p), value, copy))
        self._held.append(held)
        self.context.stepping.append(optimizer)

    def _finishing(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        held = self._take(optimizer)
        if held is not None and self.context.listens():
            self._finished(optimizer, held)
            self.context.stop_point()
        if not self.context.quiet.depth and self.context.open:
            self._counted(optimizer)

    def _take(self, optimizer: Any) -> list[_Before] | None:
        """Forget the step of an optimizer, and steps inside it that raised; return what was kept at its beginning."""
        stepping = self.context.stepping
        at = next((i for i in reversed(range(len(stepping))) if stepping[i] is optimizer), None)
        if at is None:
            return None
        held = self._held[at]
        del stepping[at:], self._held[at:]
        return held

    @guarded
    def _counted(self, optimizer: Any) -> None:
        """Count the step; what the frames did until then belongs to it."""
        if self.context.listens():
            self.context.look()
        self.context.part.stepped(optimizer)

    @guarded
    def _finished(self, optimizer: Any, held: list[_Before]) -> None:
        identities = self.identities
        line = self.context.location()
        known = self._steps.get(id(optimizer))
        count = 1 if known is None or known[0]() is not optimizer else known[1] + 1
        self._steps[id(optimizer)] = weakref.ref(optimizer), count
        name = class_name(type(optimizer))
        updates, unchanged = [], []
        for p, group, version, before, copy in held:
            token = identities.token(p, line, "leaf")
            with self.context.quiet:
                grad, now = p.grad, version_of(p)
                change = None if copy is None else p.detach() - copy
            if grad is None and now == version:
                unchanged.append(token.tensor)
                continue
            recorded = now != version and self.ops.versions.get(token.storage) == now
            self.ops.changed[token.storage] = line
            self.ops.stepped[token.storage] = name
            updates.append(
                (
                    token.tensor, token.storage, now, recorded, self.names.get(token.tensor), group, before,
                    identities.values.of(grad), identities.values.of(p), _Change(identities.values.of(change)),
                    [self._state(key, value) for key, value in optimizer.state.get(p, {}).items()],
                )
            )  # fmt: skip
        groups = [_settings(group) for group in optimizer.param_groups]
        self.context.add(say.optimizer_stepped, line, name, count, groups, updates, unchanged)

    def _state(self, key: object, value: Any) -> tuple[str, Any, bool]:
        if isinstance(value, torch.Tensor):
            return str(key), self.identities.values.of(value), True
        if type(value) in (list, tuple, dict, set, deque):
            return str(key), say.Shown(f"{type(value).__name__} of {len(value)}"), False
        return str(key), say.frozen(value), False


def _settings(group: dict[str, Any]) -> tuple[Any, list[tuple[str, Any]]]:
    """Return the learning rate and the other settings of a group."""
    lr = group.get("lr")
    if isinstance(lr, torch.Tensor):
        lr = lr.item() if lr.device.type == "cpu" else None
    passed = ("params", "param_names", "lr")
    options = [
        (key, say.frozen(value))
        for key, value in group.items()
        if key not in passed and value is not None and value is not False
    ]
    return (lr if isinstance(lr, (int, float)) else None), options
