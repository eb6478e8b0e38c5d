"""State that a program can change for the whole process, and its reset to that of a new process."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")

_contents: list[tuple[Any, Any]] = []
_attributes: list[tuple[Any, dict[str, Any]]] = []


def process_wide(holder: T, *names: str) -> T:
    """Set `holder` back at each restart: what a list, dict or set holds, or an object's attributes of these names.

    Call it where the state is made, while it is still as in a new process; without names all of an instance's own
    attributes are meant.  Those of their values that hold something stay the same objects.
    """
    if isinstance(holder, (list, dict, set)):
        _contents.append((holder, holder.copy()))
        return holder
    found = {name: getattr(holder, name) for name in names or vars(holder)}
    _attributes.append((holder, found))
    for value in found.values():
        if isinstance(value, (list, dict, set)):
            _contents.append((value, value.copy()))
    return holder


def restart() -> None:
    """Set all registered state back to that of a new process.

    What is as it was is left alone: writing to a class has Python forget what it knew of it.
    """
    for holder, values in _attributes:
        for name, value in values.items():
            if getattr(holder, name, _attributes) is not value:
                setattr(holder, name, value)
    for held, content in _contents:
        if not held and not content:
            continue
        held.clear()
        if isinstance(held, list):
            held.extend(content)
        else:
            held.update(content)
