"""The names of `torch.serialization`."""

from collections.abc import Callable
from typing import Any, TypeAlias

from backscope.ops.core.tensor_geometry import memory_format_named as _memory_format  # noqa: F401 - for pickles
from backscope.ops.create.pickling import rebuild as _rebuild_tensor  # noqa: F401
from backscope.tensor.device import device
from backscope.tensor.dtype import dtype_named as _dtype  # noqa: F401
from backscope.tensor.parameter import rebuild_parameter as _rebuild_parameter  # noqa: F401
from backscope.tensor.serialization import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    load,
    safe_globals,
    save,
)

MAP_LOCATION: TypeAlias = Callable[[Any, str], Any] | device | str | dict[str, str] | None

__all__ = ["MAP_LOCATION", "add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]
