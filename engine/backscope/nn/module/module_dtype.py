"""Moving a module's parameters and buffers to another dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from backscope.autograd.modes.grad_mode import no_grad
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Device, Option, Value
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.dtype import dtype as Dtype
from backscope.tensor.tensor import Tensor

_future = process_wide({"overwrite": False, "swap": False})


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Store whether conversions make new parameters; here parameters always stay the same objects."""
    _future["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Return the setting of set_overwrite_module_params_on_conversion()."""
    return _future["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Store whether conversions swap parameters; here they always get new data."""
    _future["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    """Return the setting of set_swap_module_params_on_conversion()."""
    return _future["swap"]


class Conversion:
    """The methods of Module that convert parameters and buffers."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Put fn(t) in place of every parameter, its `.grad` and every buffer; parameters stay the same objects."""
        if recurse:
            for module in self.children():  # type: ignore[attr-defined]
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with no_grad():
                converted = fn(parameter)
            gradient = parameter.grad
            parameter.data = converted
            if gradient is not None:
                with no_grad():
                    gradient.data = fn(gradient)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Option, **kwargs: Option) -> Self:
        """Convert floating point parameters and buffers to another dtype; or move all to a device."""
        kind, where = _wanted(args, kwargs)
        if kind is not None:
            if kind.category < 2:
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype="
                    f"torch.{kind.name}"
                )
            if kind.is_complex:
                warn(
                    "Complex modules are a new feature under active development whose design may change, and some "
                    "modules might not work as expected when using complex tensors as parameters or buffers. Please "
                    "file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a "
                    "complex module does not work as expected."
                )
        memory_format = kwargs.get("memory_format")

        def convert(t: Value) -> Any:
            wanted = kind if kind is not None and t._dtype.category >= 2 else t._dtype
            if where is not None and where.type != t.device.type:
                if t.is_meta:
                    raise NotImplementedError(
                        "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                        "torch.nn.Module.to() when moving module from meta to a different device."
                    )
                return t.to(where, wanted)
            if memory_format is not None and t._data.ndim in (4, 5):
                return t.to(wanted, memory_format=memory_format)
            return t.to(wanted)

        return self._apply(convert)

    def _to_dtype(self, name: str) -> Self:
        return self._apply(lambda t: getattr(t, name)() if t.is_floating_point() else t)

    def float(self) -> Self:
        """Convert floating point parameters and buffers to float32."""
        return self._to_dtype("float")

    def double(self) -> Self:
        """Convert floating point parameters and buffers to float64."""
        return self._to_dtype("double")

    def half(self) -> Self:
        """Convert floating point parameters and buffers to float16."""
        return self._to_dtype("half")

    def bfloat16(self) -> Self:
        """Convert floating point parameters and buffers to bfloat16."""
        return self._to_dtype("bfloat16")

    def type(self, dst_type: Dtype) -> Self:
        """Convert all parameters and buffers to one type."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self) -> Self:
        """The module itself: everything is on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Device = None) -> Self:
        """Raise PyTorch's error of a build without CUDA, unless there is nothing to move."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device: Device = None) -> Self:
        """Raise PyTorch's error of a build without XPU, unless there is nothing to move."""
        return self._apply(lambda t: _no_device("Torch not compiled with XPU enabled"))

    def mtia(self, device: Device = None) -> Self:
        """Raise PyTorch's error of a build without MTIA, unless there is nothing to move."""
        return self._apply(
            lambda t: _no_device(
                "Torch not compiled with MTIA enabled. Ensure you have `import "
                "mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
                "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"
            )
        )

    def ipu(self, device: Device = None) -> Self:
        """Raise PyTorch's error of a build without IPU, unless there is nothing to move."""
        return self._apply(lambda t: _no_device("PyTorch is not linked with support for ipu devices", RuntimeError))

    def to_empty(self, *, device: Device, recurse: bool = True) -> Self:
        """Put uninitialised memory in place of every parameter and buffer."""
        return self._apply(lambda t: torch_functions["empty_like"](t, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Do nothing: the memory of one process is not shared here."""
        return self


def _no_device(message: str, kind: type[Exception] = AssertionError) -> Any:
    raise kind(message)


def _wanted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Dtype | None, Any]:
    """Dtype and device among the arguments of Module.to(); TypeError or the device's error for others."""
    from backscope.tensor.device import check_device, device as device_type

    unknown = [k for k in kwargs if k not in ("device", "dtype", "tensor", "non_blocking", "copy", "memory_format")]
    if unknown or len(args) > 4:
        raise TypeError(_received(args, kwargs))
    kind: Dtype | None = None
    where: Any = None
    if kwargs.get("dtype") is not None and not isinstance(kwargs["dtype"], Dtype):
        raise TypeError(_received(args, kwargs))
    for value in (*args, *(kwargs.get(k) for k in ("device", "dtype", "tensor"))):
        if isinstance(value, Dtype):
            kind = value
        elif isinstance(value, Tensor):
            kind = value._dtype
            where = value.device
        elif isinstance(value, (str, device_type)):
            where = check_device(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        elif not (value is None or isinstance(value, bool)):
            raise TypeError(_received(args, kwargs))
    return kind, where


def _received(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    given = [f"torch.{_name(a)}" if isinstance(a, (Dtype, Tensor)) else _name(a) for a in args]
    given += [f"{k}={_name(v)}" for k, v in kwargs.items()]
    return (
        f"to() received an invalid combination of arguments - got ({', '.join(given)}{'' if args else ', '}), "
        "but expected one of:\n"
        " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, "
        "torch.memory_format memory_format = None)\n"
        " * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = "
        "None)\n"
        " * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = "
        "None)\n"
    )


def _name(value: Value) -> str:
    return type(value).__name__
