"""torch.device: the CPU, and "meta" for tensors without data; any other is refused as by a build without it."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

from backscope.runtime.error_facts import blame
from backscope.runtime.given import Device, Value
from backscope.runtime.process import process_wide

TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip

_entered: list[device] = process_wide([])
_default: list[device] = process_wide([])


class device:  # noqa: N801 - PyTorch's own name
    """The device of a tensor; as a context manager, the device of new tensors."""

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: Device, index: int | None = None) -> None:  # noqa: A002
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not isinstance(type, str):
            raise TypeError("device(): argument 'type' (position 1) must be str, not " + _python_name(type))
        match = re.fullmatch(r"([a-z]+)(?::(0|[1-9][0-9]*))?", type)
        if match is None:
            kind = type.partition(":")[0]
            if kind in TYPES or not type:
                raise RuntimeError(f"Invalid device string: '{type}'" if type else "Device string must not be empty")
            raise _unknown(type)
        if match[1] not in TYPES:
            raise _unknown(type)
        if match[2] is not None and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        self.type = match[1]
        self.index = index if match[2] is None else int(match[2])

    def __repr__(self) -> str:
        return (
            f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __enter__(self) -> device:
        check_device(self)
        _entered.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _entered.pop()


device.__module__ = "torch"
CPU = device("cpu")
META = device("meta")


def _python_name(value: Value) -> str:
    return type(value).__name__


def _unknown(text: str) -> RuntimeError:
    return RuntimeError(f"Expected one of {', '.join(TYPES)} device type at start of device string: {text}")


def without_cuda() -> Exception:
    """PyTorch's error of a build without CUDA."""
    error: Exception = blame(AssertionError("Torch not compiled with CUDA enabled"), "without_cuda")
    return error


def check_device(where: Device) -> device:
    """Return a device by its name; raise PyTorch's error for any but the CPU and meta."""
    if isinstance(where, bool) or not isinstance(where, (str, int, device)):
        raise TypeError(f"'{_python_name(where)}' object cannot be interpreted as a device")
    found = where if isinstance(where, device) else device(where)
    if found.type == "cuda":
        raise without_cuda()
    if found.type not in ("cpu", "meta"):
        raise NotImplementedError(
            f"Could not run 'aten::empty.memory_format' with arguments from the '{found.type.upper()}' backend. This "
            "could be because the operator doesn't exist for this backend, or was omitted during the selective/custom "
            "build process (if using custom build)."
        )
    return found


def is_meta(where: Device) -> bool:
    """True where a new tensor has no data; `where` None means the default device."""
    if where is not None:
        return check_device(where).type == "meta"
    if _entered:
        return _entered[-1].type == "meta"
    return bool(_default) and _default[-1].type == "meta"


def set_default_device(device: Device) -> None:
    """Set the device of new tensors; None for the CPU again."""
    _default.clear()
    if device is not None:
        _default.append(check_device(device))


def get_device_module(device: Device = None) -> ModuleType:
    """The module of a kind of device, torch.cpu by default; RuntimeError for a kind without one."""
    kind = "cpu" if device is None else str(device).partition(":")[0]
    module = sys.modules.get(f"backscope.torch.{kind}")
    if module is None:
        raise RuntimeError(f"Invalid device string: '{kind}'")
    return module


def get_default_device() -> device:
    """Return the device of new tensors."""
    return _entered[-1] if _entered else _default[-1] if _default else CPU
