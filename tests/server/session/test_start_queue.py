"""Protects the queue: programs start in the order of their arrival, but one address with many does not delay others."""

from __future__ import annotations

import random

from backscope_server.session.start_queue import StartQueue

NONE: dict[str, int] = {}


def queue_of(*joining: tuple[str, str], most: int | None = None) -> StartQueue[str]:
    queue: StartQueue[str] = StartQueue(most)
    for name, address in joining:
        queue.join(name, address)
    return queue


def test_one_program_of_each_address_starts_in_order_of_arrival():
    queue = queue_of(("a", "1"), ("b", "2"), ("c", "3"))
    assert list(queue.order(NONE)) == ["a", "b", "c"]
    assert [queue.next(NONE) for _ in range(3)] == ["a", "b", "c"]
    assert len(queue) == 0


def test_an_address_with_many_takes_turns_with_the_others():
    queue = queue_of(("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("c1", "c"), ("b2", "b"))
    assert list(queue.order(NONE)) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_a_later_arrival_joins_the_round_that_is_served():
    queue = queue_of(("a1", "a"), ("a2", "a"), ("a3", "a"))
    assert queue.next(NONE) == "a1"
    assert queue.next(NONE) == "a2"
    queue.join("b1", "b")
    assert list(queue.order(NONE)) == ["b1", "a3"] or list(queue.order(NONE)) == ["a3", "b1"]
    queue.join("a4", "a")
    assert list(queue.order(NONE))[-1] == "a4"


def test_leaving_closes_the_gap_and_is_possible_twice():
    queue = queue_of(("a", "1"), ("b", "2"), ("c", "3"))
    queue.leave("b")
    queue.leave("b")
    assert list(queue.order(NONE)) == ["a", "c"]


def test_every_program_starts_and_nothing_is_left_behind():
    chance = random.Random(5)
    queue: StartQueue[str] = StartQueue()
    queue.join("patient", "z")
    served: list[str] = []
    for turn in range(400):
        for _ in range(chance.randint(0, 2)):
            queue.join(f"{turn}", f"address {chance.randint(0, 9)}")
        if (first := queue.next(NONE)) is not None:
            served.append(first)
    assert "patient" in served[:10]
    while len(queue):
        queue.next(NONE)
    assert not queue._last
    assert not queue._addresses


def test_an_empty_queue_has_no_next_program():
    assert queue_of().next(NONE) is None


def test_an_address_that_has_its_places_waits_behind_all_others():
    queue = queue_of(("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"), ("c1", "c"), most=2)
    assert list(queue.order({"a": 2, "b": 1})) == ["b1", "c1", "a1", "a2", "b2"]
    assert [queue.next({"a": 2, "b": 1}) for _ in range(2)] == ["b1", "c1"]
    assert list(queue.order({"a": 2, "b": 2})) == ["a1", "a2", "b2"]
    assert queue.next({"a": 2, "b": 2}) is None
    queue.join("d1", "d")
    assert list(queue.order({"a": 1, "b": 2})) == ["a1", "d1", "a2", "b2"]
    assert queue.next({"a": 1, "b": 2}) == "a1"
    assert queue.count_of("a") == 1


def test_a_program_that_was_passed_over_comes_before_later_ones():
    queue = queue_of(("a1", "a"), ("b1", "b"), ("b2", "b"), most=1)
    assert [queue.next({"a": 1}) for _ in "12"] == ["b1", "b2"]
    queue.join("c1", "c")
    assert list(queue.order(NONE)) == ["a1", "c1"]
