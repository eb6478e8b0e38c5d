"""torch.distributed and torch.multiprocessing where a program is one process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from backscope.runtime.given import Device, Value


def is_not_available() -> bool:
    """Return False: there is one process."""
    return False


class ProcessGroup:
    """A group of processes, of which there is none."""


def no_group(*args: Value, **kwargs: Any) -> Any:
    """Raise PyTorch's error for a program without a group of processes."""
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def one_process(*args: Value, **kwargs: Any) -> Any:
    """Raise the error for starting other processes."""
    raise RuntimeError(
        "Backscope runs a program in one process and lacks torch.distributed and torch.multiprocessing. "
        "What comes nearest: calling the function for rank 0 and world size 1."
    )


def nothing(*args: Value, **kwargs: Any) -> None:
    """Do nothing: the call has no effect in one process."""


class Stream:
    """The one stream of a CPU: work is done at once."""

    def __init__(self, priority: int = -1) -> None:
        pass


def no_stream(device: Device = None) -> Stream:
    """The stream of work that is current: the only one."""
    return Stream()


@contextlib.contextmanager
def stream(stream: Any) -> Iterator[None]:
    """Enter a stream, which changes nothing: a CPU has one."""
    yield


def is_always() -> bool:
    """Return True: there is always a CPU."""
    return True


def one() -> int:
    """Return the number of CPU devices, which is 1."""
    return 1


def current_device_name() -> str:
    """Return the name of the CPU device."""
    return "cpu"
