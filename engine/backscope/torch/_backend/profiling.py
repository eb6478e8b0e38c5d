"""torch.profiler as contexts without effect: programs run op by op here, and the page shows what each op did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from enum import Enum
from typing import Any

from backscope.runtime.process import process_wide
from backscope.torch._backend.profile_events import FunctionEvent, nest

NOTE = "Backscope measures no times: the page shows what ran, in which order and with how many bytes."


class ProfilerActivity(Enum):
    """The activities that a profiler can measure."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(Enum):
    """The actions of a profiler in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return the profiler's action for each step: skip, wait, warm up, record, and again."""

    def action(step: int) -> ProfilerAction:
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        length = wait + warmup + active
        if repeat > 0 and step // length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False) -> Any:
    """A handler that writes nothing."""
    return lambda profiler: None


class record_function(ContextDecorator):  # noqa: N801 - PyTorch's own name
    """A named part of a program; nothing is measured."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


class EventList(list[Any]):
    """The events of a profile: only those that a program adds."""

    def _populate_cpu_children(self) -> None:
        """Make each event a child of the innermost one that it lies in."""
        nest([event for event in self if isinstance(event, FunctionEvent)])

    def table(self, *args: Any, **kwargs: Any) -> str:
        """A note that nothing was measured."""
        return NOTE

    def total_average(self) -> Any:
        """An event of no time."""
        return self

    def __str__(self) -> str:
        return NOTE


_open: list[Any] = process_wide([])
"""The profiles that have begun and not ended."""


def has_kineto() -> bool:
    """Return True when Kineto measures; it never does here."""
    return False


def is_profiling() -> bool:
    """Return True when a profile is open."""
    return bool(_open)


class profile(ContextDecorator):  # noqa: N801 - PyTorch's own name
    """Runs its block; its tables contain no measurements."""

    def __init__(self, *args: Any, on_trace_ready: Any = None, **kwargs: Any) -> None:
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.profiler = None

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def start(self) -> None:
        """Begin; nothing is measured."""
        _open.append(self)

    def stop(self) -> None:
        """End the profile and pass it, empty, to on_trace_ready."""
        _open[:] = [p for p in _open if p is not self]
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self) -> None:
        """Count a step."""
        self.step_num += 1

    def events(self) -> EventList:
        """No events."""
        return EventList()

    def key_averages(self, *args: Any, **kwargs: Any) -> EventList:
        """No events."""
        return EventList()

    def table(self, *args: Any, **kwargs: Any) -> str:
        """A note that nothing was measured."""
        return NOTE

    def total_average(self) -> EventList:
        """No events."""
        return EventList()

    def export_chrome_trace(self, path: str) -> None:
        """Do nothing: there is no trace to write."""

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Do nothing: there are no stacks to write."""

    def add_metadata(self, key: str, value: str) -> None:
        """Do nothing: metadata is not stored."""


def emit_nvtx(*args: Any, **kwargs: Any) -> profile:
    """A context without effect."""
    return profile()
