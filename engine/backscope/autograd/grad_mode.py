"""Whether ops are recorded on the tape: no_grad, enable_grad, set_grad_enabled."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class _Mode(threading.local):
    """Each thread has its own grad mode, as in PyTorch."""

    enabled = True


mode = _Mode()


def is_grad_enabled() -> bool:
    """True where ops on tracked tensors are recorded."""
    return mode.enabled


class _GradContext:
    """A context manager that is a decorator too, for functions and generators; `value` is the mode inside."""

    value: bool

    def __init__(self) -> None:
        self.previous: list[bool] = []

    def __enter__(self) -> None:
        self.previous.append(mode.enabled)
        mode.enabled = self.value

    def __exit__(self, *exc: object) -> None:
        mode.enabled = self.previous.pop()

    def clone(self) -> _GradContext:
        """A fresh context of the same kind, so that a decorated function may recurse."""
        return self.__class__()

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)  # type: ignore[return-value]

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]

    def _wrap_generator(
        self, function: Callable[..., Generator[Any, Any, Any]]
    ) -> Callable[..., Generator[Any, Any, Any]]:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            generator = function(*args, **kwargs)
            sent: Any = None
            while True:
                try:
                    with self.clone():
                        item = generator.send(sent)
                except StopIteration as stop:
                    return stop.value
                sent = yield item

        return inside


class _Decorating(type):
    """Lets `@torch.no_grad` stand without parentheses."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and callable(args[0]):
            return super().__call__()(args[0])
        return super().__call__(*args, **kwargs)


class no_grad(_GradContext, metaclass=_Decorating):  # noqa: N801 - PyTorch's own name
    """Ops inside are not recorded."""

    value = False


class enable_grad(_GradContext, metaclass=_Decorating):  # noqa: N801 - PyTorch's own name
    """Ops inside are recorded, also within no_grad."""

    value = True


class set_grad_enabled(_GradContext):  # noqa: N801 - PyTorch's own name
    """Sets the grad mode at once; as a context manager it is restored at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.value = bool(mode)
        self.before = is_grad_enabled()
        _set(self.value)

    def __enter__(self) -> None:
        self.previous.append(self.before)
        _set(self.value)

    def clone(self) -> _GradContext:
        """The same context for one call of a decorated function."""
        return set_grad_enabled(self.value)

    def __call__(self, function: F) -> F:
        _set(self.before)
        return super().__call__(function)


def _set(value: bool) -> None:
    mode.enabled = value
