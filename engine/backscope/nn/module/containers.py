"""Containers of modules: Sequential, ModuleList, ModuleDict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain
from typing import Any, Self, SupportsIndex

from backscope.nn.module.module import Module
from backscope.runtime.given import Value
from backscope.runtime.warning import warn
from backscope.tensor.typename import belongs


class Container(Module):
    """The deprecated base of containers, which gives a warning."""

    def __init__(self, **kwargs: Module) -> None:
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


def place(idx: SupportsIndex, count: int) -> int:
    """A place in a list of `count`, counted from the end where negative; IndexError beyond."""
    idx = operator.index(idx)
    if not -count <= idx < count:
        raise IndexError(f"index {idx} is out of range")
    return int(idx % count)


class _Listed(Module):
    """The shared part of Sequential and ModuleList: numbered modules."""

    def _name_at(self, idx: Any) -> str:
        """The name of a module by its place."""
        name: str = list(self._modules)[place(idx, len(self))]
        return name

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: Any) -> None:
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._name_at(idx)]:
            delattr(self, name)
        self._modules = OrderedDict((str(i), module) for i, module in enumerate(self._modules.values()))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Any:
        """Remove and return a module, or those of a slice."""
        module = self[key]  # type: ignore[index]
        del self[key]
        return module

    def _make_room(self, index: int, module: Module) -> None:
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


class Sequential(_Listed):
    """Modules in a row; each gets the output of the one before it."""

    def __init__(self, *args: Module | OrderedDict[str, Module]) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(name if named else str(name), module)  # type: ignore[arg-type]

    # Any: a module of any class, or a Sequential for a slice.
    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name_at(idx)]

    def __add__(self, other: Value) -> Sequential:
        self._check_other(other)
        return Sequential().extend(self).extend(other)

    def __iadd__(self, other: Value) -> Self:
        self._check_other(other)
        return self.extend(list(other))

    def _check_other(self, other: Value) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*(list(self) * other))

    def __rmul__(self, other: int) -> Sequential:
        return self.__mul__(other)

    def __imul__(self, other: int) -> Self:
        self._check_factor(other)
        return self.extend([self._modules[str(i)] for i in range(len(self))] * (other - 1) if other > 1 else [])

    def _check_factor(self, other: Value) -> None:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def forward(self, input: Value) -> Value:  # noqa: A002
        """Return the output of the last module."""
        for module in self._modules.values():
            input = module(input)  # noqa: A001
        return input

    def insert(self, index: int, module: Module) -> Self:
        """Add a module at a place."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self._modules)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        self._make_room(index + count if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Any]) -> Self:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_Listed):
    """A list of modules without a forward() of its own."""

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _name_at(self, idx: Any) -> str:
        return str(place(idx, len(self)))

    # Any: a module of any class, or a ModuleList for a slice.
    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        if isinstance(idx, slice):
            return self.__class__(list(self._modules.values())[idx])
        return self._modules[self._name_at(idx)]

    def __iadd__(self, modules: Iterable[Any]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        combined = ModuleList()
        for i, module in enumerate(chain(self, other)):
            combined.add_module(str(i), module)
        return combined

    def insert(self, index: int, module: Module) -> None:
        """Add a module at a place."""
        self._make_room(index, module)

    def extend(self, modules: Iterable[Any]) -> Self:
        """Add modules at the end; TypeError for what is no iterable."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self

    def __repr__(self) -> str:
        """Neighbours with equal texts are printed once, with their count."""
        if not len(self):
            return self._get_name() + "()"
        blocks: list[tuple[int, int, str]] = []
        for i, text in enumerate(repr(module) for module in self):
            if blocks and blocks[-1][2] == text:
                blocks[-1] = (blocks[-1][0], i, text)
            else:
                blocks.append((i, i, text))
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in blocks
        ]
        inner = "\n  ".join(line.replace("\n", "\n  ") for line in lines)
        return f"{self._get_name()}(\n  {inner}\n)"


class ModuleDict(Module):
    """Modules by name, in the order in which they were added."""

    def __init__(self, modules: Mapping[str, Module] | ModuleDict | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        found: Module = self._modules[key]
        return found

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Remove and return a module."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """Names with their modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | ModuleDict | Iterable[tuple[str, Module]]) -> None:
        """Add modules from a mapping or from pairs; TypeError or ValueError for anything else."""
        for name, module in pairs(modules, "ModuleDict", (ModuleDict, Mapping)):
            self[name] = module


def pairs(given: Value, name: str, mappings: tuple[type, ...]) -> Iterator[tuple[Any, Any]]:
    """Key and value of a mapping, or of an iterable of pairs; errors name the container, as PyTorch's do."""
    if not isinstance(given, Iterable):
        what = "ParametersDict" if name == "ParameterDict" else name
        raise TypeError(
            f"{what}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}"
        )
    if isinstance(given, mappings):
        yield from given.items()  # type: ignore[attr-defined]
        return
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        if not len(pair) == 2:  # type: ignore[arg-type]
            raise ValueError(
                f"{name} update sequence element #{i} has length {len(pair)}; 2 is required"  # type: ignore[arg-type]
            )
        yield pair[0], pair[1]  # type: ignore[index]


belongs("torch.nn.modules.container", Container, Sequential, ModuleList, ModuleDict)
