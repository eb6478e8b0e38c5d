"""The paths of modules for the user: the variable that holds the outermost one, then the names inside it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, TypeAlias

from backscope.runtime.passive import class_name, is_a, own_dict

OWN = "self."
"""The beginning of the names of attributes, whose object may get a name of its own later."""

_Entry = tuple[Any, Any, tuple[str, ...]]

Scope: TypeAlias = "tuple[int, CodeType] | None"
"""The call of a function that a variable belongs to, by its frame and its code; None for a global variable."""

Variable: TypeAlias = tuple[str, Scope]
_Root = tuple[Any, str, Scope]


def children(module: object) -> dict[str, Any]:
    """Return the modules directly inside one, by name, without running the user's code."""
    found: dict[str, Any] = own_dict(module).get("_modules") or {}
    return found


def names_between(outer: object, inner: object) -> tuple[str, ...] | None:
    """Return the names that lead from a module to one inside it, on the shortest way; None where there is no way."""
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


# Any: tensors of this class.
def tensors(module: object, kind: type[Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the tensors of a class that a module and those inside it hold, each once, after its names."""
    seen: set[int] = set()
    waiting: list[tuple[Any, tuple[str, ...]]] = [(module, ())]
    for at, names in waiting:
        for holder in ("_parameters", "_buffers"):
            for name, held in (own_dict(at).get(holder) or {}).items():
                if is_a(held, kind) and id(held) not in seen:
                    seen.add(id(held))
                    yield (*names, name), held
        for name, child in children(at).items():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                waiting.append((child, (*names, name)))


_MOST_HOLDERS = 1000
"""Variables from which on those of functions that have returned are removed."""


class ModulePaths:
    """Knows which variables hold modules, and keeps no module alive; `bindings` counts the changes.

    `roots` has the variable that names each module, of those that are not inside of one with a variable; `holders` the
    module that each variable holds now; `names` the names of these variables.
    """

    def __init__(self) -> None:
        self.roots: dict[int, _Root] = {}
        self.ways: dict[tuple[int, int], _Entry] = {}
        self.homes: dict[int, int] = {}
        self.holders: dict[Variable, Any] = {}
        self.most_holders = _MOST_HOLDERS
        self.names: set[str] = set()
        self.bindings = 0

    def bind(self, variable: Variable, module: object, alive: Callable[[Scope], bool]) -> list[tuple[str, Any]]:
        """Note that a variable was bound to a module; return the modules whose paths changed, with these paths.

        This module's path changes unless it has a better one: that of a global variable or of a module around it.  An
        attribute of an object is no better, nor is a variable of a function that has returned, as `alive` says.
        """
        moved = self.unbind(variable, alive, module)
        if len(self.holders) >= self.most_holders:
            self.holders = {v: ref for v, ref in self.holders.items() if ref() is not None and alive(v[1])}
            self.most_holders = max(_MOST_HOLDERS, 2 * len(self.holders))
        name = variable[0]
        self.names.add(name)
        self.holders[variable] = weakref.ref(module)
        if not self._takes(name, module, alive):
            return moved
        self._put(variable, module)
        return [*moved, (name, module)]

    def unbind(
        self, variable: Variable, alive: Callable[[Scope], bool], module: object = None
    ) -> list[tuple[str, Any]]:
        """Note that a variable was deleted, or bound to `module`; return what it held if that has a new path."""
        ref = self.holders.pop(variable, None)
        before = None if ref is None else ref()
        known = self.roots.get(id(before))
        if before is None or before is module or known is None or known[0]() is not before or known[1:] != variable:
            return []
        others = (other for other, held in self.holders.items() if held() is before and alive(other[1]))
        other = min(others, key=lambda variable: variable[0].startswith(OWN), default=None)
        if other is not None:
            self._put(other, before)
            return [(other[0], before)]
        del self.roots[id(before)]
        self.homes.pop(id(before), None)
        path = self._held(before)
        if path is None:  # No recorded variable holds it: it keeps the name that it had.
            self.roots[id(before)] = known
            return []
        return [(path, before)]

    def _put(self, variable: Variable, module: object) -> None:
        """Name a module after a variable, and those inside it by their paths from there."""
        name, scope = variable
        if not name.startswith(OWN):
            for key, (ref, *_) in list(self.roots.items()):
                inner = ref()
                if inner is None or (inner is not module and self.way(module, inner) is not None):
                    del self.roots[key]
        self.roots[id(module)] = weakref.ref(module), name, scope
        self.homes.pop(id(module), None)
        self.bindings += 1

    def _takes(self, name: str, module: object, alive: Callable[[Scope], bool]) -> bool:
        """Return True if a variable is a better name than the one that a module has so far."""
        held = self._held(module)
        if held is None:
            return True
        if name.startswith(OWN):
            return False
        own = self.root(module) is not None
        if held.startswith(OWN):
            # A module inside another has that one's path, even if a loop such as `for block in self.blocks` names it.
            return own
        ref, root, scope = self.roots[id(module) if own else self.homes[id(module)]]
        holder = self.holders.get((root, scope))
        return holder is None or holder() is not ref() or not alive(scope)

    def of(self, module: object, caller: object, path: str | None) -> str:
        """Return the path of a module that is called, by the forward() of `caller` at `path` where there is one."""
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

    def root(self, module: object) -> str | None:
        """Return the variable or attribute that a module itself was bound to."""
        known = self.roots.get(id(module))
        return known[1] if known is not None and known[0]() is module else None

    def _held(self, module: object) -> str | None:
        """Return the path from a variable, preferably from one that is no attribute of an object."""
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
        for key, (ref, root, _) in list(self.roots.items()):
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

    def way(self, outer: object, inner: object) -> tuple[str, ...] | None:
        """Return names_between(), from a cache as long as these names still lead there."""
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
