"""The grad mode, which says whether ops are recorded on the tape: no_grad, enable_grad, set_grad_enabled."""

from __future__ import annotations

import threading
from typing import Self

from backscope.autograd.modes.decorator import F, _DecoratorContextManager, _NoParamDecoratorContextManager
from backscope.runtime.given import Value
from backscope.runtime.process import process_wide

silenced: dict[int, bool] = {}
"""The threads in which ops are not recorded.  To check whether it is empty is quicker than to read `mode`."""


replaying: dict[int, bool] = {}
"""The threads in which views keep the ops that made them.  To check whether it is empty is quicker than `mode`."""


class _Mode(threading.local):
    """Each thread has its own grad mode, as in PyTorch.

    `enabled` is True where ops are recorded.  They are not recorded in inference mode, nor in a __torch_dispatch__
    handler, which runs `below` autograd; is_grad_enabled() then returns `requested`, which a program can still set.
    With `view_replay`, views keep the ops that made them, even where strides would be enough.
    """

    enabled = True
    inference = False
    below = False
    requested = False
    multithreading = True
    view_replay = False

    def __setattr__(self, name: str, value: Value) -> None:
        if name == "enabled":
            if value:
                silenced.pop(threading.get_ident(), None)
            else:
                silenced[threading.get_ident()] = True
        elif name == "view_replay":
            if value:
                replaying[threading.get_ident()] = True
            else:
                replaying.pop(threading.get_ident(), None)
        super().__setattr__(name, value)


mode = process_wide(_Mode(), "enabled", "inference", "below", "requested", "multithreading", "view_replay")


def is_grad_enabled() -> bool:
    """True where ops on tracked tensors are recorded, or would be outside of inference mode and of a handler."""
    return mode.requested if mode.inference or mode.below else mode.enabled


def switch(value: bool) -> None:
    """Turn recording on or off in this thread."""
    if mode.inference or mode.below:
        mode.requested = value
    else:
        mode.enabled = value


class no_grad(_NoParamDecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Ops inside are not recorded."""

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = is_grad_enabled()
        switch(False)

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        switch(self.prev)


class enable_grad(_NoParamDecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Ops inside are recorded, also within no_grad."""

    prev: bool

    def __enter__(self) -> None:
        self.prev = is_grad_enabled()
        switch(True)

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        switch(self.prev)


class set_grad_enabled(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Sets the grad mode at once; as a context manager it is restored at the end."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self.prev = is_grad_enabled()
        self.mode = mode
        switch(mode)

    def __call__(self, function: F) -> F:
        switch(self.prev)
        return super().__call__(function)

    def __enter__(self) -> None:
        switch(self.mode)

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        switch(self.prev)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def clone(self) -> Self:
        """Return a context with the same mode, for one call of a decorated function."""
        return self.__class__(self.mode)


for _mode in (no_grad, enable_grad, set_grad_enabled):
    _mode.__module__ = "torch.autograd.grad_mode"
