"""Reads the variables of frames, and decides which values have names that are recorded."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from backscope.recorder.framework import Framework
from backscope.recorder.narration import PLAIN
from backscope.runtime.given import Value
from backscope.runtime.passive import is_a, own_dict

MISSING = object()
"""The value of a variable that has none."""

CONTAINERS = (list, tuple, dict)


# Any: a variable has a value of any type.
def value_of(framework: Framework, name: str, variables: Mapping[str, Any], space: dict[str, Any]) -> Any:
    """Return the value of a variable of a frame, or of an attribute of one that is read without the user's code.

    Attributes of modules have names by their paths, and no value here.
    """
    base, _, attribute = name.partition(".")
    if attribute and framework.is_module(value_of(framework, base, variables, space)):
        return MISSING
    return container_of(framework, name, variables, space)


# Any: a variable has a value of any type.
def container_of(framework: Framework, name: str, variables: Mapping[str, Any], space: dict[str, Any]) -> Any:
    """Return what value_of() does, and the attributes of modules too: their lists may keep results."""
    base, _, attribute = name.partition(".")
    value = variables.get(base, MISSING)
    if value is MISSING:
        value = space.get(base, MISSING)
    if not attribute or value is MISSING:
        return value
    return MISSING if is_a(value, (framework.tensor, ModuleType)) else own_dict(value).get(attribute, MISSING)


# Any: a variable has a value of any type.
def size_of(value: Any) -> int | None:
    """Return the length of a list, dict or deque without calling the program's `__len__`; None for anything else."""
    for kind in (list, dict, deque):
        if issubclass(type(value), kind):
            return kind.__len__(value)
    return None


def can_be_named(framework: Framework, value: Value) -> bool:
    """Return True if a value is, or may contain, a tensor or a module, whose names are recorded."""
    kind = type(value)
    if type(kind) is type and kind in PLAIN:  # Most are. A metaclass of the program's may have a hash of its own.
        return False
    if issubclass(kind, framework.tensor) or issubclass(kind, CONTAINERS):
        return True
    return value is not MISSING and framework.is_module(value)
