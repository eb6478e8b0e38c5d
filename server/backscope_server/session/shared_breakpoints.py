"""The breakpoints of one program that its pages set, and those of each terminal and editor; all numbers differ."""

from __future__ import annotations

from collections.abc import Hashable

import msgspec

from backscope.protocol import commands as c
from backscope_server.session.notice import BreakpointsShared


class SharedBreakpoints:
    """Pages set theirs together, each terminal or editor its own; the program gets all of them.

    A terminal or editor is named by any value, which stays the same until it leaves.
    """

    def __init__(self) -> None:
        self._page: list[c.Breakpoint] = []
        self._others: dict[Hashable, list[c.Breakpoint]] = {}
        self._removed_there: list[c.Breakpoint] = []
        """The page's that a terminal removed, until the page sends none of them any more."""

    @property
    def of_page(self) -> dict[int, c.Breakpoint]:
        """The breakpoints that the page has set, by their numbers."""
        return {one.id: one for one in self._page}

    @property
    def has_others(self) -> bool:
        """Return whether a terminal or an editor has set any."""
        return bool(self._others)

    def has(self, other: Hashable) -> bool:
        """Return whether this terminal or editor has set any."""
        return other in self._others

    def remove_of_page(self, numbers: set[int]) -> None:
        """Remove breakpoints of the page; the next ones that are set go to the program without them."""
        self._removed_there += [one for one in self._page if one.id in numbers]
        self._page = [one for one in self._page if one.id not in numbers]

    def fits(self, command: c.SetBreakpoints, other: Hashable | None) -> bool:
        """Return whether the breakpoints of a terminal or editor, or of a page, fit beside those of all others."""
        beside = self._of_others(without=other)
        if other is None:
            beside = [one for one in beside if one.id not in command.removed]
        else:
            beside += self._page
        return len(command.breakpoints) + len(beside) <= c.MOST_BREAKPOINTS

    def from_other(self, other: Hashable, command: c.SetBreakpoints) -> c.SetBreakpoints:
        """Take those of a terminal or editor; return the command that sets all."""
        self._put(other, command.breakpoints)
        return self._all(command)

    def from_page(self, command: c.SetBreakpoints) -> tuple[c.SetBreakpoints, set[int]]:
        """Take those of the page; return the command that sets all, and the numbers that the page removed of others."""
        self._page = [one for one in command.breakpoints if one not in self._removed_there]
        self._removed_there = [one for one in self._removed_there if one in command.breakpoints]
        gone = {one.id for one in self._of_others()}.intersection(command.removed)
        for other, breakpoints in list(self._others.items()):
            self._put(other, [one for one in breakpoints if one.id not in gone])
        return self._all(command), gone

    def for_other(self, other: Hashable, answer: c.BreakpointsSet) -> c.BreakpointsSet:
        """Return the answer for a terminal or editor: why one of others cannot be set is for those to show."""
        own = {one.id for one in self._others.get(other, ())}
        return msgspec.structs.replace(answer, unusable=[one for one in answer.unusable if one.id in own])

    def notice(self, answer: c.BreakpointsSet) -> BreakpointsShared:
        """Return the message for pages: the breakpoints of all others, on the lines where they were set."""
        unusable = {one.id for one in answer.unusable}
        places = {place.id: place for place in answer.places}

        def placed(one: c.Breakpoint) -> c.Breakpoint:
            place = places.get(one.id)
            if not isinstance(one, c.LineBreakpoint) or place is None or place.line is None:
                return one
            return msgspec.structs.replace(one, line=place.line, file=place.file)

        usable = [placed(one) for one in self._of_others() if one.id not in unusable]
        return BreakpointsShared(usable, [one.id for one in self._removed_there])

    def _put(self, other: Hashable, breakpoints: list[c.Breakpoint]) -> None:
        if breakpoints:
            self._others[other] = breakpoints
        else:
            self._others.pop(other, None)

    def _of_others(self, without: Hashable | None = None) -> list[c.Breakpoint]:
        return [one for other, breakpoints in self._others.items() if other != without for one in breakpoints]

    def _all(self, command: c.SetBreakpoints) -> c.SetBreakpoints:
        return msgspec.structs.replace(command, breakpoints=[*self._page, *self._of_others()])
