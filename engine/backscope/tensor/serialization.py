"""torch.save and torch.load: objects with tensors in a file or a buffer.

What is loaded with `weights_only` may hold tensors, plain containers and numbers; anything else is refused.
"""

from __future__ import annotations

import builtins
import importlib
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import IO, Any, TypeVar

from backscope.runtime.given import Device, Option, Value
from backscope.runtime.process import process_wide

F = TypeVar("F", bound=Callable[..., Any])

_HOME = "backscope.torch.serialization"
"""The module by which pickles name the functions that make their objects again, wherever these are."""

_REBUILDING = {"_dtype", "_memory_format", "_rebuild_parameter", "_rebuild_tensor"}
"""The names of these functions there."""

_FORMER = {
    ("backscope.dtype", "_lookup"): (_HOME, "_dtype"),
    ("backscope.nn.state", "WrappedHook"): ("backscope.torch.nn.modules.module", "_WrappedHook"),
    ("backscope.ops.conversion", "_rebuild"): (_HOME, "_rebuild_tensor"),
    ("backscope.ops.create.conversion", "_rebuild"): (_HOME, "_rebuild_tensor"),
    ("backscope.ops.geometry", "memory_format"): ("torch", "memory_format"),
    ("backscope.parameter", "rebuild_parameter"): (_HOME, "_rebuild_parameter"),
    ("backscope.size", "Size"): ("torch", "Size"),
    ("backscope.tensor.dtype", "_lookup"): (_HOME, "_dtype"),
    ("backscope.tensor.parameter", "rebuild_parameter"): (_HOME, "_rebuild_parameter"),
    ("backscope.tensor.size", "Size"): ("torch", "Size"),
}
"""The names of classes and functions in older files, and their names now."""

_SAFE = {
    ("collections", "OrderedDict"),
    ("collections", "Counter"),
    ("collections", "defaultdict"),
    ("torch", "Size"),
    ("torch", "device"),
    ("torch", "sparse_coo"),
    ("torch", "sparse_csr"),
    ("torch", "strided"),
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
        module, name = _FORMER.get((module, name), (module, name))
        safe = (
            (module, name) in _SAFE
            or (module == "builtins" and name in _SAFE_BUILTINS)
            or (module == _HOME and name in _REBUILDING)
            or _is_parameter(module, name)
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
    return name in ("Parameter", "Buffer") and module.startswith(("backscope.", "torch."))


def pickled_as(name: str) -> Callable[[F], F]:
    """Have pickles name the decorated function as backscope.torch.serialization does, so that it can be moved."""

    def rename(function: F) -> F:
        function.__module__, function.__name__, function.__qualname__ = _HOME, name, name
        return function

    return rename


@contextmanager
def _opened(file: Any, how: str) -> Iterator[IO[Any]]:
    if isinstance(file, (str, os.PathLike)):
        with open(file, how) as opened:
            yield opened
    else:
        yield file


def save(
    obj: Value,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: ModuleType = pickle,
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


# Any: a file holds an object of any type.
def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: Device = None,
    pickle_module: ModuleType | None = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Option,
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
    """Return the classes and functions that add_safe_globals() allowed."""
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
