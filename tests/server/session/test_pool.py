"""Protects the bounds of a server: programs at once, and what it remembers of those that are over."""

from __future__ import annotations

import pytest

from backscope_server.session.pool import Pool, PoolFull
from backscope_server.session.program import Program
from backscope_server.session.session import Session


def recorded(size: int = 100) -> Session:
    return Session.recorded([b"x" * size], "ok")


def pool(**bounds: int) -> Pool:
    return Pool(None, None, **{"running": 2, "kept": 3, "kept_bytes": 10_000, **bounds})  # type: ignore[arg-type]


def test_the_oldest_finished_sessions_are_forgotten_by_number():
    kept = pool()
    sessions = [recorded() for _ in range(5)]
    for session in sessions:
        kept.add(session)
    assert [kept.find(session.id) is not None for session in sessions] == [False, False, True, True, True]


def test_and_by_size_but_never_the_newest():
    kept = pool(kept_bytes=1000)
    sessions = [recorded(300), recorded(300), recorded(5000)]
    for session in sessions:
        kept.add(session)
    assert [kept.find(session.id) is not None for session in sessions] == [False, False, True]


def test_a_running_session_is_never_forgotten():
    kept = pool(kept=1)
    running = Session()
    kept.add(running)
    kept.add(recorded())
    kept.add(recorded())
    assert kept.find(running.id) is running


def test_so_many_programs_run_at_once():
    full = pool()
    full.add(Session())
    full.add(Session())
    with pytest.raises(PoolFull, match="2 programs are running"):
        full.start(Program(source=""))


def test_ids_cannot_be_guessed():
    assert len({recorded().id for _ in range(100)}) == 100
    assert len(recorded().id) >= 16
