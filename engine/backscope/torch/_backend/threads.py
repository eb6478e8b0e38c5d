"""The numbers of threads that a program reads and sets; they have no effect, as numpy decides."""

from __future__ import annotations

from backscope.runtime.process import process_wide

_threads = process_wide({"intra": 1, "inter": 1})


def get_num_threads() -> int:
    """Threads within one op."""
    return _threads["intra"]


def set_num_threads(number: int) -> None:
    """Store the number of threads within one op."""
    if number <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads["intra"] = number


def get_num_interop_threads() -> int:
    """Threads between ops."""
    return _threads["inter"]


def set_num_interop_threads(number: int) -> None:
    """Store the number of threads between ops."""
    if number <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    _threads["inter"] = number
