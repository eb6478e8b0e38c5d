"""torch.save and torch.load: objects with tensors in a file or a buffer.

What is loaded with `weights_only` may hold tensors, plain containers and numbers; anything else is refused.
"""

from __future__ import annotations

import builtins
import importlib
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from backscope.runtime.given import Device, Value
from backscope.runtime.process import process_wide

_SAFE = {
    ("collections", "OrderedDict"),
    ("collections", "Counter"),
    ("collections", "defaultdict"),
    ("backscope.tensor.dtype", "_lookup"),
    ("backscope.ops.create.conversion", "_rebuild"),
    ("backscope.tensor.size", "Size"),
    ("torch", "Size"),
    ("torch", "device"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("ml_dtypes", "bfloat16"),
    ("_codecs", "encode"),
}
_SAFE_BUILTINS = {
    "set",
    "frozenset",
    "complex",
    "bytearray",
    "slice",
    "int",
    "float",
    "bool",
    "str",
    "list",
    "dict",
    "tuple",
}
_allowed: list[Any] = process_wide([])


class _Unpickler(pickle.Unpickler):
    """Finds `torch` in Backscope's namespace, and with `weights_only` nothing but what holds data."""

    def __init__(self, file: Any, weights_only: bool) -> None:
        super().__init__(file)
        self.weights_only = weights_only

    def find_class(self, module: str, name: str) -> Any:
        safe = (
            (module, name) in _SAFE or (module == "builtins" and name in _SAFE_BUILTINS) or _is_parameter(module, name)
        )
        for found in _allowed:
            if (getattr(found, "__module__", None), getattr(found, "__name__", None)) == (module, name):
                return found
        if self.weights_only and not safe:
            raise pickle.UnpicklingError(
                f"Weights only load failed. Unsupported global: GLOBAL {module}.{name} was not an allowed global by "
                "default. Please use `torch.serialization.add_safe_globals([...])` or the "
                "`torch.serialization.safe_globals` context manager to allowlist this global if you trust this "
                "class/function, or load with `weights_only=False` if you trust the source."
            )
        if module == "torch" or module.startswith("torch."):
            module = f"backscope.{module}"
        if module == "builtins":
            return getattr(builtins, name)
        return getattr(importlib.import_module(module), name)


def _is_parameter(module: str, name: str) -> bool:
    return name in ("_rebuild_parameter", "Parameter", "Buffer") and module.startswith(("backscope.", "torch."))


@contextmanager
def _opened(file: Any, how: str) -> Iterator[IO[Any]]:
    if isinstance(file, (str, os.PathLike)):
        with open(file, how) as opened:
            yield opened
    else:
        yield file


def save(
    obj: Value,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object with its tensors into a file, by name or opened, or a buffer."""
    if isinstance(f, (str, os.PathLike)):
        parent = os.path.dirname(os.fspath(f))
        if parent and not os.path.isdir(parent):
            raise RuntimeError(f"Parent directory {parent} does not exist.")
    with _opened(f, "wb") as file:
        pickle.dump(obj, file, protocol=max(pickle_protocol, 4))


def load(
    f: Any,
    map_location: Device = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what save() wrote; UnpicklingError for unknown classes unless `weights_only` is False."""
    from backscope.tensor.device import check_device, device

    if isinstance(map_location, (str, device)):
        check_device(map_location)
    with _opened(f, "rb") as file:
        if hasattr(file, "read") and hasattr(file, "tell"):
            start = file.tell()
            if not file.read(1):
                raise EOFError
            file.seek(start)
        return _Unpickler(file, weights_only is None or weights_only).load()


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let load() with weights_only accept these classes and functions too."""
    _allowed.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """What add_safe_globals() allowed."""
    return list(_allowed)


def clear_safe_globals() -> None:
    """Take back what add_safe_globals() allowed."""
    _allowed.clear()


@contextmanager
def safe_globals(allowed: list[Any]) -> Iterator[None]:
    """Let load() with weights_only accept these inside the block."""
    _allowed.extend(allowed)
    try:
        yield
    finally:
        del _allowed[len(_allowed) - len(allowed) :]


__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]
