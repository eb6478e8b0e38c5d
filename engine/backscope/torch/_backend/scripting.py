"""torch.jit: functions and modules are returned unchanged, as programs run op by op here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.runtime.given import Tree, Value


def script(obj: Value, *args: Any, **kwargs: Any) -> Any:
    """The function, module or class itself."""
    return obj


def trace(func: Callable[..., Any], example_inputs: Tree = None, *args: Any, **kwargs: Any) -> Any:
    """The function or module itself, run once on the example as PyTorch does to trace it."""
    if example_inputs is not None:
        func(*(example_inputs if isinstance(example_inputs, (tuple, list)) else (example_inputs,)))
    return func


def unchanged(fn: Callable[..., Any] | None = None, *args: Any, **kwargs: Any) -> Any:
    """Return a function unchanged; without one, return the decorator itself."""
    return fn if callable(fn) else lambda function: function


def never() -> bool:
    """False: nothing is ever scripted or traced."""
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value."""
    return the_value


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call the function at once and return its result."""
    return func(*args, **kwargs)


def wait(future: Any) -> Any:
    """Return the result of fork()."""
    return future


def no_archive(*args: Any, **kwargs: Any) -> Any:
    """The error for archives of scripted code."""
    raise RuntimeError(
        "Backscope has no TorchScript archives: torch.jit.script and torch.jit.trace give back what they were given. "
        "What comes nearest: torch.save(model.state_dict(), ...) and torch.load."
    )
