"""Classes and functions of PyTorch for tracing and compiling, which this engine does not do: they raise when called."""

from __future__ import annotations

from typing import Any, NoReturn

_REASONS = {
    "FakeTensorMode": "Backscope computes the values of all tensors: make those that need none with device='meta'.",
    "FakeTensor": "Backscope computes the values of all tensors: make those that need none with device='meta'.",
    "make_fx": "Backscope traces no graph of a function: call it itself, and look at the grad_fn of what it gives.",
}
_COMPILED = "Backscope compiles nothing ahead of time: call the function or the module itself."


def uncompiled(name: str) -> type:
    """Return a class that raises NotImplementedError with an alternative when it is instantiated or called."""

    def refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}: {_REASONS.get(name, _COMPILED)}")

    return type(name, (), {"__new__": refuse})
