"""Events of a profile that a program makes itself: their nesting and their averages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def format_time(microseconds: float) -> str:
    """A time with three decimals in seconds, milliseconds or microseconds."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


def format_time_share(microseconds: float, total: float) -> str:
    """The share of a time in a total, as a percentage; NaN where both are 0."""
    if total == 0:
        if microseconds != 0:
            raise AssertionError(f"Expected time_us == 0 but got {microseconds}")
        return "NaN"
    return f"{100 * microseconds / total:.2f}%"


def format_memory(count: int) -> str:
    """A number of bytes with two decimals in the largest unit that it fills."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if abs(count) >= 1024**power:
            return f"{count / 1024**power:.2f} {unit}"
    return f"{count} B"


class FunctionEvent:
    """One call of an op on a thread, from `start_us` to `end_us`."""

    def __init__(
        self,
        id: Any,  # noqa: A002 - PyTorch's own name
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: Any = None,
        stack: Any = None,
        scope: int = 0,
        use_device: str | None = None,
        node_id: int = -1,
        sequence_nr: int = -1,
        **measured: Any,
    ) -> None:
        self.id = id
        self.node_id = node_id
        self.name = name
        self.overload_name = overload_name
        self.thread = thread
        self.start_us = start_us
        self.end_us = end_us
        self.fwd_thread = fwd_thread
        self.input_shapes = input_shapes
        self.stack = stack
        self.scope = scope
        self.use_device = use_device
        self.sequence_nr = sequence_nr
        self.measured = measured
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.device_time_total = 0

    @property
    def key(self) -> str:
        """The key of the averages that it counts for."""
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """The time from its start to its end."""
        return self.end_us - self.start_us

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self) -> float:
        """The time that none of its children took."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Add an event within this one."""
        self.cpu_children.append(child)
        child.cpu_parent = self


class FunctionEventAvg:
    """The sums and averages of the events of one name."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total: float = 0
        self.self_cpu_time_total: float = 0
        self.device_time_total: float = 0

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Count an event, or another sum, in; AssertionError for another name."""
        if self.key is None:
            self.key = other.key
        if self.key != other.key:
            raise AssertionError(f"Expected {self.key} but got {other.key}")
        self.count, self.cpu_time_total, self.self_cpu_time_total, self.device_time_total = (
            self.count + other.count,
            self.cpu_time_total + other.cpu_time_total,
            self.self_cpu_time_total + other.self_cpu_time_total,
            self.device_time_total + other.device_time_total,
        )
        return self

    __iadd__ = add

    @property
    def cpu_time(self) -> float:
        """The mean time of an event."""
        return self.cpu_time_total / self.count if self.count else 0.0


def nest(events: Iterable[FunctionEvent]) -> None:
    """Make each event a child of the innermost one of its thread that it lies in."""
    enclosing: dict[tuple[int, int], list[FunctionEvent]] = {}
    for event in sorted(events, key=lambda e: (e.start_us, -e.end_us)):
        outer = enclosing.setdefault((event.thread, event.node_id), [])
        while outer and (event.start_us >= outer[-1].end_us or event.end_us > outer[-1].end_us):
            outer.pop()
        if outer:
            outer[-1].append_cpu_child(event)
        outer.append(event)


for _public in (FunctionEvent, FunctionEventAvg):
    _public.__module__ = "torch.autograd.profiler_util"
