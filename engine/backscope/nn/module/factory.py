"""The `device` and `dtype` arguments for a module's parameters."""

from __future__ import annotations

from typing import Any

_NAMES = {"device", "dtype", "memory_format"}


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """Return device, dtype and memory format of keyword arguments; TypeError for others and for repeated ones."""
    if kwargs is None:
        return {}
    if not kwargs.keys() <= _NAMES | {"factory_kwargs"}:
        raise TypeError(f"unexpected kwargs {kwargs.keys() - _NAMES - {'factory_kwargs'}}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for name in _NAMES & kwargs.keys():
        if name in found:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        found[name] = kwargs[name]
    return found
