"""The functions and the rounds of loops that a program is in, from the marks that it leaves among moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from backscope.protocol import events as ev

MARKS = 3
ENTERED, ROUND, LEFT = range(MARKS)
"""The mark of loop or function number k is MARKS * k + one of these."""

AGAIN = 1 << 40
"""Added to the mark of a round for each further one without a moment between."""

FUNCTION = "def "
"""The beginning of the head of a function, before its name; other heads are those of loops."""


class Loop:
    """A run of a loop; `number` is 0 before its first event, `shown` the round of its last event."""

    __slots__ = ("number", "round", "shown", "site")

    def __init__(self, site: int) -> None:
        self.site = site
        self.number = 0
        self.round = 0
        self.shown = 0


class Call:
    """A call of a function; `number` is 0 before its first event, -1 if it has none."""

    __slots__ = ("number", "site")

    def __init__(self, site: int, number: int) -> None:
        self.site = site
        self.number = number


class Loops:
    """Follows the loops and functions that are running, outermost first.

    `sites` has line and head of each loop and function in the program's text, `repeat` the round that each loop is in.
    """

    def __init__(self) -> None:
        self.sites: Sequence[tuple[int, str]] = ()
        self.running: list[Loop | Call] = []
        self.repeat: list[int] = []
        self.count = 0
        self.calls = 0
        self.times: Counter[int] = Counter()
        """The number of calls of each function that have events, by its site."""
        self.moved = False

    def mark(self, mark: int, *, passing: bool) -> Loop | Call | None:
        """Follow a mark; return the loop or function that it ends, if that has events.

        A function that is called during a backward pass (`passing`), such as a hook, has the events of the pass alone.
        """
        further, mark = divmod(mark, AGAIN)
        site, what = divmod(mark, MARKS)
        running = self.running
        if what == ENTERED:
            if self.sites[site][1].startswith(FUNCTION):
                running.append(Call(site, -1 if passing else 0))
                self.moved = True
            else:
                running.append(Loop(site))
            return None
        if not any(place.site == site for place in running):
            return None
        # Calls and loops of another thread that have not ended are after it.
        while running[-1].site != site:
            running.pop()
        self.moved = True
        if what == ROUND:
            loop = running[-1]
            assert isinstance(loop, Loop)
            loop.round += 1 + further
            return None
        over = running.pop()
        return over if over.number > 0 else None

    def news(self, seq: int) -> list[ev.Event]:
        """Return the events of calls and rounds that have none yet."""
        self.moved = False
        self.repeat = [place.round for place in self.running if isinstance(place, Loop)]
        found: list[ev.Event] = []
        outer = None
        for place in self.running:
            line, head = self.sites[place.site]
            if isinstance(place, Call):
                if not place.number:
                    self.calls += 1
                    place.number = self.calls
                    self.times[place.site] += 1
                    found.append(
                        ev.FunctionEntered(
                            seq=seq + len(found),
                            line=line,
                            call=place.number,
                            name=head.removeprefix(FUNCTION),
                            times=self.times[place.site],
                        )
                    )
                continue
            if not place.round:
                continue
            if place.shown != place.round:
                place.shown = place.round
                if not place.number:
                    self.count += 1
                    place.number = self.count
                found.append(
                    ev.RoundStarted(
                        seq=seq + len(found), line=line, loop=place.number, outer=outer, round=place.round, text=head
                    )
                )
            outer = place.number
        return found
