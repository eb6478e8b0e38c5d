"""Reading and setting version counters by hand: increment_version, and hiding a change from autograd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backscope.autograd.modes.decorator import _DecoratorContextManager
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


def increment_version(tensor: Value) -> None:
    """Add one to the version counters of a tensor or of several; inference tensors have none."""
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    tensors: Iterable[Any] = (tensor,) if isinstance(tensor, Tensor) else tensor
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if not t.is_inference():
            t._counter()[0] += 1


def set_version_counters(tensors: Values, versions: Values) -> None:
    """Set the version counters of `tensors` to `versions`; RuntimeError for one below 0."""
    if len(tensors) != len(versions):
        raise RuntimeError(f"tensors size does not match versions size: {len(tensors)} != {len(versions)}")
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        tensor._counter()[0] = version


class _unsafe_preserve_version_counter(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """At its end, sets the version counters of the tensors back to their values from when it was made."""

    def __init__(self, tensors: Values) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tensors
        if not isinstance(self.tensors, tuple):
            raise AssertionError("Expected tensors to be a tuple")
        self.prev_versions = tuple(t._version for t in self.tensors)

    def __enter__(self) -> None:
        """Do nothing: the counters are set at the end."""

    def __exit__(self, *exc: object) -> None:
        for tensor, version in zip(self.tensors, self.prev_versions, strict=True):
            tensor._counter()[0] = version

    def clone(self) -> Any:
        """Return a new one without tensors: PyTorch's can't be a decorator either."""
        return self.__class__()  # type: ignore[call-arg]
