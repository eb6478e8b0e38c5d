"""Records a block of a program that is not instrumented, by reading the user's frames before each moment."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

from backscope.diagnosis import diagnose
from backscope.diagnosis.user_frame import ends
from backscope.program.frame_reader import FrameReader
from backscope.program.source_code import SourceCode
from backscope.program.sources import SourceLines, Sources
from backscope.recorder.program_events import text_of
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.recorder import Recorder
from backscope.runtime.error_facts import is_recorded, node_of, note_recorded
from backscope.runtime.listener import Listener, moments
from backscope.runtime.listening import hub
from backscope.runtime.passive import context_of, shown_name, traceback_of

MOST_CAUGHT = 64
"""Caught errors that are kept until they are recorded, in a program that does nothing else meanwhile."""


class Block:
    """Records one block with `recorder`, from the frame that the block is in and in the thread of that frame."""

    def __init__(self, write: Callable[[bytes], None], frame: FrameType) -> None:
        self.sources = Sources(frame)
        self.code = SourceCode(frame.f_globals, self.sources)
        self.recorder = recorder = Recorder(write, code=self.code)
        self.sources.added = recorder.source_added
        self.thread = threading.get_ident()
        recorder.journal.narrator.lines = SourceLines(self.sources)
        recorder.journal.narrator.loops.sites = self.sources.loops
        recorder.replace({name: self._in_thread(recorder.part_methods[name], name in _LOOKS) for name in _IN_THREAD})
        self.reader = FrameReader(recorder.names, recorder.passes.calls, self.code, frame)
        self._refused: list[BaseException] = []
        self._passed: list[BaseException | None] = []
        """Exceptions that are being handled around the block, or that leave it."""
        self._handled: BaseException | None = None
        """The exception that was last found to be none of the engine's."""

    def _in_thread(self, plain: Callable[..., Any], looks: bool) -> Callable[..., Any]:
        """Return a method of the recorder that does nothing in other threads."""

        def record(*arguments: Any, **named: Any) -> Any:
            if threading.get_ident() != self.thread:
                return None
            if looks:
                self.look()
            return plain(*arguments, **named)

        return record

    def begin(self) -> None:
        """Record the names of the tensors and modules that the block uses and that exist already."""
        if self.reader.root is not None:
            self._passed = [sys.exception()]
            hub.refused = self._refuse
            self.reader.begin()

    def end(self, error: BaseException | None = None) -> None:
        """Record the names that the block bound last, and drop its frames; `error` is the exception that leaves it."""
        if self.reader.root is None:
            return
        hub.refused = None
        self._passed.append(error)
        self.look()
        self._passed, self._handled = [], None
        self.reader.end()

    def _refuse(self, error: BaseException) -> None:
        """Keep an error that the engine is about to raise, to be recorded if the user's code catches it."""
        if threading.get_ident() == self.thread:
            came = [one for one in self._refused if one is not error and self._came(one)]
            self._refused = [*came[-MOST_CAUGHT:], error]

    def _came(self, error: BaseException) -> bool:
        """Return True if an error has reached the user's code; the engine catches some itself."""
        at = traceback_of(error)
        return at is not None and self.code.owns(at.tb_frame)

    def _record_caught(self) -> None:
        """Record errors of the engine that the program has caught, or is handling."""
        refused, self._refused = self._refused, []
        handled = sys.exception()
        if not refused and handled is None:
            return
        passing = handled is not None and not self._is_caught(handled)
        if passing:  # It is recorded when it is caught, if it is.
            self._refused = [one for one in refused if one is handled]
            refused = [one for one in refused if one is not handled]
        if handled is not None and not passing and not any(handled is one for one in (*refused, self._handled)):
            refused.append(handled)
            optional = handled
        else:
            optional = None
        for error in refused:
            if not self._came(error):
                if error is handled:  # It is on its way out of the engine.
                    self._refused.append(error)
            elif not is_recorded(error) and not any(error is one for one in self._passed):
                self.report(error, "engine", always=error is not optional)

    def _is_caught(self, error: BaseException) -> bool:
        """Return True if an error that is being handled was caught, not only on its way by a `finally` or a `with`."""
        at = traceback_of(error)
        outline = None if at is None else self.sources.outlines.get(at.tb_frame.f_code.co_filename)
        return outline is None or at is None or outline.catches(at.tb_frame.f_lineno)

    def report(self, error: BaseException, stage: str, *, always: bool = True) -> None:
        """Record an exception; where not `always`, one that has a diagnosis."""
        found = ends(self.code.frames(traceback.walk_tb(traceback_of(error))))
        line = found.lines[-1][0] if found.lines else None
        why = diagnose.explain(error, self.recorder.history, line)
        if why is None and not always:
            self._handled = error
            return
        self.recorder.failed(stage, shown_name(type(error)), text_of(error), line, None, found, node_of(error), why)
        told: BaseException | None = error
        for _ in range(MOST_CAUGHT):
            if told is not None:
                note_recorded(told)
                told = context_of(told)

    def look(self) -> None:
        """Record what the user's frames did since the last time, and errors of the engine that they caught."""
        if self.reader.look():
            self._record_caught()


_LOOKS = {
    method.__name__
    for method in (
        Listener.aliased, Listener.applied, Listener.backward_started, Listener.checkpoint_entered, Listener.created,
        Listener.function_applied, Listener.grad_cleared, Listener.hook_registered, Listener.module_entered,
        Listener.module_left, Listener.mutated, Listener.op, ProgramListener.printed, Listener.requires_grad_changed,
        Listener.step_started, Listener.transform_entered, ProgramListener.warned,
    )
}  # fmt: skip
"""Moments before which names and rounds are recorded; the program runs no code of its own between others."""

_IN_THREAD = (*moments(Listener), ProgramListener.printed.__name__, ProgramListener.warned.__name__)
"""Moments of the engine and of the streams, which other threads have as well."""
