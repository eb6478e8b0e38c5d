"""Context managers that are decorators too: for functions, generators and, with a warning, classes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from backscope.runtime.given import Value
from backscope.runtime.warning import warn

F = TypeVar("F", bound=Callable[..., Any])

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


class _DecoratorContextManager:
    """A context manager that is a decorator too: each call of the function runs in a copy of it, made by `clone`."""

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        raise NotImplementedError

    def clone(self) -> Any:
        """Return a new context of the same kind, so that a decorated function may call itself."""
        return self.__class__()

    def __call__(self, function: F) -> F:
        clone = self.clone
        if inspect.isclass(function):
            warn(CLASS_DECORATED, FutureWarning)
            made: Any = function

            def construct(*args: Value, **kwargs: Any) -> Any:
                with clone():
                    return made(*args, **kwargs)

            return construct  # type: ignore[return-value]
        if inspect.isgeneratorfunction(function):
            return _around_generator(clone, function)  # type: ignore[return-value]

        @functools.wraps(function)
        def inside(*args: Value, **kwargs: Any) -> Any:
            with clone():
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A context manager that can also be a decorator without parentheses, `@torch.no_grad`."""

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        """Return a context, or the decorated function where one is given."""
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


def _around_generator(
    clone: Callable[[], Any], function: Callable[..., Generator[Any, Any, Any]]
) -> Callable[..., Generator[Any, Any, Any]]:
    """Return a generator function that enters the context while the generator runs and leaves it at each yield."""

    @functools.wraps(function)
    def inside(*args: Value, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(generator.send, None)
        while True:
            try:
                with clone():
                    item = resume()
            except StopIteration as stop:
                return stop.value
            try:
                sent = yield item
            except GeneratorExit:
                with clone():
                    generator.close()
                raise
            except BaseException as error:
                resume = functools.partial(generator.throw, error)
            else:
                resume = functools.partial(generator.send, sent)

    return inside
