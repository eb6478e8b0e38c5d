"""Records a block of a program that is not instrumented, by reading the user's frames before each moment.

Names that the frames have bound since the last moment are recorded first, and the rounds of their loops.  Frames that
ended meanwhile were kept for that.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from backscope.diagnosis import diagnose
from backscope.diagnosis.user_frame import ends, forget
from backscope.program.frame_values import CONTAINERS, MISSING, can_be_named, size_of, value_of
from backscope.program.source_code import SourceCode
from backscope.program.source_outline import LoopSite, Scope, used_in
from backscope.program.sources import SourceLines, Sources
from backscope.recorder.narration.loops import ENTERED, LEFT, MARKS, ROUND
from backscope.recorder.program_events import text_of
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.recorder import Recorder
from backscope.recorder.tensor_slots import token_of
from backscope.runtime.error_facts import node_of
from backscope.runtime.given import Value
from backscope.runtime.listener import Listener, moments
from backscope.runtime.listening import hub
from backscope.runtime.passive import context_of, is_a, shown_name, traceback_of
from backscope.tensor.tensor import Tensor

MOST_CAUGHT = 64
"""Caught errors that are kept until they are recorded, in a program that does nothing else meanwhile."""

_HANDLERS = ("__torch_dispatch__", "__torch_function__")
"""Variables of these methods, and of functions that they call, are not recorded as names of tensors."""


class _Seen:
    """The state of a frame when its names and loops were last recorded."""

    def __init__(self, frame: FrameType, scope: Scope) -> None:
        self.frame = frame
        self.scope = scope
        self.line = frame.f_lineno
        self.at = -1
        self.names: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.loops: list[tuple[LoopSite, list[int]]] = []


class _Taken:
    """A container that has got a new item."""

    def __init__(self, container: Any) -> None:
        self.container = container


class Block:
    """Records one block with `recorder`, from the frame that the block is in and in the thread of that frame."""

    def __init__(self, write: Callable[[bytes], None], frame: FrameType) -> None:
        self.sources = Sources(frame)
        self.code = SourceCode(frame.f_globals, self.sources)
        self.recorder = recorder = Recorder(write, code=self.code)
        self.thread = threading.get_ident()
        recorder.journal.narrator.lines = SourceLines(self.sources)
        recorder.journal.narrator.loops.sites = self.sources.loops
        recorder.replace({name: self._in_thread(recorder.part_methods[name], name in _LOOKS) for name in _IN_THREAD})
        self._root: FrameType | None = frame
        self._begun = self.sources.line(frame.f_code, frame.f_lineno) or 1
        self._seen: list[_Seen] = []
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
        frame = self._root
        if frame is None:
            return
        self._passed = [sys.exception()]
        hub.refused = self._refuse
        scope = self.sources.scope(frame.f_code) or Scope(frame.f_lineno)
        seen = _Seen(frame, scope)
        variables = frame.f_locals
        outline = self.sources.outlines.get(frame.f_code.co_filename)
        line = self._begun
        for name in used_in(None if outline is None else outline.tree, frame.f_lineno):
            value = value_of(name, variables, frame.f_globals)
            if can_be_named(value):
                self.recorder.named(name, value, line)
        for name in scope.bindings:
            if (value := value_of(name, variables, frame.f_globals)) is not MISSING:
                seen.names[name] = self._mark(value)
        for name in scope.containers:
            value = value_of(name, variables, frame.f_globals)
            if (size := size_of(value)) is not None:
                seen.sizes[name] = size
        forget(frame)
        seen.at = frame.f_lasti
        # The loops around the block are not its own.
        seen.scope = _within(scope, frame.f_lineno)
        self._seen = [seen]

    def end(self, error: BaseException | None = None) -> None:
        """Record the names that the block bound last, and drop its frames; `error` is the exception that leaves it."""
        if self._root is None:
            return
        hub.refused = None
        self._passed.append(error)
        self.look()
        self._passed, self._handled = [], None
        for seen in reversed(self._seen):
            self._leave(seen, 0)
            if seen.frame is not self._root:
                self._mark_function(seen, LEFT)
        self._root = None
        self._seen = []

    def _refuse(self, error: BaseException) -> None:
        """Keep an error that the engine is about to raise, to be recorded if the user's code catches it."""
        if threading.get_ident() == self.thread:
            came = [one for one in self._refused if one is not error and self._came(one)]
            self._refused = [*came[-MOST_CAUGHT:], error]

    def _came(self, error: BaseException) -> bool:
        """Return True if an error has reached the user's code; the engine catches some itself."""
        at = traceback_of(error)
        return at is not None and at.tb_frame.f_globals is self.code.user_globals

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
            elif not any(error is one for one in (*self._passed, *self._recorded_errors())):
                self.report(error, "engine", always=error is not optional)

    def _is_caught(self, error: BaseException) -> bool:
        """Return True if an error that is being handled was caught, not only on its way by a `finally` or a `with`."""
        at = traceback_of(error)
        outline = None if at is None else self.sources.outlines.get(at.tb_frame.f_code.co_filename)
        return outline is None or at is None or outline.catches(at.tb_frame.f_lineno)

    def _recorded_errors(self) -> Iterator[BaseException]:
        """Yield the error that was recorded last, and those that were being handled then."""
        error = self.recorder.program.reported
        for _ in range(MOST_CAUGHT):
            if error is None:
                return
            yield error
            error = context_of(error)

    def report(self, error: BaseException, stage: str, *, always: bool = True) -> None:
        """Record an exception; where not `always`, one that has a diagnosis."""
        found = ends(self.code.frames(traceback.walk_tb(traceback_of(error))))
        line = found.lines[-1][0] if found.lines else None
        why = diagnose.explain(error, self.recorder.history, line)
        if why is None and not always:
            self._handled = error
            return
        self.recorder.failed(stage, shown_name(type(error)), text_of(error), line, None, found, node_of(error), why)
        self.recorder.program.reported = error

    def look(self) -> None:
        """Record names that the user's frames bound since the last time, their functions and rounds of loops."""
        if self._root is None:
            return
        frames: list[tuple[FrameType, Scope]] = []
        at: FrameType | None = sys._getframe(1)
        while at is not None and at is not self._root:
            if at.f_code.co_name in _HANDLERS:
                frames.clear()
            elif at.f_globals is self.code.user_globals and (scope := self.sources.scope(at.f_code)) is not None:
                frames.append((at, scope))
            at = at.f_back
        if at is None:
            return
        frames.reverse()
        seen = self._seen
        same = 1
        while same < len(seen) and same <= len(frames) and seen[same].frame is frames[same - 1][0]:
            same += 1
        ended = len(seen) > same
        for gone in reversed(seen[same:]):
            self._record(gone, self._bound(gone))
            self._leave(gone, 0)
            self._mark_function(gone, LEFT)
        del seen[same:]
        # Frames further out did nothing meanwhile but wait for this one.
        self._follow(seen[-1], ended and len(frames) >= same)
        inside = bool(self.recorder.passes.calls)
        for frame, scope in frames[same - 1 :]:
            new = _Seen(frame, scope)
            if not inside:
                self._mark_function(new, ENTERED)
            self._follow(new, False)
            if inside:
                break  # A hook's frame is not kept: it may hold the last reference to a gradient.
            seen.append(new)
        self._record_caught()

    def _mark(self, value: Value) -> int:
        """Return a number that differs from that of the value that a name had before."""
        if is_a(value, Tensor):
            token = token_of(value)
            if token is not None and token.identities is self.recorder.identities:
                return int(token.tensor)
        return -id(value)

    def _follow(self, seen: _Seen, again: bool) -> None:
        """Record what a frame has done since it was last recorded; see _go_round for `again`."""
        found = self._bound(seen)
        heads = {loop.head for loop in seen.scope.loops}
        # What a round binds belongs to it, what comes before it to the round before.
        first = [entry for entry in found if entry[0] not in heads]
        self._record(seen, first)
        self._go_round(seen, again or bool(first))
        self._record(seen, [entry for entry in found if entry[0] in heads])

    def _bound(self, seen: _Seen) -> list[tuple[int, str, Any]]:
        """Return line, name and value of what a frame has bound, by line; line 0 if it existed before the block."""
        frame, scope, names = seen.frame, seen.scope, seen.names
        code = frame.f_code
        variables = frame.f_locals
        line = frame.f_lineno or seen.line
        new = seen.at < 0
        found: list[tuple[int, str, Any]] = []
        for name in (*scope.arguments, *scope.bindings) if new else scope.bindings:
            value = value_of(name, variables, frame.f_globals)
            if value is MISSING or not can_be_named(value):
                continue
            mark = self._mark(value)
            if names.get(name) == mark:
                continue
            is_given = new and name in scope.arguments
            found.append((scope.line if is_given else scope.line_of(name, seen.line, line), name, value))
        for name, at in scope.containers.items():
            value = value_of(name, variables, frame.f_globals)
            if (size := size_of(value)) is not None:
                fresh = new or any(name == entry[1] for entry in found)
                before = (0 if name in scope.bindings else size) if fresh else seen.sizes.get(name, size)
                seen.sizes[name] = size
                if size > before:
                    found.append((at, name, _Taken(value)))
        if new:
            for name in (*code.co_names, *code.co_freevars):
                value = value_of(name, variables, frame.f_globals)
                if not can_be_named(value) or name in self.recorder.names.bound or is_a(value, CONTAINERS):
                    continue
                if is_a(value, Tensor) or self.recorder.names.modules.root(value) is None:
                    found.append((0, name, value))
        forget(frame)
        seen.line = line
        if new:
            seen.at = 0
        return sorted(found, key=lambda entry: entry[0])

    def _record(self, seen: _Seen, found: list[tuple[int, str, Any]]) -> None:
        code = seen.frame.f_code
        for line, name, value in found:
            if type(value) is _Taken:
                self.recorder.kept(name, value.container, self.sources.line(code, line) or line)
                continue
            self.recorder.named(name, value, (self.sources.line(code, line) if line else None) or self._begun)
            seen.names[name] = self._mark(value)

    def _go_round(self, seen: _Seen, again: bool) -> None:
        """Mark the loops that a frame entered, went round or left.

        `again` where it has done something since, and may be at the same instruction once more.
        """
        frame, line = seen.frame, seen.frame.f_lineno
        if not seen.scope.loops:
            seen.at = frame.f_lasti
            return
        back = frame.f_lasti < seen.at or (frame.f_lasti == seen.at and again)
        variables = frame.f_locals
        now = [loop for loop in seen.scope.loops if loop.head <= line <= loop.last]
        kept = 0
        for loop, values in seen.loops:
            if kept == len(now) or now[kept] is not loop:
                break
            kept += 1
            in_body = line >= loop.body
            held = [id(variables.get(name)) for name in loop.targets]
            if loop.targets:
                rounds = in_body and held != values
            else:
                innermost = kept == len(now)
                rounds = in_body and (not values or (back and innermost))
            if rounds or not in_body:
                self._leave(seen, kept)
                seen.loops[kept - 1] = loop, (held if loop.targets else [1]) if in_body else []
                if rounds:
                    self.recorder.journal.marked(MARKS * loop.number + ROUND)
                break
        else:
            self._leave(seen, kept)
        self._leave(seen, kept)
        for loop in now[kept:]:
            self.recorder.journal.marked(MARKS * loop.number + ENTERED)
            values = []
            if line >= loop.body:
                self.recorder.journal.marked(MARKS * loop.number + ROUND)
                values = [id(variables.get(name)) for name in loop.targets] or [1]
            seen.loops.append((loop, values))
        forget(frame)
        seen.at = frame.f_lasti

    def _mark_function(self, seen: _Seen, what: int) -> None:
        if seen.scope.site is not None:
            self.recorder.journal.marked(MARKS * seen.scope.site + what)

    def _leave(self, seen: _Seen, depth: int) -> None:
        """Mark the loops of a frame below a depth as left."""
        while len(seen.loops) > depth:
            self.recorder.journal.marked(MARKS * seen.loops.pop()[0].number + LEFT)


def _within(scope: Scope, line: int) -> Scope:
    """Return a scope with only those of its loops that begin after a line."""
    own = Scope(scope.line)
    own.bindings, own.containers = scope.bindings, scope.containers
    own.loops = [loop for loop in scope.loops if loop.head > line]
    return own


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
