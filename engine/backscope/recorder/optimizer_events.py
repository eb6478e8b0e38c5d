"""Records optimizers: each step is one event, with the change of every parameter."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

import numpy as np

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.identity import Token
from backscope.recorder.journal import Journal
from backscope.recorder.memory_changes import MemoryChanges
from backscope.recorder.names import Names
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.tensor_slots import data_of, grad_of, version_of
from backscope.recorder.user_code import UserCode
from backscope.runtime import passive
from backscope.runtime.listener import Listener
from backscope.runtime.passive import class_name, is_a, own_dict
from backscope.summary.summary import ALL_STATISTICS, Change, Digest
from backscope.tensor.tensor import Tensor

LOOKED_AT = 1 << 18
"""Elements of large parameters that are compared in one step, and of optimizers' state that are read."""

COMPARED = 1 << 16
"""Elements up to which the whole change of a parameter is read; of a larger one the first elements are."""


class StepUnderWay:
    """A step that has begun: each parameter, its group, version and value before, and a copy of a large one."""

    def __init__(self, optimizer: object) -> None:
        self.optimizer = optimizer
        self.parameters: list[tuple[Tensor, int, int, Any, Any]] = []
        self.to_compare = self.to_read = LOOKED_AT


class OptimizerEvents(Listener):
    """Records the moments whose methods it overrides."""

    __slots__ = ("changes", "code", "identities", "journal", "names", "steps", "values")

    def __init__(
        self,
        journal: Journal,
        code: UserCode,
        values: PendingValues,
        identities: Identities,
        changes: MemoryChanges,
        names: Names,
    ) -> None:
        self.journal = journal
        self.code = code
        self.values = values
        self.identities = identities
        self.changes = changes
        self.names = names
        self.steps: dict[int, tuple[Any, int]] = {}

    @guarded
    def step_started(self, optimizer: object) -> StepUnderWay:
        """Return the parameters before a step; values known since the last step are used again if they are current."""
        self.changes.sweep.run_if_due()
        step = StepUnderWay(optimizer)
        for number, group in enumerate(_groups(optimizer)):
            for p in group["params"]:
                token = self.identities.token(p, None, "leaf")
                version = self.changes.recorded_version[token.storage] = version_of(p)
                data = data_of(p)
                known, value = self.changes.parameter_values.get(token.storage, (None, None))
                if known != version:
                    value = self.values.value(data)
                    self.changes.parameter_values[token.storage] = version, value
                copy = None
                if ALL_STATISTICS < data.size <= min(COMPARED, step.to_compare) and data.dtype.kind in "fc":
                    step.to_compare -= data.size
                    copy = data.copy("K")
                step.parameters.append((p, number, version, value, copy))
        return step

    @guarded
    def parameters_moved(self, optimizer: object) -> None:
        """Record the parameters that an optimizer has changed before it evaluates its closure."""
        for group in _groups(optimizer):
            for p in group["params"]:
                token = self.identities.token(p, None, "leaf")
                version = version_of(p)
                if self.changes.recorded_version.get(token.storage) != version:
                    self.changes.changed(f"{class_name(type(optimizer))}.step", p, self.code.line())

    @guarded
    def step_finished(self, step: StepUnderWay) -> None:
        """Record how a step changed each parameter."""
        line = self.code.line()
        optimizer = step.optimizer
        name = class_name(type(optimizer))
        updates: list[Any] = []
        unchanged: list[int] = []
        moved: list[tuple[Tensor, Token]] = []
        for p, number, version, before, copy in step.parameters:
            token = self.identities.token(p, line, "tensor")
            storage = token.storage
            now = version_of(p)
            data, own_grad = data_of(p), grad_of(p)
            known = self.changes.parameter_values.get(storage)
            if own_grad is None and now == version and known is not None:
                unchanged.append(token.tensor)
                continue
            after = self.values.value(data)
            grad = None if own_grad is None else self.values.value(data_of(own_grad))
            recorded = self.changes.recorded_version.get(storage) == now
            if not recorded:
                moved.append((p, token))
            change = Change(before, after, copy, data) if data.size > ALL_STATISTICS else None
            state = self._state(step, p)
            variable = self.names.by_tensor.get(token.tensor)
            updates.append((token.tensor, storage, now, recorded, variable, number, before, grad, after, change, state))
            self.changes.parameter_values[storage] = now, after
            self.changes.recorded_version[storage] = now
            self.changes.changed_at[storage] = line
            self.changes.stepped[storage] = name
        groups = [_options(group) for group in _groups(optimizer)]
        self.journal.add(say.optimizer_stepped, line, name, self._count(optimizer), groups, updates, unchanged)
        for p, token in moved:
            self.changes.seen_by_others(p, token, f"{name}.step", line)

    def _count(self, optimizer: object) -> int:
        """Count a step of an optimizer; return its number."""
        known = self.steps.get(id(optimizer))
        count = 1 if known is None or known[0]() is not optimizer else known[1] + 1
        self.steps[id(optimizer)] = weakref.ref(optimizer), count
        return count

    def _state(self, step: StepUnderWay, p: Tensor) -> list[tuple[str, Any, bool]]:
        """Return name, value and True for a tensor, of each entry of an optimizer's state for a parameter."""
        state = own_dict(step.optimizer).get("state")
        held = dict.get(state, p) if is_a(state, dict) else None
        found: list[tuple[str, Any, bool]] = []
        if not is_a(held, dict):
            return found
        for name, value in held.items():
            if is_a(value, Tensor):
                data = data_of(value)
                if isinstance(data, np.ndarray) and data.size > ALL_STATISTICS:
                    step.to_read -= data.size
                    captured = self.values.value(data) if step.to_read >= 0 else Digest.glance(data)
                else:
                    captured = self.values.value(data)
                found.append((_key(name), captured, True))
            elif type(value) in (list, tuple, dict, set, deque):
                found.append((_key(name), say.Shown(f"{type(value).__name__} of {len(value)}"), False))
            else:
                found.append((_key(name), say.frozen(value), False))
        return found


def _groups(optimizer: Any) -> list[dict[str, Any]]:
    """Return the parameter groups of an optimizer, without running code of its class where it has them itself."""
    groups: list[dict[str, Any]] | None = own_dict(optimizer).get("param_groups")
    return optimizer.param_groups if groups is None else groups


def _key(name: object) -> str:
    return name if type(name) is str else passive.text(name)


def _options(group: dict[str, Any]) -> tuple[Any, list[tuple[str, Any]]]:
    """Return the learning rate of a parameter group, and the other options that are on."""
    lr = group.get("lr")
    rate: Any = lr
    if is_a(lr, Tensor) and data_of(lr).size == 1:
        rate = data_of(lr).item()
    skipped = ("params", "param_names", "lr")
    return (
        rate if type(rate) in (int, float) else None,
        [
            (_key(name), say.frozen(value))
            for name, value in group.items()
            if not (type(name) is str and name in skipped) and value is not None and value is not False
        ],
    )
