"""Makes the events of calls of modules, and of function transforms."""

from __future__ import annotations

from collections.abc import Iterator

from backscope.protocol import events as ev
from backscope.recorder.narration.narrator import Line, Narrator, clean


def module_described(
    n: Narrator, seq: int, line: Line, module: int, kind: str, path: str, text: str, parameters: list[tuple[str, int]]
) -> Iterator[ev.Event]:
    """Yield the event that describes a module that is called for the first time."""
    yield ev.ModuleDescribed(
        seq=seq,
        line=line,
        module=module,
        type=clean(kind),
        path=clean(path),
        text=text,
        parameters=[ev.NamedTensor(name=clean(name), tensor=tensor) for name, tensor in parameters],
    )


def module_entered(
    n: Narrator, seq: int, line: Line, call: int, module: int, path: str, caller: int | None, times: int
) -> Iterator[ev.Event]:
    """Yield the event of a module that is called."""
    path = clean(path)
    n.paths.append(path)
    yield ev.ModuleEntered(seq=seq, line=line, call=call, module=module, path=path, caller=caller, times=times)


def module_left(n: Narrator, seq: int, line: Line, call: int) -> Iterator[ev.Event]:
    """Yield the event of a call of a module that ended."""
    n.paths.pop()
    yield ev.ModuleLeft(seq=seq, line=line, call=call)


def transform_entered(n: Narrator, seq: int, line: Line, transform: str, depth: int) -> Iterator[ev.Event]:
    """Yield the event of a transform that runs its function."""
    yield ev.TransformEntered(seq=seq, line=line, transform=transform, depth=depth)


def transform_left(n: Narrator, seq: int, line: Line, depth: int) -> Iterator[ev.Event]:
    """Yield the event of a transform that ran its function."""
    yield ev.TransformLeft(seq=seq, line=line, depth=depth)
