"""Containers of parameters: ParameterList, ParameterDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any, NoReturn, Self, SupportsIndex

from backscope.nn.module.containers import pairs, place
from backscope.nn.module.module import Module
from backscope.runtime.given import Value, Values
from backscope.tensor.parameter import Parameter
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import belongs, typename


def _line(key: Any, value: Value, kind: str) -> str:
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join(str(n) for n in value.shape)
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {what} containing: [{kind} of size {size}]"


def _owned(value: Value) -> Any:
    """Return a tensor as a Parameter, anything else unchanged."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """A list of parameters; other objects are allowed in it."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _name_at(self, idx: Any) -> str:
        return str(place(idx, len(self)))

    # Any: a value of any type, or a ParameterList for a slice.
    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        if isinstance(idx, slice):
            out = self.__class__()
            for i in range(*idx.indices(len(self))):
                out.append(self[i])
            return out
        return getattr(self, self._name_at(idx))

    def __setitem__(self, idx: int, param: Value) -> None:
        setattr(self, self._name_at(idx), _owned(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value: Value) -> Self:
        """Add a parameter at the end."""
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end; TypeError for what is no iterable, or for a tensor."""
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """A line for each parameter."""
        return "\n".join(
            [_line(i, p, f"torch.{p.dtype.name}" if isinstance(p, Tensor) else "") for i, p in enumerate(self)]
        )

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name; other objects are allowed in it."""

    def __init__(self, parameters: Values = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    # Any: a value of any type.
    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Value) -> None:
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), _owned(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another container of the same parameters."""
        return ParameterDict(OrderedDict((k, self[k]) for k in self._keys))

    # Any: a value of any type.
    def setdefault(self, key: str, default: object = None) -> Any:
        """Return the parameter of a name; a new name gets `default`."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all parameters."""
        for key in self._keys.copy():
            del self[key]

    # Any: a value of any type.
    def pop(self, key: str) -> Any:
        """Remove and return a parameter."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last name and parameter."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    # Any: a value of any type, or the default.
    def get(self, key: str, default: object = None) -> Any:
        """The parameter of a name, `default` where there is none."""
        return self[key] if key in self else default  # noqa: SIM401 - this is get()

    def fromkeys(self, keys: Iterable[str], default: object = None) -> ParameterDict:
        """Return another container in which all names have one value."""
        return ParameterDict((k, default) for k in keys)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names with their parameters."""
        return ((k, self[k]) for k in self._keys)

    def values(self) -> Iterator[Any]:
        """The parameters."""
        return (self[k] for k in self._keys)

    def update(self, parameters: Values) -> None:
        """Add parameters from a mapping, a plain one by sorted names, or from pairs."""
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            parameters = sorted(parameters.items())
        for key, value in pairs(parameters, "ParameterDict", (OrderedDict, ParameterDict)):
            self[key] = value

    def extra_repr(self) -> str:
        """A line for each parameter."""
        return "\n".join([_line(k, p, typename(p)) for k, p in self.items()])

    def __call__(self, input: Value) -> NoReturn:  # noqa: A002
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Value) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: Value) -> Value:
        joined = other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: Value) -> ParameterDict:
        self.update(other)
        return self


belongs("torch.nn.modules.container", ParameterList, ParameterDict)
