"""Protects the breakpoints that a page and an editor share: each side keeps its own, and both have room together."""

from __future__ import annotations

from backscope.protocol.commands import MOST_BREAKPOINTS, LineBreakpoint, SetBreakpoints
from backscope_server.session.shared_breakpoints import SharedBreakpoints


def lines(count, first=1, removed=()):
    return SetBreakpoints(
        id=0, breakpoints=[LineBreakpoint(id=first + k, line=1 + k) for k in range(count)], removed=list(removed)
    )


def test_both_sides_have_so_many_together():
    shared = SharedBreakpoints()
    shared.from_page(lines(MOST_BREAKPOINTS - 2))
    assert shared.fits(lines(2, first=5000), of_page=False)
    assert not shared.fits(lines(3, first=5000), of_page=False)
    shared.from_other(lines(2, first=5000))
    assert not shared.fits(lines(MOST_BREAKPOINTS - 1), of_page=True)
    assert shared.fits(lines(MOST_BREAKPOINTS - 1, removed=[5000]), of_page=True)


def test_what_does_not_fit_is_not_taken():
    shared = SharedBreakpoints()
    shared.from_page(lines(1))
    assert not shared.fits(lines(MOST_BREAKPOINTS, first=5000), of_page=False)
    both, gone = shared.from_page(lines(2))
    assert (len(both.breakpoints), gone) == (2, set())
