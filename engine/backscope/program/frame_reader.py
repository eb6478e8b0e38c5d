"""Reads from the user's frames the names that they bound since the last time, their functions and rounds of loops.

Frames that ended meanwhile were kept for that.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType, FunctionType
from typing import Any

from backscope.diagnosis.user_frame import forget
from backscope.program.frame_values import CONTAINERS, MISSING, can_be_named, container_of, size_of, value_of
from backscope.program.source_code import SourceCode
from backscope.program.source_outline import LoopSite, Scope, used_in
from backscope.recorder.names import Names
from backscope.recorder.narration.loops import ENTERED, LEFT, MARKS, ROUND
from backscope.runtime.given import Value
from backscope.runtime.passive import class_dict, is_a, own_dict

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
    """A container that has got a new item; `line` is that of the method that put it there, None for the frame's own."""

    def __init__(self, container: Any, line: int | None = None) -> None:
        self.container = container
        self.line = line


class FrameReader:
    """Reads the frames from the one that the block is in inwards, and records in `names` what they bind.

    `code` finds the user's frames among them; `calls` has the backward passes that are under way.
    """

    def __init__(self, names: Names, calls: list[int], code: SourceCode, frame: FrameType) -> None:
        self.names = names
        self.journal = names.journal
        self.calls = calls
        self.code = code
        self.sources = code.sources
        self.framework = names.framework
        self.root: FrameType | None = frame
        self._begun = self.sources.line(frame.f_code, frame.f_lineno) or 1
        self._seen: list[_Seen] = []
        self._methods: dict[tuple[type, str], dict[str, int]] = {}

    def begin(self) -> None:
        """Record the names of the tensors and modules that the block uses and that exist already."""
        frame = self.root
        if frame is None:
            return
        scope = self.sources.scope(frame.f_code) or Scope(frame.f_lineno)
        seen = _Seen(frame, scope)
        variables = frame.f_locals
        outline = self.sources.outlines.get(frame.f_code.co_filename)
        line = self._begun
        for name in used_in(None if outline is None else outline.tree, frame.f_lineno):
            value = value_of(self.framework, name, variables, frame.f_globals)
            if can_be_named(self.framework, value):
                self.names.named(name, value, line)
        for name in scope.bindings:
            if (value := value_of(self.framework, name, variables, frame.f_globals)) is not MISSING:
                seen.names[name] = self._mark(value)
        for name in scope.containers:
            value = container_of(self.framework, name, variables, frame.f_globals)
            if (size := size_of(value)) is not None:
                seen.sizes[name] = size
        self._grown(seen, variables)  # What is there already has not been put there by the block.
        forget(frame)
        seen.at = frame.f_lasti
        # The loops around the block are not its own.
        seen.scope = _within(scope, frame.f_lineno)
        self._seen = [seen]

    def end(self) -> None:
        """Record what is left: loops and functions that the block leaves; drop its frames."""
        for seen in reversed(self._seen):
            self._leave(seen, 0)
            if seen.frame is not self.root:
                self._mark_function(seen, LEFT)
        self.root = None
        self._seen = []

    def look(self) -> bool:
        """Record names that the user's frames bound since the last time, their functions and rounds of loops.

        Returns False where the block is not on the stack.
        """
        if self.root is None:
            return False
        frames: list[tuple[FrameType, Scope]] = []
        at: FrameType | None = sys._getframe(1)
        while at is not None and at is not self.root:
            if at.f_code.co_name in _HANDLERS:
                frames.clear()
            elif (scope := self.sources.scope(at.f_code)) is not None and self.code.owns(at):
                frames.append((at, scope))
            at = at.f_back
        if at is None:
            return False
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
        inside = bool(self.calls)
        for frame, scope in frames[same - 1 :]:
            new = _Seen(frame, scope)
            if not inside:
                self._mark_function(new, ENTERED)
            self._follow(new, False)
            if inside:
                break  # A hook's frame is not kept: it may hold the last reference to a gradient.
            seen.append(new)
        return True

    def _mark(self, value: Value) -> int:
        """Return a number that differs from that of the value that a name had before."""
        if self.framework.is_tensor(value):
            token = self.framework.token_of(value)
            if token is not None and token.identities is self.names.identities:
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
            value = value_of(self.framework, name, variables, frame.f_globals)
            if value is MISSING or not can_be_named(self.framework, value):
                continue
            mark = self._mark(value)
            if names.get(name) == mark:
                continue
            is_given = new and name in scope.arguments
            found.append((scope.line if is_given else scope.line_of(name, seen.line, line), name, value))
        for name, at in scope.containers.items():
            value = container_of(self.framework, name, variables, frame.f_globals)
            if (size := size_of(value)) is not None:
                fresh = new or any(name == entry[1] for entry in found)
                before = (0 if name in scope.bindings else size) if fresh else seen.sizes.get(name, size)
                seen.sizes[name] = size
                if size > before:
                    found.append((at, name, _Taken(value)))
        found += self._grown(seen, variables)
        if new:
            for name in (*code.co_names, *code.co_freevars):
                value = value_of(self.framework, name, variables, frame.f_globals)
                if not can_be_named(self.framework, value) or name in self.names.bound or is_a(value, CONTAINERS):
                    continue
                if self.framework.is_tensor(value) or self.names.modules.root(value) is None:
                    found.append((0, name, value))
        forget(frame)
        seen.line = line
        if new:
            seen.at = 0
        return sorted(found, key=lambda entry: entry[0])

    # Any: the variables of a frame.
    def _grown(self, seen: _Seen, variables: Mapping[str, Any]) -> list[tuple[int, str, _Taken]]:
        """Return the containers into which methods that a frame calls have put something since the last time.

        A method that applies no op is over by the time that frames are read.
        """
        found: list[tuple[int, str, _Taken]] = []
        space = seen.frame.f_globals
        for (holder, method), line in seen.scope.calls.items():
            value = container_of(self.framework, holder, variables, space)
            growing = {} if value is MISSING else self._growing(type(value), method)
            if not growing:
                continue
            held = own_dict(value)
            for attribute, place in growing.items():
                container = held.get(attribute)
                if (size := size_of(container)) is None:
                    continue
                key = f"{holder}.{method}:{attribute}"
                before, seen.sizes[key] = seen.sizes.get(key, size), size
                if size > before:
                    found.append((line, f"self.{attribute}", _Taken(container, place)))
        return found

    def _growing(self, kind: type, method: str) -> dict[str, int]:
        """Return the attributes that a method of the program's puts items into, with the lines that do so."""
        known = self._methods.get((kind, method))
        if known is None:
            known = self._methods[kind, method] = {}
            own = next((class_dict(one)[method] for one in type.mro(kind) if method in class_dict(one)), None)
            if not isinstance(own, FunctionType) or (scope := self.sources.scope(own.__code__)) is None:
                return known
            for name, line in scope.containers.items():
                holder, _, attribute = name.partition(".")
                if holder == "self" and attribute:
                    known[attribute] = self.sources.line(own.__code__, line) or line
        return known

    def _record(self, seen: _Seen, found: list[tuple[int, str, Any]]) -> None:
        code = seen.frame.f_code
        for line, name, value in found:
            if type(value) is _Taken:
                self.names.kept(name, value.container, value.line or self.sources.line(code, line) or line)
                continue
            self.names.named(name, value, (self.sources.line(code, line) if line else None) or self._begun)
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
                    self.journal.marked(MARKS * loop.number + ROUND)
                break
        else:
            self._leave(seen, kept)
        self._leave(seen, kept)
        for loop in now[kept:]:
            self.journal.marked(MARKS * loop.number + ENTERED)
            values = []
            if line >= loop.body:
                self.journal.marked(MARKS * loop.number + ROUND)
                values = [id(variables.get(name)) for name in loop.targets] or [1]
            seen.loops.append((loop, values))
        forget(frame)
        seen.at = frame.f_lasti

    def _mark_function(self, seen: _Seen, what: int) -> None:
        if seen.scope.site is not None:
            self.journal.marked(MARKS * seen.scope.site + what)

    def _leave(self, seen: _Seen, depth: int) -> None:
        """Mark the loops of a frame below a depth as left."""
        while len(seen.loops) > depth:
            self.journal.marked(MARKS * seen.loops.pop()[0].number + LEFT)


def _within(scope: Scope, line: int) -> Scope:
    """Return a scope with only those of its loops that begin after a line."""
    own = Scope(scope.line)
    own.bindings, own.containers, own.calls = scope.bindings, scope.containers, scope.calls
    own.loops = [loop for loop in scope.loops if loop.head > line]
    return own
