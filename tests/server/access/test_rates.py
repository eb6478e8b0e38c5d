"""Protects the counting: so many in a time and no more, each key by itself, in memory that does not grow."""

from __future__ import annotations

import pytest

from backscope_server.access.rates import Count, Rate


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_so_many_in_a_time_and_then_one_by_one():
    time = Time()
    rate = Rate(10, 60, time)
    assert [rate.take("a") for _ in range(10)] == [0.0] * 10
    wait = rate.take("a")
    assert wait == pytest.approx(6)
    assert rate.take("b") == 0
    time.now += wait
    assert rate.take("a") == 0
    assert rate.take("a") > 0


def test_what_was_refused_costs_nothing():
    time = Time()
    rate = Rate(1, 60, time)
    rate.take()
    assert [rate.take() for _ in range(5)] == [pytest.approx(60)] * 5
    time.now += 60
    assert rate.take() == 0


def test_the_whole_account_can_be_taken_at_once_and_more_never():
    rate = Rate(1000, 1, Time())
    assert rate.take("a", 1000) == 0
    assert rate.take("b", 1001) > 0


def test_many_keys_are_forgotten_once_they_have_all_again_and_bounded_in_any_case():
    time = Time()
    rate = Rate(1, 60, time)
    rate.take("busy")
    for key in range(100_000):
        rate.take(str(key))
    assert len(rate._paid_up) <= 20_000
    time.now += 61
    for key in range(20_000):
        rate.take(f"later {key}")
    assert not any(key.isdigit() for key in rate._paid_up)


def test_so_many_at_once():
    count = Count(2)
    assert [count.enter("a"), count.enter("a"), count.enter("a"), count.enter("b")] == [True, True, False, True]
    count.leave("a")
    assert count.enter("a")


def test_counting_leaves_nothing_behind():
    count = Count(1)
    for key in range(100):
        assert count.enter(str(key))
        assert not count.enter(str(key))
        count.leave(str(key))
    assert not count._open
