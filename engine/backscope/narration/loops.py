"""Which rounds of which loops the program is in, from the marks that it leaves among the moments."""

from __future__ import annotations

from collections.abc import Sequence

from backscope import events as ev

MARKS = 3
ENTERED, ROUND, LEFT = range(MARKS)
"""What a mark says of loop number k: the mark is MARKS * k + one of these."""

AGAIN = 1 << 40
"""Added to the mark of a round for each further one that came right after it."""


class _Loop:
    __slots__ = ("number", "round", "site", "told")

    def __init__(self, site: int) -> None:
        self.site = site
        self.number = 0
        self.round = 0
        self.told = 0


class Loops:
    """`sites` are line and head of each loop in the program's text; `repeat` the rounds under way, outermost first."""

    def __init__(self) -> None:
        self.sites: Sequence[tuple[int, str]] = ()
        self.running: list[_Loop] = []
        self.repeat: list[int] = []
        self.count = 0
        self.moved = False

    def mark(self, mark: int) -> _Loop | None:
        """Take in a mark; the loop that is over, where it is one that was told of."""
        further, mark = divmod(mark, AGAIN)
        site, what = divmod(mark, MARKS)
        running = self.running
        if what == ENTERED:
            running.append(_Loop(site))
            return None
        if not any(loop.site == site for loop in running):
            return None
        # What another thread left open lies above.
        while running[-1].site != site:
            running.pop()
        self.moved = True
        if what == ROUND:
            running[-1].round += 1 + further
            return None
        over = running.pop()
        return over if over.told else None

    def news(self, seq: int) -> list[ev.Event]:
        """Rounds that were not told of yet."""
        self.moved = False
        self.repeat = [loop.round for loop in self.running]
        found: list[ev.Event] = []
        outer = None
        for loop in self.running:
            if not loop.round:
                continue
            if loop.told != loop.round:
                loop.told = loop.round
                if not loop.number:
                    self.count += 1
                    loop.number = self.count
                line, head = self.sites[loop.site]
                found.append(
                    ev.RoundStarted(
                        seq=seq + len(found), line=line, loop=loop.number, outer=outer, round=loop.round, text=head
                    )
                )
            outer = loop.number
        return found
