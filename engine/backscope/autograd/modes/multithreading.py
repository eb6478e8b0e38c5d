"""set_multithreading_enabled: backward passes never use several threads here, but programs turn them off."""

from __future__ import annotations

from backscope.autograd.modes.decorator import F, _DecoratorContextManager
from backscope.autograd.modes.grad_mode import mode


def is_multithreading_enabled() -> bool:
    """Return the value that was last given to set_multithreading_enabled."""
    return mode.multithreading


class set_multithreading_enabled(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Sets whether backward passes may use several threads, at once; as a context manager it is restored at the end."""

    def __init__(self, mode: bool) -> None:
        self.before = is_multithreading_enabled()
        self.value = mode
        _set(mode)

    def __call__(self, function: F) -> F:
        _set(self.before)
        return super().__call__(function)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _set(self.before)

    def clone(self) -> set_multithreading_enabled:
        """Return a context like this one, for one call of a decorated function."""
        return set_multithreading_enabled(self.value)


def _set(value: bool) -> None:
    mode.multithreading = value


set_multithreading_enabled.__module__ = "torch.autograd.grad_mode"
