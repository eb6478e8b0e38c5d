"""The functions of torch.distributed, torch.multiprocessing and torch.cpu, for a program that is one process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NoReturn

from backscope.runtime.given import Device, Value


def never_available() -> bool:
    """Return False: a program has one process."""
    return False


class ProcessGroup:
    """The class of a group of processes; a program has none."""


def reject_without_group(*args: Value, **kwargs: object) -> NoReturn:
    """Raise PyTorch's error for a program without a group of processes."""
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def reject_other_processes(*args: Value, **kwargs: object) -> NoReturn:
    """Raise the error for starting other processes."""
    raise RuntimeError(
        "Backscope runs a program in one process and lacks torch.distributed and torch.multiprocessing. "
        "What comes nearest: calling the function for rank 0 and world size 1."
    )


def do_nothing(*args: Value, **kwargs: object) -> None:
    """Do nothing: the call has no effect in one process."""


class Stream:
    """The only stream of a CPU, in which work is done at once."""

    def __init__(self, priority: int = -1) -> None:
        pass


def current_stream(device: Device = None) -> Stream:
    """Return the current stream, which is the only one."""
    return Stream()


@contextlib.contextmanager
def stream(stream: object) -> Iterator[None]:
    """Enter a stream, which changes nothing: a CPU has one."""
    yield


def always_available() -> bool:
    """Return True: a CPU is always available."""
    return True


def cpu_device_count() -> int:
    """Return the number of CPU devices, which is 1."""
    return 1


def current_device_name() -> str:
    """Return the name of the CPU device."""
    return "cpu"
