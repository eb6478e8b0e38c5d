"""The names of `torch.serialization`."""

from collections.abc import Callable
from typing import Any, TypeAlias

from backscope.tensor.device import device
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
