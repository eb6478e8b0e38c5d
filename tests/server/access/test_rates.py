"""Protects the rate limits: at most so many in a time, each key by itself, in bounded memory."""

from __future__ import annotations

import pytest

from backscope_server.access.rates import Count, Rate


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_full_amount_at_once_then_one_by_one():
    time = Time()
    rate = Rate(10, 60, time)
    assert [rate.take("a") for _ in range(10)] == [0.0] * 10
    wait = rate.take("a")
    assert wait == pytest.approx(6)
    assert rate.take("b") == 0
    time.now += wait
    assert rate.take("a") == 0
    assert rate.take("a") > 0


def test_a_refused_request_costs_nothing():
    time = Time()
    rate = Rate(1, 60, time)
    rate.take()
    assert [rate.take() for _ in range(5)] == [pytest.approx(60)] * 5
    time.now += 60
    assert rate.take() == 0


def test_the_whole_amount_can_be_taken_at_once_and_no_more():
    rate = Rate(1000, 1, Time())
    assert rate.take("a", 1000) == 0
    assert rate.take("b", 1001) > 0


def test_keys_are_removed_once_their_amount_is_full_and_are_bounded():
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


def test_counts_bound_what_is_open_at_once():
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
