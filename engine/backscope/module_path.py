"""The paths of modules as the user sees them: the variable that holds the outermost one, then the names inside it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from backscope.passive import class_name, own_dict
from backscope.tensor import Tensor

OWN = "self."
"""What the names of attributes begin with: places inside something that may yet get a name of its own."""

_Entry = tuple[Any, Any, tuple[str, ...]]


def children(module: Any) -> dict[str, Any]:
    """The modules right inside one, by name, without running the user's code."""
    found: dict[str, Any] = own_dict(module).get("_modules") or {}
    return found


def names_between(outer: Any, inner: Any) -> tuple[str, ...] | None:
    """The names that lead from a module to one inside it, on the shortest way; None where there is no way."""
    seen = {id(outer)}
    level: list[tuple[Any, tuple[str, ...]]] = [(outer, ())]
    while level:
        below: list[tuple[Any, tuple[str, ...]]] = []
        for module, names in level:
            for name, child in children(module).items():
                if child is inner:
                    return (*names, name)
                if child is not None and id(child) not in seen:
                    seen.add(id(child))
                    below.append((child, (*names, name)))
        level = below
    return None


def tensors(module: Any) -> Iterator[tuple[tuple[str, ...], Tensor]]:
    """The parameters and buffers of a module and of those inside it, each once, with the names that lead to it."""
    seen: set[int] = set()
    waiting: list[tuple[Any, tuple[str, ...]]] = [(module, ())]
    for at, names in waiting:
        for kind in ("_parameters", "_buffers"):
            for name, held in (own_dict(at).get(kind) or {}).items():
                if isinstance(held, Tensor) and id(held) not in seen:
                    seen.add(id(held))
                    yield (*names, name), held
        for name, child in children(at).items():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                waiting.append((child, (*names, name)))


class ModulePaths:
    """Knows which variables hold modules, counting its `bindings`; keeps no module alive."""

    def __init__(self) -> None:
        self.roots: dict[int, tuple[Any, str]] = {}
        self.ways: dict[tuple[int, int], _Entry] = {}
        self.homes: dict[int, int] = {}
        self.bindings = 0

    def bind(self, name: str, module: Any) -> str | None:
        """A variable was bound to a module: the path that it has now, None where it had a better one before."""
        held = self._held(module)
        # What is inside of something that has a name goes by that, whatever `for block in self.blocks` calls it.
        inside = self.root(module) is None
        if held is not None and (inside or name.startswith(OWN) or not held.startswith(OWN)):
            return None
        self.roots[id(module)] = (weakref.ref(module), name)
        self.bindings += 1
        return name

    def of(self, module: Any, caller: Any, path: str | None) -> str:
        """The path of a module that is called, by the forward() of `caller` at `path` where there is one."""
        if caller is not None:
            names = self.way(caller, module)
            if names is not None:
                return ".".join((path, *names))  # type: ignore[arg-type]
        held = self._held(module)
        if held is not None:
            return held
        own = self.root(module)
        if own is None:
            return class_name(type(module))
        return own if path is None else f"{path}.{own.removeprefix(OWN)}"

    def root(self, module: Any) -> str | None:
        """The variable or attribute that a module itself was bound to."""
        known = self.roots.get(id(module))
        return known[1] if known is not None and known[0]() is module else None

    def _held(self, module: Any) -> str | None:
        """The path from a variable of the program, which is no attribute of an object."""
        name = self.root(module)
        if name is not None and not name.startswith(OWN):
            return name
        home = self.roots.get(self.homes.get(id(module), 0))
        if home is not None:
            outer = home[0]()
            names = None if outer is None else self.way(outer, module)
            if names is not None:
                return ".".join((home[1], *names))
        own = None
        for key, (ref, root) in list(self.roots.items()):
            outer = ref()
            if outer is None:
                del self.roots[key]
                continue
            names = None if outer is module else self.way(outer, module)
            if names is not None:
                path = ".".join((root, *names))
                if not root.startswith(OWN):
                    self.homes[id(module)] = key
                    return path
                own = own or path
        return own

    def way(self, outer: Any, inner: Any) -> tuple[str, ...] | None:
        """names_between(), remembered for as long as it holds."""
        key = (id(outer), id(inner))
        known = self.ways.get(key)
        if known is not None and known[0]() is outer and known[1]() is inner:
            at = outer
            for name in known[2]:
                at = children(at).get(name) if at is not None else None
            if at is inner:
                return known[2]
        names = names_between(outer, inner)
        if names is not None:
            self.ways[key] = (weakref.ref(outer), weakref.ref(inner), names)
        return names
