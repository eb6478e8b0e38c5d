"""In notebooks: `%load_ext backscope` adds the magic `%%backscope`, which records a cell and shows it.

`Widget` shows a recording while it is made, and gives the moment that the reader is at; it needs the extra `notebook`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backscope.notebook.widget import Widget as Widget


# Any: a class that is loaded when it is first used.
def __getattr__(name: str) -> Any:
    if name == "Widget":
        from backscope.notebook.widget import Widget

        return Widget
    raise AttributeError(f"module 'backscope.notebook' has no attribute '{name}'")
