"""The text of the error for arguments that fit none of several signatures."""

from __future__ import annotations

import sys
from typing import Any

from backscope.ops.core.arguments.argument_types import type_name
from backscope.runtime.given import Value

_ACCEPTED = {"float": ("float", "int", "long"), "int": ("int", "long")}


def _parts(shown: str) -> list[tuple[str, str]]:
    """Return type and name of each part of a signature's text, cut at its last space.

    A part with a default thus has the default for its name, and no value is of its type, as in PyTorch.
    """
    found = []
    for part in shown[1:-1].split(", "):
        kind, space, name = part.rpartition(" ")
        found.append((kind if space else part, name))
    return found


def _described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    parts = [type_name(a) for a in args] + [f"{k}={type_name(v)}" for k, v in kwargs.items()]
    return f"({', '.join(parts)}{'' if args or not parts else ', '})"


def _elements(value: Value) -> str:
    if not isinstance(value, (tuple, list)):
        return type_name(value)
    inside = ", ".join([type_name(v) for v in value])
    if isinstance(value, list):
        return f"{type_name(value)} of [{inside}]"
    return f"{type_name(value)} of ({inside}{',' if len(value) == 1 else ''})"


def _marked(parts: list[tuple[str, str]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the given types, with exclamation marks around those that don't fit, in red on a terminal."""
    colored = sys.stdout is not None and sys.stdout.isatty() and sys.stderr is not None and sys.stderr.isatty()
    wrong = ("\33[31;1m", "\33[0m") if colored else ("!", "!")
    right = ("\33[32;1m", "\33[0m") if colored else ("", "")
    shown = []
    for i in range(len(args) + len(kwargs)):
        kind, name = parts[i]
        value = args[i] if i < len(args) else kwargs[name]
        begin, end = right if type_name(value) in _ACCEPTED.get(kind, (kind,)) else wrong
        shown.append(f"{begin}{'' if i < len(args) else name + '='}{_elements(value)}{end}")
    return f"({', '.join(shown)}{'' if args or not shown else ', '})"


def _unknown(parts: list[tuple[str, str]], kwargs: dict[str, Any]) -> list[str]:
    """Return the keywords that match none of the last parameters."""
    last = {name for _, name in parts[max(len(parts) - len(kwargs), 0) :]}
    return [key for key in kwargs if key not in last]


def invalid_arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], options: list[str]) -> str:
    """Return PyTorch's error text for arguments that fit none of a function's signatures."""
    kwargs = dict(reversed(kwargs.items()))  # PyTorch keeps them in a hash table, which lists the last one first.
    begin = f"{name}() received an invalid combination of arguments - got "
    count = len(args) + len(kwargs)
    if len(options) == 1:
        parts = _parts(options[0])
        unknown = _unknown(parts, kwargs)
        if unknown:
            return f"{begin}unrecognized keyword arguments: {', '.join(unknown)}"
        given = _marked(parts, args, kwargs) if count == len(parts) else _described(args, kwargs)
        return f"{begin}{given}, but expected {options[0]}"
    lines = [f"{begin}{_described(args, kwargs)}, but expected one of:"]
    for option in options:
        lines.append(f" * {option}")
        parts = _parts(option)
        if count != len(parts):
            continue
        unknown = _unknown(parts, kwargs)
        if unknown:
            why = f"keywords were incorrect: {', '.join(unknown)}"
        else:
            why = f"arguments have invalid types: {_marked(parts, args, kwargs)}"
        lines.append(f"      didn't match because some of the {why}")
    return "\n".join([*lines, ""])
