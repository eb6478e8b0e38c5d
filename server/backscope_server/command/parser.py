"""An argument parser whose help and errors are the same on every version of Python."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any


class _Help(argparse.HelpFormatter):
    """Formats help as Python 3.13 does, with the value of a flag behind its last name, and keeps the lines of texts."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        column = " " * len("  other  ")
        return "\n".join(
            textwrap.fill(
                line, width, initial_indent=indent, subsequent_indent=column if line.startswith(" ") else indent
            )
            for line in text.splitlines()
        )

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """A parser that prints no colours, which Python 3.14 does by default."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})
        self.color = False

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            given = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f"invalid choice: {value!r} (choose from {given})")
