"""The breakpoints of one program that a page sets and those that a terminal or an editor sets, whose numbers differ."""

from __future__ import annotations

import msgspec

from backscope.protocol import commands as c
from backscope_server.session.notice import BreakpointsShared


class SharedBreakpoints:
    """Each side sets its own; the program gets those of both."""

    def __init__(self) -> None:
        self._page: list[c.Breakpoint] = []
        self._other: list[c.Breakpoint] = []
        self._removed_there: list[c.Breakpoint] = []
        """The page's that the other side removed, until the page sends none of them any more."""

    @property
    def of_page(self) -> dict[int, c.Breakpoint]:
        """The breakpoints that the page has set, by their numbers."""
        return {one.id: one for one in self._page}

    @property
    def has_other(self) -> bool:
        """Return whether the other side has set any."""
        return bool(self._other)

    def remove_of_page(self, numbers: set[int]) -> None:
        """Remove breakpoints of the page; the next ones that are set go to the program without them."""
        self._removed_there += [one for one in self._page if one.id in numbers]
        self._page = [one for one in self._page if one.id not in numbers]

    def fits(self, command: c.SetBreakpoints, *, of_page: bool) -> bool:
        """Return whether the breakpoints of a command, of the page or not, fit beside those of the other side."""
        beside = [one for one in self._other if one.id not in command.removed] if of_page else self._page
        return len(command.breakpoints) + len(beside) <= c.MOST_BREAKPOINTS

    def from_other(self, command: c.SetBreakpoints) -> c.SetBreakpoints:
        """Take those of the terminal or editor; return the command that sets those of both sides."""
        self._other = command.breakpoints
        return self._both(command)

    def from_page(self, command: c.SetBreakpoints) -> tuple[c.SetBreakpoints, set[int]]:
        """Take those of the page; return the command for both sides, and the numbers that the page removed there."""
        self._page = [one for one in command.breakpoints if one not in self._removed_there]
        self._removed_there = [one for one in self._removed_there if one in command.breakpoints]
        gone = {one.id for one in self._other}.intersection(command.removed)
        self._other = [one for one in self._other if one.id not in gone]
        return self._both(command), gone

    def for_other(self, answer: c.BreakpointsSet) -> c.BreakpointsSet:
        """Return the answer for the terminal: why a breakpoint of the page cannot be set is the page's to show."""
        unusable = [one for one in answer.unusable if one.id not in self.of_page]
        return msgspec.structs.replace(answer, unusable=unusable)

    def notice(self, answer: c.BreakpointsSet) -> BreakpointsShared:
        """Return the message for the page: the breakpoints of the other side, on the lines where they were set."""
        unusable = {one.id for one in answer.unusable}
        places = {place.id: place for place in answer.places}

        def placed(one: c.Breakpoint) -> c.Breakpoint:
            place = places.get(one.id)
            if not isinstance(one, c.LineBreakpoint) or place is None or place.line is None:
                return one
            return msgspec.structs.replace(one, line=place.line, file=place.file)

        usable = [placed(one) for one in self._other if one.id not in unusable]
        return BreakpointsShared(usable, [one.id for one in self._removed_there])

    def _both(self, command: c.SetBreakpoints) -> c.SetBreakpoints:
        return msgspec.structs.replace(command, breakpoints=[*self._page, *self._other])
