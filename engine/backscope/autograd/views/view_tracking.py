"""The switch for view replay: views then keep the ops that made them, which run again when the base changes."""

from __future__ import annotations

from typing import Any

from backscope.autograd.modes.decorator import _DecoratorContextManager
from backscope.autograd.modes.grad_mode import mode


def is_view_replay_enabled() -> bool:
    """Return True while views keep the ops that made them."""
    return mode.view_replay


class _force_original_view_tracking(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Sets whether views keep the ops that made them, at once; as a context manager it is restored at the end."""

    def __init__(self, mode: bool) -> None:
        self.prev = is_view_replay_enabled()
        self.mode = mode
        _set(mode)

    def __call__(self, function: Any) -> Any:
        _set(self.prev)
        return super().__call__(function)

    def __enter__(self) -> None:
        """Do nothing: the switch was set when the context was made."""

    def __exit__(self, *exc: object) -> None:
        _set(self.prev)

    def clone(self) -> _force_original_view_tracking:
        """Return a context with the same setting, for one call of a decorated function."""
        return _force_original_view_tracking(self.mode)


def _set(value: bool) -> None:
    mode.view_replay = value


_force_original_view_tracking.__module__ = "torch.autograd.grad_mode"
