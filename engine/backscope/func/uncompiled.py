"""What PyTorch traces or compiles programs with, for which this engine has no use: it says so when it is called."""

from __future__ import annotations

from typing import Any, NoReturn

_REASONS = {
    "FakeTensorMode": "Backscope computes the values of all tensors: make those that need none with device='meta'.",
    "FakeTensor": "Backscope computes the values of all tensors: make those that need none with device='meta'.",
    "make_fx": "Backscope traces no graph of a function: call it itself, and look at the grad_fn of what it gives.",
}
_COMPILED = "Backscope compiles nothing ahead of time: call the function or the module itself."


def uncompiled(name: str) -> Any:
    """A class that can't be instantiated, nor called: NotImplementedError says what to do instead."""

    def refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}: {_REASONS.get(name, _COMPILED)}")

    return type(name, (), {"__new__": refuse})
