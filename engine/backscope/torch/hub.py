"""The names of `torch.hub`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch._backend.downloads import (
    no_network as download_url_to_file,
    no_network as help,  # noqa: A004
    no_network as list,  # noqa: A004
    no_network as load,
    no_network as load_state_dict_from_url,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "download_url_to_file",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.hub", name, globals())
