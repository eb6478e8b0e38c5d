"""Leaves the program's text out of recorded events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from backscope.protocol import events as ev
from backscope.protocol.event_parts import TracebackLine

_OPENINGS = tuple(
    ev.opening(kind) for kind in (ev.ProgramStarted, ev.SourceAdded, ev.RoundStarted, ev.ErrorRaised, ev.Paused)
)
"""How the lines of the events begin that have text of the program."""


def without_source(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield encoded events without the text of files, of lines in tracebacks and of the heads of loops.

    Names remain, and what the explanation of an error quotes of the code.
    """
    for line in lines:
        yield ev.encode(_emptied(ev.decode(line))) if line.startswith(_OPENINGS) else line


def _emptied(event: ev.Event) -> ev.Event:
    if isinstance(event, (ev.ProgramStarted, ev.SourceAdded)):
        return msgspec.structs.replace(event, source=None)
    if isinstance(event, ev.RoundStarted):
        return msgspec.structs.replace(event, text=f"{event.text.split(maxsplit=1)[0]} ...")
    if isinstance(event, ev.ErrorRaised):
        return msgspec.structs.replace(event, traceback=_frames(event.traceback))
    if isinstance(event, ev.Paused):
        return msgspec.structs.replace(event, stack=_frames(event.stack))
    return event


def _frames(frames: list[TracebackLine]) -> list[TracebackLine]:
    return [msgspec.structs.replace(frame, text="") for frame in frames]
