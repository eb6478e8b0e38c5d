"""Which functions of the program and which rounds of its loops it is in, from marks that it leaves among moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from backscope.protocol import events as ev

MARKS = 3
ENTERED, ROUND, LEFT = range(MARKS)
"""What a mark says of loop or function number k: the mark is MARKS * k + one of these."""

AGAIN = 1 << 40
"""Added to the mark of a round for each further one that came right after it."""

FUNCTION = "def "
"""What the head of a site begins with that is a function; its name follows."""


class Loop:
    """A run of a loop; `number` is 0 and `told` less than `round` as long as that was not told."""

    __slots__ = ("number", "round", "site", "told")

    def __init__(self, site: int) -> None:
        self.site = site
        self.number = 0
        self.round = 0
        self.told = 0


class Call:
    """A call of a function; `number` is 0 as long as it was not told, -1 where it never is."""

    __slots__ = ("number", "site")

    def __init__(self, site: int, number: int) -> None:
        self.site = site
        self.number = number


class Loops:
    """`sites` are line and head of each loop and function in the program's text; `repeat` the rounds under way.

    What runs and what is told of stands outermost first.
    """

    def __init__(self) -> None:
        self.sites: Sequence[tuple[int, str]] = ()
        self.running: list[Loop | Call] = []
        self.repeat: list[int] = []
        self.count = 0
        self.calls = 0
        self.times: Counter[int] = Counter()
        """How many calls of each function were told of, by its site."""
        self.moved = False

    def mark(self, mark: int, *, passing: bool) -> Loop | Call | None:
        """Take in a mark; the loop or function that is over, where it is one that was told of.

        What is called while a backward pass is under way, `passing`, such as a hook, is told by the pass.
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
        # What another thread left open lies above.
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
        """Calls and rounds that were not told of yet."""
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
            if place.told != place.round:
                place.told = place.round
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
