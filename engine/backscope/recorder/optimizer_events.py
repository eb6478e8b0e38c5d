"""Recording what optimizers do: each step is one event, with what it did to every parameter."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

import numpy as np

from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.journal import Journal
from backscope.recorder.memory_changes import MemoryChanges
from backscope.recorder.names import Names
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.user_code import UserCode
from backscope.runtime import passive
from backscope.runtime.listener import Listener
from backscope.runtime.passive import class_name, is_a
from backscope.summary.summary import ALL_STATISTICS, Change, Digest
from backscope.tensor.tensor import Tensor

LOOKED_AT = 1 << 18
"""Elements of large parameters that are compared in one step, and of optimizers' state that are read."""

COMPARED = 1 << 16
"""Elements of a parameter whose change is read; of that of a larger one the first elements are told."""


class StepUnderWay:
    """An optimizer's step: each parameter with its version, its value before, and a copy of a large one."""

    def __init__(self, optimizer: Any) -> None:
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
    def step_started(self, optimizer: Any) -> StepUnderWay:
        """An optimizer is about to step; what it did last is still known where nothing came between."""
        self.changes.sweep()
        step = StepUnderWay(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            for p in group["params"]:
                token = self.identities.token(p, None, "leaf")
                version = self.changes.recorded_version[token.storage] = p._counter()[0]
                known, value = self.changes.parameter_values.get(token.storage, (None, None))
                if known != version:
                    value = self.values.value(p._data)
                    self.changes.parameter_values[token.storage] = version, value
                copy = None
                if ALL_STATISTICS < p._data.size <= min(COMPARED, step.to_compare) and p._data.dtype.kind in "fc":
                    step.to_compare -= p._data.size
                    copy = p._data.copy("K")
                step.parameters.append((p, number, version, value, copy))
        return step

    @guarded
    def parameters_moved(self, optimizer: Any) -> None:
        """An optimizer is about to evaluate its closure at other values of its parameters."""
        for group in optimizer.param_groups:
            for p in group["params"]:
                token = self.identities.token(p, None, "leaf")
                version = p._counter()[0]
                if self.changes.recorded_version.get(token.storage) != version:
                    self.changes.changed(f"{class_name(type(optimizer))}.step", p, self.code.line())

    @guarded
    def step_finished(self, step: StepUnderWay) -> None:
        """An optimizer has changed its parameters."""
        line = self.code.line()
        optimizer = step.optimizer
        name = class_name(type(optimizer))
        updates: list[Any] = []
        unchanged: list[int] = []
        moved: list[Tensor] = []
        for p, number, version, before, copy in step.parameters:
            token = self.identities.token(p, line, "tensor")
            storage = token.storage
            now = p._counter()[0]
            known = self.changes.parameter_values.get(storage)
            if p._grad is None and now == version and known is not None:
                unchanged.append(token.tensor)
                continue
            after = self.values.value(p._data)
            grad = None if p._grad is None else self.values.value(p._grad._data)
            told = self.changes.recorded_version.get(storage) == now
            if not told:
                moved.append(p)
            change = Change(before, after, copy, p._data) if p._data.size > ALL_STATISTICS else None
            state = self._state(step, p)
            variable = self.names.by_tensor.get(token.tensor)
            updates.append((token.tensor, storage, now, told, variable, number, before, grad, after, change, state))
            self.changes.parameter_values[storage] = now, after
            self.changes.recorded_version[storage] = now
            self.changes.changed_at[storage] = line
            self.changes.stepped[storage] = name
        groups = [_options(group) for group in optimizer.param_groups]
        self.journal.add(say.optimizer_stepped, line, name, self._count(optimizer), groups, updates, unchanged)
        for p in moved:
            self.changes.seen_by_others(p, p._token, f"{name}.step", line)

    def _count(self, optimizer: Any) -> int:
        """Which step of an optimizer this is."""
        known = self.steps.get(id(optimizer))
        count = 1 if known is None or known[0]() is not optimizer else known[1] + 1
        self.steps[id(optimizer)] = weakref.ref(optimizer), count
        return count

    def _state(self, step: StepUnderWay, p: Tensor) -> list[tuple[str, Any, bool]]:
        """Name, value and whether it is a tensor, for all that an optimizer remembers of a parameter."""
        state = getattr(step.optimizer, "state", None)
        held = state.get(p) if isinstance(state, dict) else None
        found: list[tuple[str, Any, bool]] = []
        if not isinstance(held, dict):
            return found
        for name, value in held.items():
            if is_a(value, Tensor):
                data = value._data
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


def _key(name: Any) -> str:
    return name if type(name) is str else passive.text(name)


def _options(group: dict[str, Any]) -> tuple[Any, list[tuple[str, Any]]]:
    """The learning rate of a parameter group, and the other options that are on."""
    lr = group.get("lr")
    rate: Any = lr
    if is_a(lr, Tensor) and rate._data.size == 1:
        rate = rate.item()
    skipped = ("params", "param_names", "lr")
    return (
        rate if type(rate) in (int, float) else None,
        [
            (_key(name), say.frozen(value))
            for name, value in group.items()
            if not (type(name) is str and name in skipped) and value is not None and value is not False
        ],
    )
