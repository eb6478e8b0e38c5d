"""Padding as modules: by a constant, by reflection, repetition or wrapping."""

from __future__ import annotations

from typing import Any, ClassVar

from backscope.nn.layers.lengths import each
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.runtime.given import Shape, Value
from backscope.tensor.typename import belongs


class _Pad(Module):
    """Lengths at both ends of the last `dims` dims, and how they are filled."""

    _dims: ClassVar[int]
    _mode: ClassVar[str]

    def __init__(self, padding: Shape) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self._dims)

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The input made larger."""
        return functional["pad"](input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """The lengths."""
        return f"{self.padding}"


class _ConstantPadNd(_Pad):
    _mode = "constant"

    def __init__(self, padding: Shape, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The input with a frame of the value."""
        return functional["pad"](input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The lengths and the value."""
        return f"padding={self.padding}, value={self.value}"


class _ReflectionPadNd(_Pad):
    _mode = "reflect"


class _ReplicationPadNd(_Pad):
    _mode = "replicate"


class _CircularPadNd(_Pad):
    _mode = "circular"

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The input wrapped around."""
        ndim, dims = input.dim(), self._dims
        if ndim not in (dims + 1, dims + 2):
            raise ValueError(f"expected {dims + 1}D or {dims + 2}D input (got {ndim}D input)")
        return super().forward(input)


def _make(kind: type, name: str, words: str) -> list[type]:
    made = []
    for dims in (1, 2, 3):
        body = {"_dims": dims, "__doc__": f"The last {'dim' if dims == 1 else f'{dims} dims'} {words}."}
        made.append(type(f"{name}{dims}d", (kind,), body))
    return made


ConstantPad1d, ConstantPad2d, ConstantPad3d = _make(_ConstantPadNd, "ConstantPad", "with a frame of one value")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _make(_ReflectionPadNd, "ReflectionPad", "mirrored at the ends")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _make(
    _ReplicationPadNd, "ReplicationPad", "with the ends repeated"
)
CircularPad1d, CircularPad2d, CircularPad3d = _make(_CircularPadNd, "CircularPad", "wrapped around")


def _with_zeros(kind: Any) -> Any:
    """Return the class that pads with 0, based on a class that pads with a constant."""

    class zero(kind):  # type: ignore[misc]
        def __init__(self, padding: Shape) -> None:
            super().__init__(padding, 0.0)

        def extra_repr(self) -> str:
            """The lengths."""
            return f"{self.padding}"

    zero.__name__ = zero.__qualname__ = kind.__name__.replace("Constant", "Zero")
    zero.__doc__ = kind.__doc__.replace("one value", "zeros")
    zero.__init__.__qualname__ = f"{zero.__name__}.__init__"  # The name in errors about its arguments.
    return zero


ZeroPad1d, ZeroPad2d, ZeroPad3d = (_with_zeros(k) for k in (ConstantPad1d, ConstantPad2d, ConstantPad3d))

belongs(
    "torch.nn.modules.padding",
    _ConstantPadNd, _ReflectionPadNd, _ReplicationPadNd, _CircularPadNd,
    ConstantPad1d, ConstantPad2d, ConstantPad3d, ZeroPad1d, ZeroPad2d, ZeroPad3d, ReflectionPad1d, ReflectionPad2d,
    ReflectionPad3d, ReplicationPad1d, ReplicationPad2d, ReplicationPad3d, CircularPad1d, CircularPad2d, CircularPad3d,
)  # fmt: skip
