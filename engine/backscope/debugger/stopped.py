"""A program that is stopped: its frames, and what can be named and traced there besides."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from backscope.debugger.attribution.gradient_trace import Starting
from backscope.debugger.tensors import NotInspectable
from backscope.diagnosis.user_frame import Stack


class StopNames(dict[str, Any]):
    """Values that expressions in the innermost frame can name at a stop, before the variables of the program."""

    def quietly(self) -> AbstractContextManager[None]:
        """Return a context for the code of the user that changes one of the values."""
        return nullcontext()

    def change(self, target: ast.Name | ast.Subscript, assign: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Set one of the values, or an item of one.

        `assign` carries the assignment out on values that it is given by name, and returns them.

        Raises: NotInspectable where it cannot be changed.
        """
        raise NotInspectable(f"{ast.unparse(target)} cannot be changed here.")


class Stopped(NamedTuple):
    """The frames to look into, the pass that is about to run if one is, and further names."""

    stack: Stack
    starting: Starting | None = None
    names: StopNames = StopNames()
