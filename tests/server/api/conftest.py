"""Has the tests of the API run on both implementations of sessions: the pool of one process, and a fleet."""

from __future__ import annotations

import pytest

EMBEDDED_ONLY = {
    "test_a_start_that_is_sent_again_starts_the_program_once": "the pool has the keys; fleet/test_fleet.py has its own",
    "test_a_process_of_the_past_counts_like_a_program": "it takes the run out of the pool, for the disk",
    "test_metrics_count_what_ends_programs_that_leave_their_bounds": "workers count what happens there",
    "test_a_page_that_comes_back_in_time_keeps_its_run": "the clock that it looks at is the worker's in a fleet",
}
"""The tests for which a fleet is no substitute, by their names, each with the reason."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that has a server on both implementations, but for those that are listed."""
    if "implementation" in metafunc.fixturenames:
        both = ["embedded"] if metafunc.function.__name__ in EMBEDDED_ONLY else ["embedded", "fleet"]
        metafunc.parametrize("implementation", both, indirect=True, scope="session")


def test_what_is_said_to_be_for_one_process_exists(request: pytest.FixtureRequest) -> None:
    folder = request.path.parent
    texts = "\n".join(path.read_text("utf-8") for path in folder.glob("test_*.py"))
    assert [name for name in EMBEDDED_ONLY if f"def {name}(" not in texts] == []
