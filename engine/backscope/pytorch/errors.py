"""Records exceptions, with the cause of an in-place error: PyTorch says neither line of it."""

from __future__ import annotations

import sys
import traceback
from types import FrameType

from backscope.diagnosis.user_frame import Frame, ends
from backscope.protocol.event_parts import Diagnosis
from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities
from backscope.pytorch.ops import Ops
from backscope.recorder import narration as say
from backscope.recorder.program_events import text_of
from backscope.runtime.passive import shown_name, traceback_of


class Errors:
    """Records exceptions; `reported` is the one that was recorded last."""

    def __init__(self, context: Context, identities: Identities, ops: Ops, names: dict[int, str]) -> None:
        self.context = context
        self.identities = identities
        self.ops = ops
        self.names = names
        self.reported: BaseException | None = None

    @guarded
    def report(self, error: BaseException, stage: str, node: int | None) -> None:
        """Record an exception, of a node that ran if it is of one."""
        if error is self.reported:
            return
        walked = list(traceback.walk_tb(traceback_of(error)))
        if stage == "engine":  # It is on its way: its traceback ends here, and the callers are on the stack.
            walked = [*_outwards(sys._getframe(1)), *walked]
        found = ends(_once(self.context.code.frames(iter(walked))))
        line = found.lines[-1][0] if found.lines else None
        why = self._explain(str(error), node)
        name, text = shown_name(type(error)), text_of(error)
        self.context.add(say.error_raised, line, stage, name, text, None, found, node, why)
        self.reported = error

    def _explain(self, text: str, node: int | None) -> Diagnosis | None:
        if "modified by an inplace operation" not in text or node is None:
            return None
        narrator = self.context.journal.narrator
        self.context.journal.drain()
        for slot, tensor, storage, _ in narrator.saved.get(node, ()):
            place = self.ops.changed.get(storage)
            if place is None:
                continue
            line = narrator.lines.line(place) if isinstance(place, tuple) else place
            name = self.names.get(tensor or 0, "a tensor")
            who = "it was changed" if line is None else f"line {line} changed it"
            return Diagnosis(
                cause=f"Its backward needs {slot} ({name}) as it was when it was saved, and {who} in place.",
                fix=f"Make a new tensor instead of changing {name} in place.",
                lines=[] if line is None else [line],
                nodes=[node],
                tensors=[] if tensor is None else [tensor],
            )
        return None


def _outwards(frame: FrameType | None) -> list[tuple[FrameType, int]]:
    found = []
    while frame is not None:
        found.append((frame, frame.f_lineno))
        frame = frame.f_back
    return found[::-1]


def _once(frames: list[Frame]) -> list[Frame]:
    """Return frames without those that are on the stack and in the traceback, which come next to each other."""
    found: list[Frame] = []
    for frame in frames:
        if not found or found[-1] != frame:
            found.append(frame)
    return found
