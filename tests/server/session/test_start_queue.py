"""Protects the line: first come, first served, but an address with many in line holds nobody else up."""

from __future__ import annotations

import random

from backscope_server.session.start_queue import StartQueue

NONE: dict[str, int] = {}


def line_of(*joining: tuple[str, str], most: int | None = None) -> StartQueue[str]:
    line: StartQueue[str] = StartQueue(most)
    for name, address in joining:
        line.join(name, address)
    return line


def test_one_each_is_first_come_first_served():
    line = line_of(("a", "1"), ("b", "2"), ("c", "3"))
    assert list(line.order(NONE)) == ["a", "b", "c"]
    assert [line.next(NONE) for _ in range(3)] == ["a", "b", "c"]
    assert len(line) == 0


def test_an_address_with_many_takes_turns_with_the_others():
    line = line_of(("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("c1", "c"), ("b2", "b"))
    assert list(line.order(NONE)) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_who_comes_later_joins_the_round_that_is_served():
    line = line_of(("a1", "a"), ("a2", "a"), ("a3", "a"))
    assert line.next(NONE) == "a1"
    assert line.next(NONE) == "a2"
    line.join("b1", "b")
    assert list(line.order(NONE)) == ["b1", "a3"] or list(line.order(NONE)) == ["a3", "b1"]
    line.join("a4", "a")
    assert list(line.order(NONE))[-1] == "a4"


def test_leaving_closes_the_gap_and_is_possible_twice():
    line = line_of(("a", "1"), ("b", "2"), ("c", "3"))
    line.leave("b")
    line.leave("b")
    assert list(line.order(NONE)) == ["a", "c"]


def test_nobody_waits_for_ever_and_nothing_is_left_behind():
    chance = random.Random(5)
    line: StartQueue[str] = StartQueue()
    line.join("patient", "z")
    served: list[str] = []
    for turn in range(400):
        for _ in range(chance.randint(0, 2)):
            line.join(f"{turn}", f"address {chance.randint(0, 9)}")
        if (first := line.next(NONE)) is not None:
            served.append(first)
    assert "patient" in served[:10]
    while len(line):
        line.next(NONE)
    assert not line._last
    assert not line._addresses


def test_nobody_is_next_in_an_empty_line():
    assert line_of().next(NONE) is None


def test_an_address_that_has_its_places_waits_behind_all_others():
    line = line_of(("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"), ("c1", "c"), most=2)
    assert list(line.order({"a": 2, "b": 1})) == ["b1", "c1", "a1", "a2", "b2"]
    assert [line.next({"a": 2, "b": 1}) for _ in range(2)] == ["b1", "c1"]
    assert list(line.order({"a": 2, "b": 2})) == ["a1", "a2", "b2"]
    assert line.next({"a": 2, "b": 2}) is None
    line.join("d1", "d")
    assert list(line.order({"a": 1, "b": 2})) == ["a1", "d1", "a2", "b2"]
    assert line.next({"a": 1, "b": 2}) == "a1"
    assert line.of("a") == 1


def test_who_was_passed_over_comes_before_those_who_joined_later():
    line = line_of(("a1", "a"), ("b1", "b"), ("b2", "b"), most=1)
    assert [line.next({"a": 1}) for _ in "12"] == ["b1", "b2"]
    line.join("c1", "c")
    assert list(line.order(NONE)) == ["a1", "c1"]
