"""Protects the breakpoints that pages, terminals and editors share: each keeps its own, and all have room together."""

from __future__ import annotations

from backscope.protocol.commands import (
    MOST_BREAKPOINTS,
    BreakpointsSet,
    LineBreakpoint,
    SetBreakpoints,
    UnusableBreakpoint,
)
from backscope_server.session.shared_breakpoints import SharedBreakpoints


def lines(count, first=1, removed=()):
    return SetBreakpoints(
        id=0, breakpoints=[LineBreakpoint(id=first + k, line=1 + k) for k in range(count)], removed=list(removed)
    )


def numbers(command):
    return {one.id for one in command.breakpoints}


def test_all_have_so_many_together():
    shared = SharedBreakpoints()
    shared.from_page(lines(MOST_BREAKPOINTS - 2))
    assert shared.fits(lines(2, first=5000), "editor")
    assert not shared.fits(lines(3, first=5000), "editor")
    shared.from_other("editor", lines(2, first=5000))
    assert shared.fits(lines(2, first=6000), "editor"), "in place of its own"
    assert not shared.fits(lines(1, first=6000), "another")
    assert not shared.fits(lines(MOST_BREAKPOINTS - 1), None)
    assert shared.fits(lines(MOST_BREAKPOINTS - 1, removed=[5000]), None)


def test_what_does_not_fit_is_not_taken():
    shared = SharedBreakpoints()
    shared.from_page(lines(1))
    assert not shared.fits(lines(MOST_BREAKPOINTS, first=5000), "editor")
    both, gone = shared.from_page(lines(2))
    assert (len(both.breakpoints), gone) == (2, set())


def test_editors_keep_their_own_until_they_leave():
    shared = SharedBreakpoints()
    shared.from_page(lines(1))
    shared.from_other("one", lines(1, first=1001))
    assert numbers(shared.from_other("two", lines(2, first=2001))) == {1, 1001, 2001, 2002}
    assert numbers(shared.from_other("one", lines(1, first=1002))) == {1, 1002, 2001, 2002}
    assert shared.has("two")
    assert numbers(shared.from_other("two", lines(0))) == {1, 1002}
    assert not shared.has("two")
    assert shared.has_others


def test_a_page_removes_those_of_any_editor():
    shared = SharedBreakpoints()
    shared.from_other("one", lines(2, first=1001))
    shared.from_other("two", lines(1, first=2001))
    found, gone = shared.from_page(lines(1, removed=[1002, 2001, 3001]))
    assert (numbers(found), gone) == ({1, 1001}, {1002, 2001})
    assert not shared.has("two")


def test_each_editor_learns_why_its_own_cannot_be_set():
    shared = SharedBreakpoints()
    shared.from_other("one", lines(1, first=1001))
    shared.from_other("two", lines(1, first=2001))
    answer = BreakpointsSet(
        id=0, places=[], unusable=[UnusableBreakpoint(id=number, reason="no") for number in (1, 1001, 2001)]
    )
    assert [one.id for one in shared.for_other("one", answer).unusable] == [1001]
    assert [one.id for one in shared.notice(answer).terminal] == []
