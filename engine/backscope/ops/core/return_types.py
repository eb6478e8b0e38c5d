"""The named tuples that ops of several results return, as PyTorch prints them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from backscope.runtime.given import Dtype, Value

return_types: dict[str, type] = {}
"""Every named result type by its name."""


def out_type(kind: Dtype) -> type:
    """Return the type of a result written into tensors given as `out=`."""
    name = f"{kind.__name__}_out"
    return return_types.get(name) or return_type(name, *kind._fields)


# Any: a class made at run time, called with its fields.
def return_type(name: str, *fields: str) -> Any:
    """Return a named tuple type called `name` for several results."""
    base: Any = namedtuple(name, fields)  # type: ignore[misc]

    def show(self: Value) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    made = return_types[name] = type(name, (base,), {"__module__": "torch.return_types", "__repr__": show})
    return made
