"""Level: one open transform, and the list of the transforms that are open.

A level is one call of a transform, or a dual level of forward mode.  A tensor at a level wraps a tensor of the level
below: each level has its own tape, its own tangents and its own batch dim, so nested transforms do not mix theirs.
An op checks `levels` once; it does nothing else for transforms while no level is open.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide

_numbers = itertools.count(1)


class Level:
    """One open transform: `kind` is "dual", "grad", "jvp", "vmap" or "functionalize".

    `depth` is the number of open transforms, this one included.  `grad_mode`, `forward_mode` and `inference` are the
    modes at the moment when the level was opened: where `grad_mode` is off, levels below do not record the ops of a
    "grad" level; where `forward_mode` is off, levels below compute no tangents for a "jvp" level.  A vmap has a batch
    `size` and a `randomness`.  Where `refuses` is True, a program may not set requires_grad or `.data` of the level's
    tensors.
    """

    __slots__ = (
        "depth",
        "forward_mode",
        "grad_mode",
        "inference",
        "is_open",
        "kind",
        "randomness",
        "refuses",
        "serial",
        "size",
    )

    def __init__(self, kind: str, depth: int) -> None:
        self.kind = kind
        self.depth = depth
        self.serial = next(_numbers)
        self.grad_mode = mode.enabled
        self.inference = mode.inference
        self.forward_mode = forward_mode.enabled
        self.is_open = True
        self.refuses = kind != "dual"
        self.size = 0
        self.randomness = "error"


levels: list[Level] = process_wide([])
"""The open levels, innermost last."""


@contextmanager
def opened(kind: str) -> Iterator[Level]:
    """Open a new innermost level for as long as the context lasts."""
    level = Level(kind, 1 + sum(x.kind != "dual" for x in levels))
    levels.append(level)
    used[:] = [True]
    listener = hub.listener if kind in ("grad", "jvp", "vmap") else None
    if listener is not None:
        listener.transform_entered(kind, level.depth)
    try:
        yield level
    finally:
        if listener is not None:
            listener.transform_left(level.depth)
        levels.remove(level)
        level.is_open = False


@contextmanager
def differentiating() -> Iterator[Level]:
    """Open a "grad" level, in which ops are recorded also under no_grad and in inference mode."""
    with opened("grad") as level:
        before = mode.enabled, mode.inference, mode.below, mode.requested
        mode.enabled, mode.inference, mode.below = True, False, False
        try:
            yield level
        finally:
            mode.enabled, mode.inference, mode.below, mode.requested = before


used: list[bool] = process_wide([])
"""Not empty once a level was opened: from then on ops check their arguments for TransformTensors."""


@contextmanager
def only_up_to(level: Level | None, *, without: bool = False) -> Iterator[None]:
    """Hide the levels inside `level`, and `level` too if `without`, while the context lasts; None hides all transforms.

    Ops stay recorded unless one of the hidden levels was opened under no_grad; tangents likewise.
    """
    last = 0 if level is None else level.serial - without
    held = list(levels)
    hidden = [x for x in held if x.kind != "dual" and x.serial > last]
    if not hidden:
        yield
        return
    recorded, forward = mode.enabled, forward_mode.enabled
    levels[:] = [x for x in held if x not in hidden]
    for x in hidden:
        if x.kind == "grad" and not x.grad_mode and mode.enabled:
            mode.enabled = False
        elif x.kind == "jvp" and not x.forward_mode:
            forward_mode.enabled = False
    try:
        yield
    finally:
        levels[:] = held
        if mode.enabled is not recorded:
            mode.enabled = recorded
        forward_mode.enabled = forward


def differentiating_above(top: Level | None) -> Level | None:
    """Return the innermost open grad or jvp level inside `top`; None where there is none."""
    for level in reversed(levels):
        if top is not None and level.serial <= top.serial:
            return None
        if level.kind == "grad" or level.kind == "jvp":
            return level
    return None


def outside_transforms() -> AbstractContextManager[None]:
    """Return a context in which no transform is open."""
    return only_up_to(None)


@contextmanager
def transforms_ignored() -> Iterator[None]:
    """Make ops treat TransformTensors as ordinary tensors for as long as the context lasts."""
    before = list(used)
    used.clear()
    try:
        yield
    finally:
        used[:] = before


def dual_level() -> Level | None:
    """Return the open level of forward mode; None where there is none."""
    return next((x for x in reversed(levels) if x.kind == "dual"), None)
