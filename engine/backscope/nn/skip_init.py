"""skip_init: a module without its parameters drawn."""

from __future__ import annotations

import inspect

from backscope.nn.module.module import Module
from backscope.runtime.given import Option


def skip_init(module_cls: type[Module], *args: Option, **kwargs: Option) -> Module:
    """Create a module without initializing its parameters; RuntimeError for a class that does not support it."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
