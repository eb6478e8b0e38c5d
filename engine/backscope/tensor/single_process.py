"""torch.distributed and torch.multiprocessing where a program is one process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from backscope.runtime.given import Device, Value


def is_not_available() -> bool:
    """False: there is one process."""
    return False


class ProcessGroup:
    """A group of processes, of which there is none."""


def no_group(*args: Value, **kwargs: Any) -> Any:
    """PyTorch's error where no group of processes was made."""
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def one_process(*args: Value, **kwargs: Any) -> Any:
    """The error for starting other processes."""
    raise RuntimeError(
        "Backscope runs a program in one process and lacks torch.distributed and torch.multiprocessing. "
        "What comes nearest: calling the function for rank 0 and world size 1."
    )


def nothing(*args: Value, **kwargs: Any) -> None:
    """What is accepted and has no effect in one process."""


class Stream:
    """The one stream of a CPU: work is done at once."""

    def __init__(self, priority: int = -1) -> None:
        pass


def no_stream(device: Device = None) -> Stream:
    """The stream of work that is current: the only one."""
    return Stream()


@contextlib.contextmanager
def stream(stream: Any) -> Iterator[None]:
    """Inside, work is done as everywhere."""
    yield


def is_always() -> bool:
    """True: there is always a CPU."""
    return True


def one() -> int:
    """How many CPUs there are to choose from."""
    return 1


def current_device_name() -> str:
    """The CPU's name."""
    return "cpu"
