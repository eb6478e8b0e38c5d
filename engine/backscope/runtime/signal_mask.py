"""Signals that wait: no handler of the program runs, or raises, between two halves of what belongs together."""

from __future__ import annotations

import signal
from importlib import import_module
from typing import Any

from backscope.runtime.given import Value

_BLOCK, _SET = getattr(signal, "SIG_BLOCK", 0), getattr(signal, "SIG_SETMASK", 0)
_AT_ONCE = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS", "SIGTRAP", "SIGKILL", "SIGSTOP", "SIGXCPU")
_WAITING = signal.valid_signals() - {getattr(signal, name, None) for name in _AT_ONCE}
# Windows has no mask; handlers run there for Ctrl+C and for what a program raises itself. Not that of `signal`, which
# makes enumerations of all numbers, and whose names a program may replace.
_mask: Any = import_module("_signal").pthread_sigmask if hasattr(signal, "pthread_sigmask") else None


# Any: the signal mask as the system call returns it, or None.
def postpone() -> Any:
    """Block the thread's signals; return the state that `resume` takes.

    Raises: what the handler of a signal raises that came before; nothing waits then.
    """
    if _mask is None:
        return None
    before = _mask(_BLOCK, ())
    try:
        _mask(_BLOCK, _WAITING)
    except BaseException:
        _mask(_SET, before)
        raise
    return before


def resume(before: Value) -> None:
    """Handle the signals that came meanwhile, and raise what their handlers raise."""
    if _mask is not None:
        _mask(_SET, before)
