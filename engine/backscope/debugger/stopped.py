"""A program that is stopped: its frames, and what can be named and traced there besides."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from backscope.debugger.attribution.gradient_trace import Starting
from backscope.debugger.tensors import NotInspectable
from backscope.diagnosis.user_frame import Stack


class StopNames(dict[str, Any]):
    """Values that expressions in the innermost frame can name at a stop, before the variables of the program."""

    def change(self, target: ast.Name | ast.Subscript, value: object) -> None:
        """Set one of the values, or an item of one.

        Raises: NotInspectable where it cannot be changed.
        """
        raise NotInspectable(f"{ast.unparse(target)} cannot be changed here.")


class Stopped(NamedTuple):
    """The frames to look into, the pass that is about to run if one is, and further names."""

    stack: Stack
    starting: Starting | None = None
    names: StopNames = StopNames()
