"""The names of `torch.autograd.profiler_util`."""

from backscope.torch._backend.profile_events import (
    FunctionEvent,
    FunctionEventAvg,
    format_memory as _format_memory,
    format_time as _format_time,
    format_time_share as _format_time_share,
)
from backscope.torch._backend.profiling import EventList

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "_format_memory", "_format_time", "_format_time_share"]
