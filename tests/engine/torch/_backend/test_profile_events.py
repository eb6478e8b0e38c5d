"""Events of a profile that a program makes itself."""

from __future__ import annotations

import importlib
from typing import Any


def page(torch: Any) -> Any:
    return importlib.import_module(f"{torch.__name__}.autograd.profiler_util")


def test_an_event_lies_in_the_innermost_one_around_it(torch: Any) -> None:
    """Of one thread; one that reaches beyond the one before lies beside it."""
    made = page(torch)
    times = [(0, 0, 9), (0, 1, 4), (0, 2, 3), (0, 3, 6), (1, 1, 2)]
    events = made.EventList(
        [
            made.FunctionEvent(id=n, node_id=0, name="", thread=thread, start_us=start, end_us=end)
            for n, (thread, start, end) in enumerate(times)
        ]
    )
    events._populate_cpu_children()
    assert [[child.id for child in event.cpu_children] for event in events] == [[1, 3], [2], [], [], []]
    assert (events[1].cpu_time_total, events[1].self_cpu_time_total) == (3, 2)


def test_averages(torch: Any) -> None:
    """Sums and means of the events of one name, also of sums."""
    made = page(torch)
    average = made.FunctionEventAvg()
    for start, end in ((0, 4), (10, 16)):
        average.add(made.FunctionEvent(id=0, node_id=0, name="op", thread=0, start_us=start, end_us=end))
    average.add(average)
    assert (average.key, average.count, average.cpu_time_total, average.cpu_time) == ("op", 4, 20, 5.0)
    assert (average.self_cpu_time_total, average.device_time_total) == (20, 0)


def test_how_times_and_sizes_read(torch: Any) -> None:
    """The largest unit that is filled."""
    made = page(torch)
    assert [made._format_time(t) for t in (7, 1500, 2.5e6)] == ["7.000us", "1.500ms", "2.500s"]
    assert [made._format_memory(n) for n in (12, 2048, 3 * 1024**2)] == ["12 B", "2.00 KB", "3.00 MB"]
    assert [made._format_time_share(*p) for p in ((1, 4), (0, 0))] == ["25.00%", "NaN"]


def test_whether_a_profile_is_open(torch: Any) -> None:
    """True inside of the block alone."""
    with torch.autograd.profiler.profile():
        assert torch.autograd._profiler_enabled()
    assert not torch.autograd._profiler_enabled()
