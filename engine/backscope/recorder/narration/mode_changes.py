"""Makes the events of hooks that are registered and removed, and of grad modes."""

from __future__ import annotations

from collections.abc import Iterator

from backscope.protocol import events as ev
from backscope.recorder.narration.narrator import Line, Narrator, clean


def hook_registered(
    n: Narrator, seq: int, line: Line, where: str, hook: str, tensor: int | None, node: int | None
) -> Iterator[ev.Event]:
    """Yield the event of a hook that was registered on a tensor or a node."""
    yield ev.HookRegistered(seq=seq, line=line, where=where, hook=clean(hook), tensor=tensor, node=node)


def module_hook_registered(
    n: Narrator, seq: int, line: Line, where: str, hook: str, module: str, parameters: list[int]
) -> Iterator[ev.Event]:
    """Yield the event of a hook that was registered on a module."""
    yield ev.ModuleHookRegistered(
        seq=seq, line=line, where=where, hook=clean(hook), module=clean(module), parameters=parameters
    )


def hook_removed(
    n: Narrator, seq: int, line: Line, where: str, hook: str, tensor: int | None, node: int | None
) -> Iterator[ev.Event]:
    """Yield the event of a hook that was removed."""
    yield ev.HookRemoved(seq=seq, line=line, where=where, hook=clean(hook), tensor=tensor, node=node)


def grad_mode_changed(n: Narrator, seq: int, line: Line, mode: str) -> Iterator[ev.Event]:
    """Yield the event of a new grad mode."""
    yield ev.GradModeChanged(seq=seq, line=line, mode=mode)
