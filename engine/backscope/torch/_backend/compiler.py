"""torch.compile: returns functions unchanged, as programs run op by op here, so that every step can be shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def compile(model: Callable[..., Any] | None = None, **options: Any) -> Any:  # noqa: A001 - PyTorch's own name
    """The function or module itself, to be run op by op; a decorator where none is given."""
    return (lambda function: function) if model is None else model


def is_compiling() -> bool:
    """False: nothing is ever compiled."""
    return False


def disable(fn: Callable[..., Any] | None = None, recursive: bool = True, **options: Any) -> Any:
    """The function itself; a decorator where none is given."""
    return (lambda function: function) if fn is None else fn


def reset() -> None:
    """Do nothing: nothing is compiled."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """No compilers."""
    return []
